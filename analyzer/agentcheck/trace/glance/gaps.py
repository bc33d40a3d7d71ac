"""What a set of runs cannot prove: what its records do not carry, and what never happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import (
    Approval,
    Compaction,
    FieldGroup,
    Guardrail,
    Handoff,
    ModelCall,
    Run,
    ToolCall,
)
from agentcheck.model.runs import Open

_GROUPS: dict[FieldGroup, tuple[str, str]] = {
    "usage": ("token usage", "what was spent, and whether it kept within a budget"),
    "finish": ("why replies ended", "whether a reply was cut off or filtered"),
    "time": ("times", "how long anything took"),
    "results": ("the results of tool calls", "whether calls were answered, and with what"),
    "approval": ("approvals", "whether anybody was asked before a tool acted"),
    "handoffs": ("handoffs", "who handed over to whom"),
    "schema": ("the tools' parameters", "whether arguments fit them"),
    "content": ("texts and arguments", "what was said and asked for"),
    "errors": ("which results are errors", "whether failed calls were noticed"),
}
_EVENTS: dict[str, tuple[FieldGroup | None, str]] = {
    "call": (None, "No run calls a tool."),
    "failed": ("errors", "No tool call fails: what happens then is not shown."),
    "handoff": ("handoffs", "No run hands over to another agent."),
    "approval": ("approval", "No call waits for an approval."),
    "denied": ("approval", "No approval is denied: what happens then is not shown."),
    "guardrail": (None, "No guardrail speaks up."),
    "cut": ("finish", "No reply is cut off or filtered: what happens then is not shown."),
    "compaction": (None, "No history is shortened."),
    "stopped": (None, "No run is stopped by a limit."),
}


class Gaps:
    """Notes what is there; `rows` tells what is missing."""

    def __init__(self) -> None:
        self._runs = self._unread = self._records = 0
        self._known: Counter[FieldGroup] = Counter()
        self._happened: set[str] = set()

    def add(self, run: Run) -> None:
        """Take in one run."""
        self._runs += 1
        self._known.update(run.known)
        self._unread += bool(run.unknown_records)
        self._records += run.unknown_records
        self._happened.update(_happened(run))

    def rows(self) -> Iterator[Open]:
        """What these runs cannot prove."""
        for group, (what, so) in _GROUPS.items():
            lacking = self._runs - self._known[group]
            if lacking:
                all_ = "No run carries" if lacking == self._runs else ""
                some = f"{lacking:,} of {self._runs:,} runs lack"
                yield Open("not-carried", f"{all_ or some} {what}: {so} cannot be told.")
        for name, (needed, text) in _EVENTS.items():
            told = needed is None or self._known[needed] > 0
            if told and name not in self._happened and not _idle(name, self._happened):
                yield Open("not-exercised", text)
        if self._records:
            where = f"{self._records:,} records in {self._unread:,} runs"
            yield Open("not-read", f"{where} could not be read: what they hold is not in here.")


def _idle(name: str, happened: set[str]) -> bool:
    """Whether something more general, which is told already, did not happen either."""
    return (name == "failed" and "call" not in happened) or (
        name == "denied" and "approval" not in happened
    )


def _happened(run: Run) -> Iterator[str]:
    kinds: dict[str, type[Any]]
    kinds = {"call": ToolCall, "handoff": Handoff, "approval": Approval, "compaction": Compaction}
    yield from (name for name, kind in kinds.items() if run.all(kind))
    if any(answer.is_error for answer in run.answers.values()):
        yield "failed"
    if any(approval.state == "denied" for approval in run.all(Approval)):
        yield "denied"
    if any(guardrail.triggered for guardrail in run.all(Guardrail)):
        yield "guardrail"
    if any(reply.finish_reason in ("length", "content_filter") for reply in run.all(ModelCall)):
        yield "cut"
    if run.events and getattr(run.events[-1], "status", "") == "max_turns":
        yield "stopped"
