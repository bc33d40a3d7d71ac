"""How a run ended, in one vocabulary and in the words of its own record."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from agentcheck.model.event import (
    Approval,
    Guardrail,
    Message,
    ModelCall,
    Run,
    RunEnd,
    ToolCall,
    ToolResult,
)

STATUSES = (
    "completed",
    "awaiting_approval",
    "blocked",
    "max_turns",
    "error",
    "interrupted",
    "unknown",
)
# Labels in which readers keep the words of a record for how a run ended.
_WORDS = ("status", "exit_status", "termination_reason", "terminal_reason", "subtype", "limit")
_SPEECH = (Message, ModelCall, ToolCall, ToolResult)
_CUT = frozenset({"length", "content_filter", "error"})


class Ending(Struct, frozen=True):
    """A status of STATUSES, and the record's own words and names for it."""

    status: str
    words: tuple[str, ...] = ()


def ending(run: Run) -> Ending:
    """How the run ended; "unknown" where the record does not show it.

    A call that still waits for an approval makes it "awaiting_approval", a guardrail that spoke up
    in a run that did not complete "blocked". Where the record has no end of its own, a run whose
    last word is an answer of the assistant is taken for completed.
    """
    ends = run.all(RunEnd)
    end = ends[-1] if ends else None
    status = end.status if end else _seen(run)
    words = tuple(_words(end.labels)) if end else ()
    blocked = [g.name for g in run.all(Guardrail) if g.triggered]
    if status not in ("max_turns", "error") and waiting(run):
        return Ending("awaiting_approval", words)
    if blocked and status != "completed":
        return Ending("blocked", (*words, *blocked))
    return Ending(status, words)


def waiting(run: Run) -> bool:
    """Whether the last that is told of some approval is that it was asked for."""
    last: dict[str | None, str] = {}
    for approval in run.all(Approval):
        last[approval.call_key] = approval.state
    return any(state == "requested" and key not in run.answers for key, state in last.items())


def output_of(run: Run) -> str:
    """What the run answered in the end; empty where it said nothing."""
    told = next((end.output for end in reversed(run.all(RunEnd)) if end.output), None)
    if told:
        return told
    said = (m.text for m in reversed(run.all(Message)) if m.role == "assistant")
    return next(said, "")


def task_of(run: Run) -> str | None:
    """What the run was asked first; None where the record does not tell."""
    return next((m.text for m in run.all(Message) if m.role == "user"), None)


def _seen(run: Run) -> str:
    if run.unknown_records:
        return "unknown"
    last = next((e for e in reversed(run.events) if isinstance(e, _SPEECH)), None)
    if not isinstance(last, Message) or last.role != "assistant":
        return "unknown"
    replies = run.all(ModelCall)
    return "unknown" if replies and replies[-1].finish_reason in _CUT else "completed"


def _words(labels: dict[str, Any]) -> list[str]:
    return [str(labels[key]) for key in _WORDS if isinstance(labels.get(key), str)]
