"""What is said, asked and answered in a user's own log -> events."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import FieldGroup, Run, Source, ToolCall
from agentcheck.trace.mapped.mapping import Mapping
from agentcheck.trace.mapped.pairing import Pairs
from agentcheck.trace.mapped.seen import Seen
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.otlp_tools import schemas_in
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of


def known_of(mapping: Mapping) -> set[FieldGroup]:
    """What a mapping can carry, besides what its replies turn out to."""
    at, kinds = mapping.at, frozenset(mapping.kinds.values())
    found: set[FieldGroup] = set()
    if "text" in at and ("arguments" in at or "tool" not in at):
        found.add("content")
    if "result" in at or "tool-result" in kinds:
        found.add("results")
    if "error" in at:
        found.add("errors")
    if any(kind.startswith("approval") for kind in kinds):
        found.add("approval")
    if "handoff" in kinds:
        found.add("handoffs")
    return found


class Talk(LogReplay):
    """One run in the making: its messages, replies, calls and results."""

    __slots__ = ("_answer", "_batch", "_mapping", "_pairs", "_prompts", "_schemas", "_workflow")

    def __init__(self, file: str, run: int, mapping: Mapping) -> None:
        super().__init__(file, run, known_of(mapping))
        self._mapping = mapping
        self._pairs = Pairs()
        self._batch = 0
        self._answer: str | None = None
        self._schemas: dict[str, Any] = {}
        self._prompts: dict[str | None, str] = {}
        self._workflow: str | None = None

    def played(self, run_id: str) -> Run:
        """The run."""
        if self._schemas:
            self.known.add("schema")
        self.start(self.events[0].source, self._workflow, self._schemas)
        return self.ended(run_id, self._mapping.name)

    def _given(self, source: Source, seen: Seen) -> None:
        """The system prompt and the tools that a model is given; a prompt is told where it is new
        to the agent."""
        self._schemas |= schemas_in(seen.get("tools"))
        system = text_of(seen.get("system"))
        if system and system != self._prompts.get(self.agent):
            self._prompts[self.agent] = system
            self.message(self.source(source.record, seen.place("system")), "system", system)

    def _said(self, source: Source, seen: Seen, role: str) -> None:
        text = text_of(seen.get("text"))
        if role == "system":
            self._prompts[self.agent] = text
        elif role == "assistant":
            self._answer = text
        self.message(self.source(source.record, seen.place("text")), role, text)

    def _replied(self, source: Source, seen: Seen) -> None:
        self._given(source, seen)
        self._pairs.next_group()
        self._batch = 0
        finish, model = seen.get("finish"), seen.name("model")
        known = self._mapping.finish_reasons
        self.reply(
            source,
            known.get(finish, finish) if isinstance(finish, str) else None,
            request_model=model,
            response_model=model,
            provider=seen.name("provider"),
            input_tokens=seen.count("input-tokens"),
            output_tokens=seen.count("output-tokens"),
            cache_read=seen.count("cached-tokens"),
            cost=seen.amount("cost"),
            duration=self._seconds(seen),
            system_text=self._prompts.get(self.agent, self._prompts.get(None)),
        )
        if isinstance(finish, str) and finish:
            self.tell(-1, finish_raw=finish)
        self._said(source, seen, "assistant")
        self._asked(source, seen)

    def _asked(self, source: Source, seen: Seen) -> None:
        """The calls of a reply: a list of them, or the one that the record itself has."""
        listed = seen.find("calls")
        if listed is None or listed.value in (None, [], {}):
            if seen.name("tool") is not None:
                self._called(source, seen)
            return
        single = isinstance(listed.value, dict)
        items = [listed.value] if single else listed.value
        if not isinstance(items, list):
            self.unknown += 1
            return
        for index, item in enumerate(items):
            place = listed.pointer if single else f"{listed.pointer}/{index}"
            self._called(self.source(source.record, place), Seen(self._mapping, item))

    def _called(self, source: Source, seen: Seen) -> None:
        name, call_id = seen.name("tool"), seen.name("call-id")
        if name is None:
            self.unknown += 1
            return
        call = self._pairs.waiting(call_id)
        if call is None:
            call = self.ask(source, Asked(name, seen.get("arguments"), call_id), self._batch)
            self._pairs.add(call)
            self._batch += 1
        if seen.find("result") is not None:
            self._returned(source, seen, call)

    def _result(self, source: Source, seen: Seen) -> None:
        self._batch = 0
        call = self._pairs.answered(seen.name("call-id"), seen.name("tool"))
        self._returned(source, seen, call)

    def _returned(self, source: Source, seen: Seen, call: ToolCall | None) -> None:
        self._pairs.settle(call)
        key = "result" if seen.get("result") is not None else "error"
        failed = "error" in self._mapping.at and seen.flag("error", self._mapping.error_values)
        self.answer(
            self.source(source.record, f"{source.pointer}{seen.place(key)}"),
            call,
            text_of(seen.get(key)),
            agent=self.agent or (call.agent if call else None),
            is_error=failed if "error" in self._mapping.at else None,
            duration=self._seconds(seen),
        )

    def _seconds(self, seen: Seen) -> float | None:
        took = seen.amount("duration")
        return None if took is None else took * self._mapping.seconds
