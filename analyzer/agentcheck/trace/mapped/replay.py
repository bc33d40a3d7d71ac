"""The records of a user's own log -> the events of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from agentcheck.model.event import (
    Approval,
    Compaction,
    Guardrail,
    Handoff,
    RunEnd,
    Source,
)
from agentcheck.trace.mapped.mapping import SPEAKERS, STATES
from agentcheck.trace.mapped.seen import Seen, word_of
from agentcheck.trace.mapped.talk import Talk
from agentcheck.trace.mapped.words import approval_word, status_word
from agentcheck.trace.readers.fields import when
from agentcheck.trace.texts import text_of

_RUN = "run"
"""The record of what stands in a run's object, around its steps."""


class MappedReplay(Talk):
    """One run in the making."""

    __slots__ = ()

    def begin(self, whole: Seen) -> None:
        """What a run's object says before its steps."""
        self._start(self.source(_RUN), whole)

    def conclude(self, whole: Seen) -> None:
        """What a run's object says of its end."""
        if whole.find("answer") or whole.find("status"):
            self._end(self.source(_RUN), whole, "end")

    def record(self, number: int, seen: Seen) -> str:
        """Tells a record; gives why it could not be read, "" where it could."""
        kind, why = seen.kind()
        if kind is None:
            self.unknown += 1
            return why
        self.ts = when(seen.get("time"))
        self.agent = seen.name("agent")
        return self._as(kind, self.source(number), seen)

    def _as(self, kind: str, source: Source, seen: Seen) -> str:
        if kind in SPEAKERS:
            self._said(source, seen, kind)
        elif kind.startswith("approval"):
            return self._approved(source, seen, kind)
        elif kind.startswith("end"):
            self._end(source, seen, kind)
        elif kind in _TELLS:
            _TELLS[kind](self, source, seen)
        return ""

    def _start(self, source: Source, seen: Seen) -> None:
        self._given(source, seen)
        self._workflow = seen.name("workflow")
        self.start(source)
        task = text_of(seen.get("task"))
        self.message(self.source(source.record, seen.place("task")), "user", task)

    def _handed(self, source: Source, seen: Seen) -> None:
        to_agent = seen.name("to-agent")
        if to_agent is None:
            self.unknown += 1
            return
        call = self._pairs.found(seen.name("call-id"), seen.name("tool"))
        self.add(
            Handoff,
            source,
            from_agent=self.agent,
            to_agent=to_agent,
            call_key=call.call_key if call else None,
            batch=call.batch if call else 0,
        )

    def _approved(self, source: Source, seen: Seen, kind: str) -> str:
        said = kind.removeprefix("approval-")
        if said not in STATES:
            value = seen.get("approval")
            said = approval_word(word_of(value), self._mapping.approvals) or ""
        if not said:
            self.unknown += 1
            return "what it says of an approval is not among `approvals`"
        call_id, tool = seen.name("call-id"), seen.name("tool")
        named = call_id is not None or tool is not None
        call = self._pairs.found(call_id, tool) if named else self._pairs.last()
        key = call.call_key if call else None
        self.add(Approval, source, call_key=key, state=said, by=seen.name("by"))
        return ""

    def _guarded(self, source: Source, seen: Seen) -> None:
        triggered = seen.flag("triggered", self._mapping.triggered_values)
        self._guard(source, seen, triggered=triggered)

    def _blocked(self, source: Source, seen: Seen) -> None:
        self._guard(source, seen, triggered=True)

    def _guard(self, source: Source, seen: Seen, *, triggered: bool) -> None:
        name = seen.name("guardrail") or "guardrail"
        self.add(Guardrail, source, name=name, triggered=triggered)

    def _shortened(self, source: Source, _seen: Seen) -> None:
        self.add(Compaction, source)

    def _end(self, source: Source, seen: Seen, kind: str) -> None:
        value = seen.get("status")
        raw = None if value is None else word_of(value)
        told = kind.removeprefix("end").removeprefix("-").replace("-", "_")
        answer = text_of(seen.get("answer")) or None
        status = told or status_word(raw, self._mapping.statuses)
        if answer is not None and raw is None and not told:
            status = "completed"
        if answer is not None and answer != self._answer:
            self.message(self.source(source.record, seen.place("answer")), "assistant", answer)
        labels = {} if raw is None else {"status": raw}
        self.add(RunEnd, source, status=status, output=answer, labels=labels)


_Tell: TypeAlias = Callable[[MappedReplay, Source, Seen], None]
_TELLS: dict[str, _Tell] = {
    "start": MappedReplay._start,
    "model-call": MappedReplay._replied,
    "tool-call": MappedReplay._called,
    "tool-result": MappedReplay._result,
    "handoff": MappedReplay._handed,
    "guardrail": MappedReplay._guarded,
    "guardrail-triggered": MappedReplay._blocked,
    "compaction": MappedReplay._shortened,
}
