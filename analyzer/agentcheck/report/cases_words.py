"""Words about golden cases that several formats share."""

from __future__ import annotations

from agentcheck.model.expectation import Expectations, Remark
from agentcheck.report.words import plural

OUTCOMES = {"pass": "pass", "fail": "FAIL", "cannot-tell": "cannot tell"}


def place(remark: Remark) -> str:
    """`runs.jsonl#3/12`."""
    if remark.run is None:
        return ""
    return f"{remark.file}#{remark.run}" + (f"/{remark.record}" if remark.record else "")


def counted(told: Expectations) -> str:
    """`5 cases: 3 pass, 1 fails, 1 cannot be told; 12 of 15 runs are in no case`."""
    by = {outcome: sum(c.outcome == outcome for c in told.cases) for outcome in OUTCOMES}
    parts = [f"{by['pass']} pass", f"{by['fail']} fail"]
    parts += [f"{by['cannot-tell']} cannot be told"] if by["cannot-tell"] else []
    strict = " (strict: that counts as failed)" if told.strict and by["cannot-tell"] else ""
    rest = (
        f"; {told.unmatched:,} of {plural(told.runs, 'run')} in no case" if told.unmatched else ""
    )
    return f"{plural(len(told.cases), 'case')} of {told.file}: {', '.join(parts)}{strict}{rest}"
