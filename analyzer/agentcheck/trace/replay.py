"""Building a run: the events so far, and which calls still wait for their result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from agentcheck.model.event import (
    Event,
    FieldGroup,
    Handoff,
    Message,
    Run,
    RunEnd,
    RunStart,
    Source,
    ToolCall,
    ToolResult,
)
from agentcheck.trace.arguments import read_arguments

Status = Literal["completed", "max_turns", "error", "interrupted", "unknown"]


class Replay:
    """Events of one run in the making. `unknown` counts records that could not be read."""

    __slots__ = ("agent", "events", "file", "known", "run", "unknown")

    def __init__(self, file: str, run: int, known: Iterable[FieldGroup]) -> None:
        self.file = file
        self.run = run
        self.known: set[FieldGroup] = set(known)
        self.events: list[Event] = [RunStart(seq=0, source=Source(file, run, 0))]
        self.agent: str | None = None
        self.unknown = 0

    def source(self, record: int | str, pointer: str = "") -> Source:
        """Where an event of this run was read."""
        return Source(self.file, self.run, record, pointer)

    def start(
        self, source: Source, workflow: str | None = None, tools: dict[str, Any] | None = None
    ) -> None:
        """The head of the run, which is the first event; may be told last."""
        self.events[0] = RunStart(seq=0, source=source, workflow=workflow, tools=tools or {})

    def message(self, source: Source, role: str, text: str) -> None:
        """A message, if it says anything."""
        if text:
            event = Message(
                seq=len(self.events), source=source, role=role, text=text, agent=self.agent
            )
            self.events.append(event)

    def call(self, source: Source, key: str, asked: Asked, batch: int) -> ToolCall:
        """A tool call of a reply."""
        raw, value, error = read_arguments(asked.arguments)
        event = ToolCall(
            seq=len(self.events),
            source=source,
            agent=self.agent,
            call_key=key,
            call_id=asked.call_id,
            name=asked.name,
            arguments_raw=raw,
            arguments=value,
            batch=batch,
            parse_error=error,
        )
        self.events.append(event)
        return event

    def result(
        self,
        source: Source,
        key: str | None,
        content: str,
        *,
        is_error: bool | None = None,
        ts: float | None = None,
        duration: float | None = None,
    ) -> None:
        """The answer to a call."""
        event = ToolResult(
            seq=len(self.events),
            source=source,
            ts=ts,
            agent=self.agent,
            call_key=key,
            content=content,
            is_error=is_error,
            duration=duration,
        )
        self.events.append(event)

    def handoff(
        self, source: Source, to: str, call: ToolCall | None, *, accepted: bool | None = None
    ) -> None:
        """Control passes from the current agent to another."""
        event = Handoff(
            seq=len(self.events),
            source=source,
            from_agent=call.agent if call else self.agent,
            to_agent=to,
            call_key=call.call_key if call else None,
            batch=call.batch if call else 0,
            accepted=accepted,
        )
        self.events.append(event)

    def end(self, source: Source, status: Status, output: str | None = None, **labels: Any) -> None:
        """How the run ended."""
        self.events.append(
            RunEnd(seq=len(self.events), source=source, status=status, output=output, labels=labels)
        )

    def finish(self, run_id: str, form: str) -> Run:
        """The run, with its events numbered in order."""
        return Run(
            id=run_id,
            file=self.file,
            index=self.run,
            format=form,
            known=frozenset(self.known),
            events=tuple(self.events),
            unknown_records=self.unknown,
        )


class Asked:
    """A call as a reply names it, before its arguments are read."""

    __slots__ = ("arguments", "call_id", "name")

    def __init__(self, name: str, arguments: Any, call_id: str | None) -> None:
        self.name = name
        self.arguments = arguments
        self.call_id = call_id


class OpenCalls:
    """The calls of one reply. Ids repeat within runs, so results are sought here and only here."""

    __slots__ = ("_answered", "_calls")

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._answered: set[str] = set()

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, call: ToolCall) -> None:
        """A call that waits."""
        self._calls.append(call)

    def answer(self, call_id: object, name: object = None) -> ToolCall | None:
        """The call that a result is for, which then no longer waits.

        By id; a result without id belongs to the first waiting call of that tool, or to the only
        one that waits. A second result for an id belongs to the same call.
        """
        waiting = self.waiting()
        found = self._by_id(waiting, call_id) if call_id else _by_name(waiting, name)
        if found is not None:
            self.settle(found)
        return found

    def waiting(self) -> list[ToolCall]:
        """The calls that have no answer yet."""
        return [call for call in self._calls if call.call_key not in self._answered]

    def take(self, name: str, arguments: object) -> ToolCall | None:
        """The waiting call of a tool, best one with just these arguments; waits no longer."""
        named = [call for call in self.waiting() if call.name == name]
        same = (call for call in named if call.arguments_raw == arguments)
        found = next(same, None) or next(iter(named), None)
        if found is not None:
            self.settle(found)
        return found

    def settle(self, call: ToolCall) -> None:
        """A call waits no longer."""
        self._answered.add(call.call_key)

    def _by_id(self, waiting: list[ToolCall], call_id: object) -> ToolCall | None:
        found = next((call for call in waiting if call.call_id == call_id), None)
        return found or next((call for call in self._calls if call.call_id == call_id), None)


def _by_name(waiting: list[ToolCall], name: object) -> ToolCall | None:
    named = next((call for call in waiting if call.name == name), None)
    return named or (waiting[0] if name is None and len(waiting) == 1 else None)
