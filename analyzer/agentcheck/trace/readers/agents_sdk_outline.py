"""Plain spans of the OpenAI Agents SDK, in order of their start -> the outline of a run.

They are gone through as a replay goes through them (`agents_sdk_replay`), with no events between.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TypeAlias

from msgspec import Raw, Struct

from agentcheck.model.event import FieldGroup
from agentcheck.trace.arguments import arguments_in
from agentcheck.trace.outline import Outline
from agentcheck.trace.prices import whole_input
from agentcheck.trace.readers.agents_sdk_plain import (
    SILENT,
    Agent,
    Custom,
    Function,
    Generation,
    Item,
    PlainObject,
    Usage,
    decode_items,
)
from agentcheck.trace.readers.agents_sdk_replay import KNOWN
from agentcheck.trace.readers.agents_sdk_spans import STEPS
from agentcheck.trace.records import BROKEN
from agentcheck.trace.tally import Tally


def plain_run(held: Iterable[PlainObject], lost: int) -> Outline | None:
    """The outline of a trace of which so many records were lost, None where it cannot be told."""
    head: PlainObject | None = None
    spans: dict[str, PlainObject] = {}
    count = 0
    for each in held:
        if each.object == "trace":
            head = head or each
        else:
            spans[each.id] = each
            count += 1
    if len(spans) != count:
        return None
    workflow = head.workflow_name if head is not None else None
    name = workflow if isinstance(workflow, str) and workflow else "run"
    try:
        return _Walk(spans).told(name, lost)
    except _UnclearError:
        return None


class _UnclearError(Exception):
    """What a replay would make of a span takes a replay to tell."""


class _Call(Struct, gc=False):
    name: str
    raw: str
    waiting: bool = True
    answered: bool = False


_Place: TypeAlias = tuple[str | None, str | None]
"""The agent that a span happened in, and the id of its task."""


class _Walk:
    """The spans of one trace, in order of their start, as a replay goes through them."""

    __slots__ = (
        "_before", "_by_id", "_calls", "_heard", "_known", "_open", "_places", "_spans", "_tally"
    )  # fmt: skip

    def __init__(self, spans: dict[str, PlainObject]) -> None:
        self._spans = spans
        self._places: dict[str | None, _Place] = {None: (None, None)}
        self._before: dict[str | None, tuple[bytes, int]] = {}
        self._heard: set[tuple[str, str, str | None]] = set()
        self._open: dict[str | None, list[_Call]] = {}
        self._by_id: dict[str, _Call] = {}
        self._calls: list[_Call] = []
        self._known: set[FieldGroup] = set(KNOWN)
        self._tally = Tally()

    def told(self, name: str, lost: int) -> Outline:
        """The outline of a run of this name. Raises _UnclearError."""
        spans = self._spans
        orphans = {each.parent_id for each in spans.values()} - spans.keys() - {None}
        for span in sorted(spans.values(), key=attrgetter("started_at")):
            data = span.span_data
            kind = type(data)
            if type(data) is Generation:
                self._asked(span.parent_id, data)
            elif type(data) is Function:
                self._ran(span.parent_id, data)
            elif kind is Agent or (type(data) is Custom and data.kind in SILENT):
                continue
            else:
                raise _UnclearError
            if span.started_at:
                self._known.add("time")
        self._tally.flags.paired = all([call.answered for call in self._calls])  # noqa: C419 - quick
        return self._tally.outline(name, frozenset(self._known), lost + len(orphans))

    def _asked(self, parent: str | None, data: Generation) -> None:
        agent, loop = self._places.get(parent) or self._climbed(parent)
        tally = self._tally
        self._given(agent, loop, data.input)
        tally.reply(loop, agent, self._used(data.usage))
        if data.model and type(data.model) is str:
            tally.flags.named = True
        self._open[parent] = opened = []
        if data.output is None:
            return
        self._known.add("content")
        text = "\n".join(filter(None, [item.text() for item in data.output]))
        if text:
            tally.message("assistant", text, agent)
        for item in data.output:
            if item.type == "function_call":
                if item.name is None or item.arguments is None or item.call_id is None:
                    raise _UnclearError
                opened.append(self._call(item.name, item.arguments, item.call_id))
            if item.tool_calls:
                made = ((c.function.name, c.function.arguments, c.id) for c in item.tool_calls)
                opened += [self._call(*call) for call in made]

    def _used(self, usage: Usage | None) -> int | None:
        if usage is None:
            return None
        self._known.add("usage")
        details = usage.input_tokens_details
        cached = details.get("cached_tokens") if details else None
        if type(cached) is int:
            self._tally.flags.cached = True
            return whole_input(usage.input_tokens, cached, None)
        return max(usage.input_tokens, 0)

    def _call(self, name: str, raw: str, call_id: str) -> _Call:
        self._tally.call(name, raw, arguments_in(raw))
        call = self._by_id[call_id] = _Call(name, raw)
        self._calls.append(call)
        return call

    def _ran(self, parent: str | None, data: Function) -> None:
        waiting = [c for c in self._open.get(parent, ()) if c.waiting and c.name == data.name]
        if not waiting:
            raise _UnclearError
        call = next((c for c in waiting if c.raw == data.input), waiting[0])
        call.waiting, call.answered = False, True
        self._known.add("content")
        self._tally.result(data.output)

    def _given(self, agent: str | None, loop: str | None, given: Raw) -> None:
        """What an input of a loop holds for the first time.

        The one before stands at its head as it is written, or else there was none.
        """
        raw = bytes(given)
        before, count = self._before.get(loop) or (b"", 0)
        if raw == before and count:
            return
        if not count:
            items = [] if raw == b"null" else _decoded(raw)
        else:
            head = len(before) - 1
            if raw[:head] != before[:-1] or raw[head : head + 1] != b",":
                raise _UnclearError
            items = _decoded(b"[" + raw[head + 1 :])
        self._before[loop] = raw, count + len(items)
        new: list[tuple[str, str, str | None]] = []
        for at, item in enumerate(items, count):
            told = _given_by(item)
            if told is not None and (count or told not in self._heard):
                new.append(told)
                self._hear(told, agent, at)
        self._heard.update(new)

    def _hear(self, told: tuple[str, str, str | None], agent: str | None, at: int) -> None:
        role, text, call_id = told
        if call_id is not None:
            call = self._by_id.get(call_id)
            if call is not None and not call.answered:
                call.answered = True
                self._tally.result(text)
        elif text:
            self._tally.message(role, text, agent, str(at))

    def _climbed(self, parent: str | None) -> _Place:
        agent = loop = None
        above, steps = parent, 0
        while above is not None and steps < STEPS:
            span = self._spans.get(above)
            if span is None:
                break
            data = span.span_data
            if not agent:
                agent = _agent_of(data)
            if loop is None and (type(data) is Function or _is_task(data)):
                loop = above
            above, steps = span.parent_id, steps + 1
        self._places[parent] = agent, loop
        return agent, loop


def _given_by(item: Item) -> tuple[str, str, str | None] | None:
    """The role, the text, and the call that is answered; None for what the model said."""
    if item.type == "function_call_output":
        return None if item.call_id is None else ("tool", item.output or "", item.call_id)
    if item.role == "tool":
        return None if item.tool_call_id is None else ("tool", item.text(), item.tool_call_id)
    if item.role is None or item.role == "assistant":
        return None
    return item.role, item.text(), None


def _is_task(data: object) -> bool:
    return type(data) is Custom and data.kind == "task"


def _decoded(raw: bytes) -> list[Item]:
    try:
        return decode_items(raw)
    except BROKEN:
        raise _UnclearError from None


def _agent_of(data: object) -> str | None:
    if type(data) is Agent:
        return data.name or None
    name = data.data.get("agent_name") if type(data) is Custom else None
    return name if isinstance(name, str) and name else None
