"""The report for a terminal: a block with code frames for each finding, or one line each."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.finding import Finding
from agentcheck.model.report import Report
from agentcheck.report.canvas import Canvas
from agentcheck.report.escape import one_line
from agentcheck.report.frames import Frame, Line, frames, shift, strip
from agentcheck.report.options import Options
from agentcheck.report.words import (
    answered,
    challenged,
    fix_option,
    fixable,
    noted,
    owned,
    place,
    ran,
    shown,
    total,
    verified,
)

_SEVERITY = {"high": "bold red", "medium": "bold yellow", "low": "bold cyan", "info": "bold blue"}
_GUTTER = "bold blue"
_LABEL = 30


def full(report: Report, options: Options) -> str:
    """Every finding as a block with its code, then what could not be read, then the counts."""
    canvas = Canvas(options)
    _runs(canvas, report, options)
    _asked(canvas, report)
    about = {name for asked in report.asked for name in asked.findings}
    for number, finding in enumerate(shown(report)):
        if number and number == len(about):
            canvas.line(("everything else", "bold"))
            canvas.line()
        _block(canvas, finding, verbose=options.verbose)
    _notes_on_comments(canvas, report)
    _skipped(canvas, report, verbose=options.verbose)
    _cases(canvas, report)
    _last(canvas, report, options)
    return canvas.text()


def concise(report: Report, options: Options) -> str:
    """`path:line:column: AC101 [unbounded-loop] high: title`, a line each, then the counts."""
    canvas = Canvas(options)
    _runs(canvas, report, options)
    for finding in shown(report):
        canvas.line(
            (f"{place(finding.primary)}: ", ""),
            (f"{finding.code} [{finding.rule}] ", "bold"),
            (f"{finding.severity}: ", _SEVERITY[finding.severity]),
            (one_line(finding.title), ""),
            (_run_mark(finding), "bold"),
        )
    _notes_on_comments(canvas, report)
    _skipped(canvas, report, verbose=options.verbose)
    _cases(canvas, report)
    _last(canvas, report, options)
    return canvas.text()


def _run_mark(finding: Finding) -> str:
    marks = {"fails": " [fails today]", "passes": " [contradicted by its test]"}
    return marks.get(finding.run.verdict, "") if finding.run is not None else ""


def _asked(canvas: Canvas, report: Report) -> None:
    for asked in report.asked:
        head = f"asked: {one_line(asked.about)}: "
        canvas.flow(((head, "bold"), (answered(asked), "")), hang=2)
    if report.asked:
        canvas.line()


def _notes_on_comments(canvas: Canvas, report: Report) -> None:
    for note in report.notes:
        said = ((f"{noted(note)}: ", ""), (f"note[{note.kind}]: ", _SEVERITY["info"]))
        canvas.line(*said, (one_line(note.text), ""))


def _runs(canvas: Canvas, report: Report, options: Options) -> None:
    if options.summary and report.runs is not None:
        from agentcheck.report.terminal_runs import draw_runs

        draw_runs(canvas, report.runs)
    if report.what_if:
        from agentcheck.report.whatif_terminal import draw_answer

        for answer in report.what_if:
            draw_answer(canvas, answer, verbose=options.verbose)


def _cases(canvas: Canvas, report: Report) -> None:
    if report.expectations is not None:
        from agentcheck.report.terminal_cases import draw_cases

        draw_cases(canvas, report.expectations)


def _block(canvas: Canvas, finding: Finding, *, verbose: bool) -> None:
    what = f"{finding.severity}[{one_line(finding.rule)}]"
    mark = f" {finding.code} {finding.priority}: "
    canvas.flow(
        ((what, _SEVERITY[finding.severity]), (mark, "bold"), (one_line(finding.title), "bold")),
        hang=2,
    )
    made = frames(finding.evidence)
    digits = max((len(str(n.number)) for f in made for n in f.lines if n.number), default=1)
    for frame in made:
        _frame(canvas, frame, digits, _SEVERITY[finding.severity])
        canvas.line((" " * (digits + 1) + "|", _GUTTER))
    for head, text in _notes(finding, verbose=verbose):
        _note(canvas, digits, head, text)
    canvas.line()


def _frame(canvas: Canvas, frame: Frame, digits: int, color: str) -> None:
    gutter = " " * (digits + 1) + "| "
    canvas.line((" " * digits + "--> ", _GUTTER), (frame.where, ""))
    canvas.line((gutter.rstrip(), _GUTTER))
    room = max(canvas.width - len(gutter), _LABEL)
    dropped = shift(frame.lines, room)
    before: int | None = None
    for line in frame.lines:
        if before and line.number and line.number > before + 1:
            canvas.line(("...", _GUTTER))
        number = "" if line.number is None else str(line.number)
        cut = strip(line, room, dropped)
        canvas.line((f"{number:>{digits}} | ", _GUTTER), (cut.shown, ""))
        _marks(canvas, line, cut.marks, (gutter, color))
        before = line.number


def _marks(
    canvas: Canvas, line: Line, spans: tuple[tuple[int, int], ...], look: tuple[str, str]
) -> None:
    """Each mark on a row of its own, its sentence beside it or, where that is tight, below."""
    gutter, color = look
    room = canvas.width - len(gutter)
    for mark, (start, length) in zip(line.marks, spans, strict=True):
        style = color if mark.primary else _GUTTER
        head = ((gutter, _GUTTER), (" " * start + ("^" if mark.primary else "-") * length, style))
        says, beside = one_line(mark.says), start + length + 1
        if not says:
            canvas.line(*head)
        elif room - beside >= min(len(says), _LABEL):
            canvas.flow((*head, (" ", ""), (says, style)), (gutter, _GUTTER), beside)
        else:
            below = min(start, max(room - min(len(says), 2 * _LABEL), 0))
            canvas.line(*head)
            canvas.flow(((gutter + " " * below, _GUTTER), (says, style)), (gutter, _GUTTER), below)


def _notes(finding: Finding, *, verbose: bool) -> Iterator[tuple[str, str]]:
    if one_line(finding.message) not in ("", one_line(finding.title)):
        yield "what: ", finding.message
    if verbose:
        yield "at stake: ", finding.at_stake
    for number, step in enumerate(finding.failure_path, 1):
        yield ("path: " if number == 1 else "      ") + f"{number}. ", step
    if verbose:
        yield "consequence: ", finding.consequence
        yield "owner: ", owned(finding).replace("`", "")
    yield "change: ", finding.smallest_change
    if finding.fix:
        yield "fix: ", f"{finding.fix.what} ({fix_option(finding.fix)})"
    yield "could break: ", finding.could_break
    yield "prove it: ", finding.acceptance.text
    yield "known by: ", _known(finding)
    if finding.run is not None:
        yield "run: ", ran(finding)
    yield from _traced(finding, verbose=verbose)
    if verbose:
        yield "id: ", f"{finding.id}, fingerprint {finding.fingerprint}"


def _known(finding: Finding) -> str:
    sure = finding.confidence
    return " · ".join(
        (
            ", ".join(finding.known_by),
            f"confidence: defect {sure.defect}, remedy {sure.remedy}",
            f"challenge: {challenged(finding.challenge)}",
        )
    )


def _traced(finding: Finding, *, verbose: bool) -> Iterator[tuple[str, str]]:
    verdict = finding.trace.verdict.replace("-", " ")
    if finding.trace.verdict != "no-runs" or verbose:
        records = ", ".join(finding.trace.records)
        yield "runs: ", f"{verdict}{f' ({records})' if records else ''}"


def _note(canvas: Canvas, digits: int, head: str, text: str) -> None:
    """`= head: text`; the steps after the first stand under it."""
    lead = " " * (digits + 1) + ("  " if head.startswith(" ") else "= ")
    if one_line(text):
        pieces = ((lead, _GUTTER), (head, "bold"), (one_line(text), ""))
        canvas.flow(pieces, hang=len(lead) + len(head))


def _skipped(canvas: Canvas, report: Report, *, verbose: bool) -> None:
    if not verbose:
        return
    for item in report.skipped:
        canvas.flow(
            (("skipped ", "bold"), (f"{one_line(item.file)}: {one_line(item.why)}", "")), hang=2
        )
    if report.skipped:
        canvas.line()


def _last(canvas: Canvas, report: Report, options: Options) -> None:
    if report.verified is not None:
        canvas.flow((("verified: ", "bold"), (one_line(verified(report)), "")), hang=2)
    if options.hint and fixable(report):
        canvas.line((fixable(report), ""))
    style = "bold" if shown(report) else "bold green"
    if canvas.piped:  # whole on the last line, for whoever cuts it off there
        canvas.line((total(report), style))
    else:
        canvas.flow(((total(report), style),), hang=2)
