"""Golden cases of a policy on a terminal: a line each, and what is not as expected."""

from __future__ import annotations

from agentcheck.model.policy_check import PolicyCheck
from agentcheck.report.canvas import Canvas, filled
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.policy_cases import counted

_WIDTH = 6


def table(check: PolicyCheck, options: Options) -> str:
    """The cases in the order of their file, then the counts."""
    canvas = Canvas(options)
    longest = max(len(one_line(case.id)) for case in check.cases)
    width = min(longest, max(canvas.width - _WIDTH - 24, 12))
    for case in check.cases:
        word, style = ("FAIL", "bold red") if case.missed else ("pass", "green")
        canvas.line(
            (filled(word, _WIDTH), style),
            (filled(one_line(case.id), width), ""),
            (f"  {case.decision}, score {case.score}", "dim"),
        )
        for text in case.missed:
            canvas.flow(((" " * _WIDTH, ""), (one_line(text), "")), hang=_WIDTH + 2)
    style = "bold red" if check.failed else "bold green"
    canvas.flow(((one_line(counted(check)), style),), hang=2)
    return canvas.text()
