"""Golden cases on a terminal: a line each, and why those that did not pass did not."""

from __future__ import annotations

from agentcheck.model.expectation import CaseOutcome, Expectations, Remark
from agentcheck.model.report import Report
from agentcheck.report.canvas import Canvas, filled
from agentcheck.report.cases_words import OUTCOMES, counted, place
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import plural

_STYLES = {"pass": "green", "fail": "bold red", "cannot-tell": "yellow"}
_WIDTH = 13


def table(report: Report, options: Options) -> str:
    """How the cases came out, alone."""
    canvas = Canvas(options)
    if report.expectations is not None:
        draw_cases(canvas, report.expectations)
    return canvas.text()


def draw_cases(canvas: Canvas, told: Expectations) -> None:
    """The cases in the order of their file, then the counts."""
    longest = max(len(one_line(case.id)) for case in told.cases)
    width = min(longest, max(canvas.width - _WIDTH - 24, 12))
    for case in told.cases:
        canvas.line(
            (filled(OUTCOMES[case.outcome], _WIDTH), _STYLES[case.outcome]),
            (filled(one_line(case.id), width), ""),
            (f"  {_runs(case)}", "dim"),
        )
        for remark in case.remarks:
            _remark(canvas, remark)
        if case.more:
            canvas.line((f"{'':{_WIDTH}}and {plural(case.more, 'more remark')}", "dim"))
    _counts(canvas, told)


def _remark(canvas: Canvas, remark: Remark) -> None:
    where = f" ({place(remark)})" if place(remark) else ""
    lead = " " * _WIDTH
    pieces = (
        (lead, ""),
        (f"{remark.expectation}: ", _STYLES[remark.outcome]),
        (one_line(remark.text + where), ""),
    )
    canvas.flow(pieces, hang=_WIDTH + 2)


def _runs(case: CaseOutcome) -> str:
    if case.outcome == "pass" or case.runs == 1:
        return plural(case.runs, "run")
    bad = [f"{case.failed:,} fail" if case.failed else ""]
    bad.append(f"{case.unclear:,} cannot be told" if case.unclear else "")
    return ", ".join([plural(case.runs, "run"), *filter(None, bad)])


def _counts(canvas: Canvas, told: Expectations) -> None:
    style = "bold red" if told.failed else "bold green"
    canvas.flow(((one_line(counted(told)), style),), hang=2)
