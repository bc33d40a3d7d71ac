"""Golden cases of a policy on a terminal: a line each, and what is not as expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentcheck.model.whatif import PolicyCase
from agentcheck.report.canvas import Canvas, filled
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import plural

_WIDTH = 6


def table(cases: Sequence[PolicyCase], file: str, **options: Any) -> str:
    """The cases in the order of their file, then the counts. `options` are fields of Options."""
    canvas = Canvas(Options(**options))
    longest = max(len(one_line(case.id)) for case in cases)
    width = min(longest, max(canvas.width - _WIDTH - 24, 12))
    for case in cases:
        word, style = ("FAIL", "bold red") if case.missed else ("pass", "green")
        canvas.line(
            (filled(word, _WIDTH), style),
            (filled(one_line(case.id), width), ""),
            (f"  {case.decision}, score {case.score}", "dim"),
        )
        for text in case.missed:
            canvas.flow(((" " * _WIDTH, ""), (one_line(text), "")), hang=_WIDTH + 2)
    failed = sum(bool(case.missed) for case in cases)
    counts = f"{len(cases) - failed} pass, {failed} fail"
    told = f"{plural(len(cases), 'case')} of {one_line(file)}: {counts}"
    canvas.flow(((told, "bold red" if failed else "bold green"),), hang=2)
    return canvas.text()
