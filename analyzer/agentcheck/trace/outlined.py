"""The outline of a run that was played."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from agentcheck.model.event import (
    Approval,
    Compaction,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)
from agentcheck.trace.outline import Outline, Recorded
from agentcheck.trace.prices import input_tokens
from agentcheck.trace.tally import Tally

CUT = frozenset({"length", "content_filter"})


def recorded(run: Run) -> Recorded:
    """A run that was played already."""
    return Recorded(outline_of(run), partial(_itself, run))


def outline_of(run: Run) -> Outline:
    """The outline of a run that was played."""
    found = _Finding(run)
    for event in run.events:
        take = _TAKE.get(type(event))
        if take is not None:
            take(found, event)
    return found.outline()


def _itself(run: Run) -> Run:
    return run


def begins(call: ModelCall, message: Message) -> bool:
    """Whether the record of a request says that it was sent with a system prompt."""
    same = call.source.record == message.source.record
    return same and call.system_text is not None and call.system_text == message.text


class _Finding:
    """The outline of a run that was played, in the making."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._tally = Tally()
        self._out = self._tally.flags
        self._keys: set[str] = set()
        self._settled: set[str | None] = set()
        self._system: Message | None = None

    def outline(self) -> Outline:
        run = self._run
        self._out.paired = self._out.paired and self._keys <= self._settled
        return self._tally.outline(run.name, run.known, run.unknown_records)

    def start(self, event: RunStart) -> None:
        self._out.schemas = self._out.schemas or bool(event.tools)

    def message(self, event: Message) -> None:
        self._tally.message(event.role, event.text, event.agent, event.source.pointer)
        if event.role in ("system", "developer"):
            self._system = event

    def reply(self, event: ModelCall) -> None:
        out = self._out
        self._tally.reply(event.loop, event.agent, input_tokens(event))
        out.heads = out.heads or (self._system is not None and begins(event, self._system))
        out.cached = out.cached or event.cache_read is not None
        out.named = out.named or bool(event.response_model or event.request_model)
        out.cut = out.cut or event.finish_reason in CUT

    def call(self, event: ToolCall) -> None:
        self._tally.call(event.name, event.arguments_raw, event.arguments)
        self._keys.add(event.call_key)

    def result(self, event: ToolResult) -> None:
        out = self._out
        self._tally.result(event.content)
        out.failed = out.failed or bool(event.is_error)
        out.paired = out.paired and event.call_key is not None
        self._settled.add(event.call_key)

    def handoff(self, event: Handoff) -> None:
        self._out.handed = True
        self._settled.add(event.call_key)

    def approval(self, event: Approval) -> None:
        self._out.asked = True
        self._settled.add(event.call_key)

    def guard(self, event: Guardrail) -> None:
        self._out.blocked = self._out.blocked or event.triggered

    def shorten(self, _event: Compaction) -> None:
        self._out.shortened = True

    def end(self, event: RunEnd) -> None:
        self._out.stopped = self._out.stopped or event.status == "max_turns"


_TAKE: dict[type[Any], Callable[[_Finding, Any], None]] = {
    RunStart: _Finding.start,
    Message: _Finding.message,
    ModelCall: _Finding.reply,
    ToolCall: _Finding.call,
    ToolResult: _Finding.result,
    Handoff: _Finding.handoff,
    Approval: _Finding.approval,
    Guardrail: _Finding.guard,
    Compaction: _Finding.shorten,
    RunEnd: _Finding.end,
}
