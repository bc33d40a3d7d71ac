"""Spans of the OpenAI Agents SDK, in order of their start -> the events of a run.

The record of an event is its span's id. Tool calls are read from the replies of generation spans,
or from the function spans where the model's API leaves replies out (response spans).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentcheck.model.event import Approval, FieldGroup, Guardrail, ModelCall, ToolCall
from agentcheck.trace.readers.agents_sdk_end import ending
from agentcheck.trace.readers.agents_sdk_spans import SdkSpan, Tree
from agentcheck.trace.readers.chat_stored import usage_facts
from agentcheck.trace.readers.inputs import Inputs
from agentcheck.trace.readers.items import calls_in, given_in, texts_in
from agentcheck.trace.replay import Asked, OpenCalls, Replay
from agentcheck.trace.texts import text_of

KNOWN: tuple[FieldGroup, ...] = ("results", "approval", "handoffs", "errors")
SILENT = frozenset(
    {
        "agent", "task", "turn", "custom", "mcp_tools", "transcription", "speech", "speech_group"
    }
)  # fmt: skip


class SdkReplay(Replay):
    """The run that the spans of one trace tell."""

    __slots__ = ("_answered", "_by_id", "_inputs", "_last_asked", "_open", "_pending", "_tree")

    def __init__(self, file: str, run: int, tree: Tree) -> None:
        super().__init__(file, run, KNOWN)
        self._tree = tree
        self._inputs = Inputs(given_in)
        self._open: dict[str | None, OpenCalls] = {}
        self._by_id: dict[str, ToolCall] = {}
        self._answered: set[str] = set()
        self._pending: list[ToolCall] = []
        self._last_asked = {
            tree.loop(s): s for s in tree.ordered if s.kind in ("generation", "response")
        }

    def play(self, trace_id: str, workflow: str | None) -> None:
        """All spans, between the head of the run and its end."""
        self.unknown += self._tree.nameless
        for span in self._tree.ordered:
            self._span(span)
        record, status, output = ending(self._tree, waiting=bool(self._pending))
        self.agent = None
        self.start(self.source(trace_id), workflow)
        self.end(self.source(record or trace_id), status, output)

    def _span(self, span: SdkSpan) -> None:
        tell = _TELL.get(span.kind)
        if tell is not None:
            self.agent = self._tree.agent(span)
            if span.started:
                self.known.add("time")
            tell(self, span)
        elif span.kind not in SILENT:
            self.unknown += 1

    def _asked(self, span: SdkSpan) -> None:
        """A generation or response span: the model was asked."""
        loop = self._tree.loop(span)
        items, output = span.get("input"), span.get("output")
        self._given(span, loop, items)
        self._model_call(span, loop, len(items) if isinstance(items, list) else None)
        if output is not None:
            self.known.add("content")
        self.message(self.source(span.id, "/span_data/output"), "assistant", texts_in(output))
        self._open[span.parent] = opened = OpenCalls()
        for batch, (pointer, asked) in enumerate(calls_in(output)):
            place = self.source(span.id, f"/span_data/output{pointer}")
            opened.add(self._call(place, f"{span.id}.{batch}", asked, batch))

    def _model_call(self, span: SdkSpan, loop: str | None, context: int | None) -> None:
        usage = span.get("usage")
        facts = usage_facts(usage) if isinstance(usage, dict) else {}
        if facts:
            self.known.add("usage")
        self.events.append(
            ModelCall(
                seq=len(self.events),
                source=self.source(span.id),
                ts=span.start,
                span_id=span.id,
                parent_id=span.parent,
                agent=self.agent,
                response_model=span.text("model"),
                duration=span.duration,
                context_messages=context,
                loop=loop,
                **facts,
            )
        )

    def _given(self, span: SdkSpan, loop: str | None, items: Any) -> None:
        for given in self._inputs.fresh(loop, items):
            source = self.source(span.id, f"/span_data/input/{given.at}")
            if given.call_id is None:
                self.message(source, given.role, given.text)
            else:
                call = self._by_id.get(given.call_id)
                if call is not None and call.call_key not in self._answered:
                    self._answered.add(call.call_key)
                    self.result(source, call.call_key, given.text)

    def _call(self, source: Any, key: str, asked: Asked, batch: int) -> ToolCall:
        call = self.call(source, key, asked, batch)
        if asked.call_id is not None:
            self._by_id[asked.call_id] = call
        return call

    def _ran(self, span: SdkSpan) -> None:
        """A function span: a tool ran, or waits for an approval."""
        name, given = span.text("name") or "", span.get("input")
        if given is not None or span.get("output") is not None:
            self.known.add("content")
        opened = self._open.get(span.parent)
        call = opened.take(name, given) if opened else None
        call = call or self._approved(span, name, given)
        if call is None:
            place = self.source(span.id, "/span_data/input")
            call = self._call(place, f"{span.id}.0", Asked(name, given, None), 0)
        if self._waits(span):
            self._pending.append(call)
            self._approval(span, call, "requested")
        else:
            self._outcome(span, call)

    def _approved(self, span: SdkSpan, name: str, given: Any) -> ToolCall | None:
        """The call that waited for an approval and now runs, its run resumed."""
        for call in self._pending:
            if call.name == name and call.arguments_raw == given:
                self._pending.remove(call)
                self._approval(span, call, "granted")
                return call
        return None

    def _waits(self, span: SdkSpan) -> bool:
        """Whether a call without output waits for an approval.

        The SDK writes null for both that and an empty output; only after the latter the loop
        asks the model again.
        """
        if span.get("output") is not None or span.failed:
            return False
        last = self._last_asked.get(self._tree.loop(span))
        return last is None or last.started < span.started

    def _approval(self, span: SdkSpan, call: ToolCall, state: Any) -> None:
        event = Approval(
            seq=len(self.events),
            source=self.source(span.id),
            ts=span.start,
            agent=self.agent,
            call_key=call.call_key,
            state=state,
        )
        self.events.append(event)

    def _outcome(self, span: SdkSpan, call: ToolCall) -> None:
        self._answered.add(call.call_key)
        self.result(
            self.source(span.id, "/span_data/output"),
            call.call_key,
            text_of(span.get("output")) or text_of(span.failure("message")),
            is_error=span.failed,
            ts=span.start,
            duration=span.duration,
        )

    def _handed(self, span: SdkSpan) -> None:
        """A handoff span. Of several handoffs in one reply it is the only one, and names all."""
        source = self.source(span.id)
        to = span.text("to_agent")
        wanted = span.failure("requested_agents")
        names = [w for w in wanted if isinstance(w, str)] if isinstance(wanted, list) else []
        opened = self._open.get(span.parent)
        calls = opened.waiting() if opened else []
        taken = to not in names
        for number, name in enumerate(names or ([to] if to else [])):
            call = _call_for(calls, name, number, len(names or [to]))
            if opened and call:
                opened.settle(call)
            first = len(names) < 2 or (name == to and not taken)
            taken = taken or first
            self.handoff(source, name, call, accepted=first)

    def _checked(self, span: SdkSpan) -> None:
        event = Guardrail(
            seq=len(self.events),
            source=self.source(span.id),
            ts=span.start,
            agent=self.agent,
            name=span.text("name") or "",
            triggered=span.get("triggered") is True,
        )
        self.events.append(event)


def _call_for(calls: list[ToolCall], agent: str, number: int, wanted: int) -> ToolCall | None:
    """The waiting call that asked for an agent: by position, else by the agent's name in it."""
    if len(calls) == wanted:
        return calls[number]
    short = "".join(filter(str.isalnum, agent)).lower()
    named = (c for c in calls if short in "".join(filter(str.isalnum, c.name)).lower())
    return next(named, None)


_TELL: dict[str, Callable[[SdkReplay, SdkSpan], None]] = {
    "generation": SdkReplay._asked,
    "response": SdkReplay._asked,
    "function": SdkReplay._ran,
    "handoff": SdkReplay._handed,
    "guardrail": SdkReplay._checked,
}
