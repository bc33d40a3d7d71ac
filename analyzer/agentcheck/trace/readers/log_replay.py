"""Building a run from a log, whose records carry times, usage and why replies ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from agentcheck.model.event import (
    Event,
    FieldGroup,
    Message,
    ModelCall,
    Run,
    Source,
    ToolCall,
    ToolResult,
)
from agentcheck.trace.arguments import read_arguments
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.replay import Asked, Replay

_CUT = frozenset({"length", "content_filter"})
_USED = ("input_tokens", "output_tokens", "cost")


def carried(events: Sequence[Event]) -> set[FieldGroup]:
    """What of usage, times and reasons the events turned out to carry.

    Why replies ended is known where each reply says it, or one says that it was cut off.
    """
    replies = [event for event in events if isinstance(event, ModelCall)]
    reasons = [reply.finish_reason for reply in replies]
    found: set[FieldGroup] = set()
    if reasons and (None not in reasons or not _CUT.isdisjoint(map(str, reasons))):
        found.add("finish")
    if any(getattr(reply, name) is not None for reply in replies for name in _USED):
        found.add("usage")
    if any(event.ts is not None for event in events):
        found.add("time")
    return found


class LogReplay(Replay):
    """A run whose calls are answered by id, wherever the answer stands. `ts` is the time now."""

    __slots__ = ("_replies", "calls", "ts")

    def __init__(self, file: str, run: int, known: Iterable[FieldGroup]) -> None:
        super().__init__(file, run, known)
        self.calls = Waiting()
        self.ts: float | None = None
        self._replies: list[int] = []

    def add(self, kind: type[Any], source: Source, **fields: Any) -> None:
        """An event of a kind, by the agent and at the time that are now."""
        fields = {"agent": self.agent, "ts": self.ts} | fields
        self.events.append(kind(seq=len(self.events), source=source, **fields))

    def message(self, source: Source, role: str, text: str) -> None:
        """A message, if it says anything."""
        if text:
            self.add(Message, source, role=role, text=text)

    def reply(self, source: Source, finish: Any = None, **facts: Any) -> int:
        """The model was asked and answered; gives a number by which more can be told of it."""
        self._replies.append(len(self.events))
        raw = finish if isinstance(finish, str) and finish else None
        self.add(ModelCall, source, finish_reason=finish_reason(raw), finish_raw=raw, **facts)
        return len(self._replies) - 1

    @property
    def replies(self) -> list[ModelCall]:
        """The model calls so far."""
        return [event for i in self._replies if isinstance(event := self.events[i], ModelCall)]

    @property
    def last_reply(self) -> ModelCall | None:
        """The last model call."""
        event = self.events[self._replies[-1]] if self._replies else None
        return event if isinstance(event, ModelCall) else None

    def tell(self, reply: int, **facts: Any) -> None:
        """More of a model call that was added before; -1 is the last."""
        at = self._replies[reply]
        self.events[at] = replace(self.events[at], **facts)

    def tell_end(self, reply: int, finish: Any, **facts: Any) -> None:
        """The same, with the reason for which the reply ended, if there is one."""
        if isinstance(finish, str) and finish:
            facts |= {"finish_reason": finish_reason(finish), "finish_raw": finish}
        self.tell(reply, **facts)

    def ask(self, source: Source, asked: Asked, batch: int = 0) -> ToolCall:
        """A tool call of a reply, which then waits for its result."""
        raw, value, error = read_arguments(asked.arguments)
        event = ToolCall(
            seq=len(self.events),
            source=source,
            ts=self.ts,
            agent=self.agent,
            call_key=f"{source.record}{source.pointer}:{asked.call_id or ''}",
            call_id=asked.call_id,
            name=asked.name,
            arguments_raw=raw,
            arguments=value,
            batch=batch,
            parse_error=error,
        )
        self.events.append(event)
        self.calls.add(event)
        return event

    def answer(self, source: Source, call: ToolCall | None, content: str, **fields: Any) -> None:
        """The answer to a call."""
        self.add(
            ToolResult, source, call_key=call.call_key if call else None, content=content, **fields
        )

    def ended(self, run_id: str, form: str) -> Run:
        """The run, with the field groups that its events turned out to carry."""
        self.known |= carried(self.events)
        return self.finish(run_id, form)


class Waiting:
    """The calls of a run by id and by name. A repeated id means the last call that has it."""

    __slots__ = ("_by_id", "_open")

    def __init__(self) -> None:
        self._by_id: dict[str, ToolCall] = {}
        self._open: dict[str, ToolCall] = {}

    def add(self, call: ToolCall) -> None:
        """A call that waits for its result."""
        self._open[call.call_key] = call
        if call.call_id is not None:
            self._by_id[call.call_id] = call

    def find(self, call_id: object, name: object = None) -> ToolCall | None:
        """The call with an id; without one the first call of a tool that waits."""
        if isinstance(call_id, str) and call_id:
            return self._by_id.get(call_id)
        return next((call for call in self._open.values() if call.name == name), None)

    def take(self, call_id: object, name: object = None) -> ToolCall | None:
        """The same, and the call waits no longer."""
        found = self.find(call_id, name)
        if found is not None:
            self._open.pop(found.call_key, None)
        return found
