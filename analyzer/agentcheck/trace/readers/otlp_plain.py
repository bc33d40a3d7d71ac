"""GenAI spans of OTLP/JSON in their plainest shape: what of them is read, as decoded.

Plain are the names of the GenAI conventions, with no error and nothing beside them that a replay
would read: types and the attributes that are known here say so, and what else there is, is
replayed. All that a replay decodes is decoded here too, so that what it refuses is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from agentcheck.trace.readers.node import AGENT, MODEL
from agentcheck.trace.readers.otlp_replay import ARGUMENTS, INPUT, OUTPUT, RESULT
from agentcheck.trace.readers.otlp_spans import Traces, spans_of
from agentcheck.trace.readers.otlp_tree import CONVERSATION
from agentcheck.trace.readers.otlp_values import is_read, whole
from agentcheck.trace.readers.traceloop import MESSAGES
from agentcheck.trace.records import BROKEN, Buffer

OPERATION, MODEL_NAMES = "gen_ai.operation.name", ("gen_ai.request.model", "gen_ai.response.model")
AGENT_NAME, LOOSE_NAME = "gen_ai.agent.name", "agent_name"
TOOL, CALL_ID, FINISH = "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.response.finish_reasons"
GIVEN = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
MADE = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
READ = ("gen_ai.usage.cache_read.input_tokens",)
WRITTEN = ("gen_ai.usage.cache_creation.input_tokens",)
COST = ("gen_ai.usage.cost", "operation.cost")
_TAKEN = frozenset(
    {
        OPERATION, *MODEL_NAMES, AGENT_NAME, LOOSE_NAME, TOOL, CALL_ID, FINISH, *GIVEN, *MADE,
        *READ, *WRITTEN, *COST, OUTPUT, INPUT, *ARGUMENTS, *RESULT, CONVERSATION,
    }
)  # fmt: skip
_REFUSED = ("gen_ai.system_instructions", "gen_ai.tool.definitions", *MESSAGES)
_Named = Annotated[str, Meta(min_length=1)]


_KINDS = {**dict.fromkeys(MODEL, "model"), **dict.fromkeys(AGENT, "agent"), "execute_tool": "tool"}


_UNSET = (UNSET, UNSET, UNSET)
_whole = lru_cache(4096)(whole)


class UnclearError(Exception):
    """What a replay would make of something takes a replay to tell."""


class _Text(Struct, forbid_unknown_fields=True, gc=False):
    stringValue: str  # noqa: N815 the names of the format


class _Array(Struct, forbid_unknown_fields=True, gc=False):
    values: list[_Text] = []


class Value(Struct, forbid_unknown_fields=True, gc=False):
    """An AnyValue of a plain kind, or several texts."""

    stringValue: str | UnsetType = UNSET  # noqa: N815
    intValue: str | int | UnsetType = UNSET  # noqa: N815
    boolValue: bool | UnsetType = UNSET  # noqa: N815
    doubleValue: int | float | UnsetType = UNSET  # noqa: N815
    arrayValue: _Array | UnsetType = UNSET  # noqa: N815

    def plain(self) -> Any:
        """The value. Raises UnclearError for several that are no texts."""
        if self.stringValue is not UNSET:
            return self.stringValue
        others = (self.boolValue, self.doubleValue, self.arrayValue)
        if others == _UNSET:
            return None if self.intValue is UNSET else _whole(self.intValue)
        found = [value for value in (self.intValue, *others) if value is not UNSET]
        if len(found) > 1:
            raise UnclearError
        return [t.stringValue for t in found[0].values] if type(found[0]) is _Array else found[0]


class _Pair(Struct, forbid_unknown_fields=True, gc=False):
    key: str
    value: Value


class PlainSpan(Struct, gc=False, rename={"record": "raw record"}):
    """A span; the fields are those of `OtlpSpan`, and `record` what it stands in."""

    traceId: str  # noqa: N815
    spanId: str  # noqa: N815
    parentSpanId: str | None = None  # noqa: N815
    name: Any = None
    startTimeUnixNano: Any = None  # noqa: N815
    endTimeUnixNano: Any = None  # noqa: N815
    attributes: list[_Pair] = []
    events: list[Any] | None = None
    status: dict[str, Any] | None = None
    record: Raw | bytes = b""


_decode = msgspec.json.Decoder(Traces[PlainSpan]).decode


def brief_spans(line: bytes) -> PlainSpan | list[PlainSpan] | None:
    """The spans of a record, without what they stand in; None where they are not plain."""
    try:
        found = spans_of(_decode(line))
    except BROKEN:
        return None
    return found[0] if len(found) == 1 else found


def plain_spans(record: Buffer) -> Sequence[PlainSpan] | None:
    """The spans of a record, None where they are not plain or there is none."""
    try:
        traces = _decode(record)
    except BROKEN:
        return None
    found = spans_of(traces)
    for span in found:
        span.record = record
    return found


Facts: TypeAlias = dict[str, Value]


class PlainNode(Struct, gc=False):
    """A span's place in the tree, its kind (as `Node` has it), and its attributes.

    `order` is the start, 0 where there is none.
    """

    id: str
    parent: str | None
    start: int | None
    order: int
    kind: str
    facts: Facts


def text_in(facts: Facts, key: str) -> str | None:
    """An attribute that is a text and not empty."""
    value = facts.get(key)
    return None if value is None else value.stringValue or None


def plain_in(facts: Facts, keys: Sequence[str]) -> Any:
    """The first of some attributes that there is, UNSET for none. Raises UnclearError."""
    for key in keys:
        if key in facts:
            return facts[key].plain()
    return UNSET


def count(facts: Facts, keys: Sequence[str]) -> int | None:
    """The first of some attributes that is a whole number. Raises UnclearError."""
    for key in keys:
        if key in facts:
            value = facts[key].plain()
            if type(value) is int:
                return value
    return None


def plain_node(span: PlainSpan) -> PlainNode:
    """What a span holds. Raises UnclearError."""
    if span.events or (span.status and span.status.get("code") in (2, "STATUS_CODE_ERROR")):
        raise UnclearError
    facts = {pair.key: pair.value for pair in span.attributes}
    if not facts.keys() <= _clear:
        _look_up(facts)
    start = whole(span.startTimeUnixNano)
    return PlainNode(span.spanId, span.parentSpanId or None, start, start or 0, _kind(facts), facts)


_clear = set(_TAKEN)
"""Attributes known to be taken, or to say nothing."""
_MOST = 4096


def _look_up(facts: Facts) -> None:
    """Raises UnclearError where an attribute says something that takes a replay."""
    for key in facts:
        if key not in _clear:
            silent = key.startswith("gen_ai.") and not key.startswith(_REFUSED)
            if is_read(key) and not silent:
                raise UnclearError
            if len(_clear) < _MOST:
                _clear.add(key)


def _kind(facts: Facts) -> str:
    operation = text_in(facts, OPERATION)
    if operation is not None:
        return _KINDS.get(operation, operation)
    return "model" if text_in(facts, MODEL_NAMES[0]) is not None else ""


class _TextPart(Struct, tag="text", tag_field="type", forbid_unknown_fields=True, gc=False):
    content: str


class CallPart(Struct, tag="tool_call", tag_field="type", forbid_unknown_fields=True, gc=False):
    """A call that a reply asks for."""

    id: _Named
    name: _Named
    arguments: Any = None


class _Message(Struct, forbid_unknown_fields=True, gc=False):
    parts: list[_TextPart | CallPart]
    role: Any = None
    name: Any = None
    finish_reason: str | UnsetType | None = UNSET


_messages_in = msgspec.json.Decoder(list[_Message]).decode
_items_in = msgspec.json.Decoder(list[dict[str, Any]]).decode


class Reply(Struct, gc=False):
    """What a model answered: `finish` is why it ended, `ends` whether there is a place for that."""

    text: str
    calls: list[CallPart]
    finish: str | None
    ends: bool


def reply_in(output: Any) -> Reply:
    """The reply of an output. Raises UnclearError."""
    try:
        messages = _messages_in(output)
    except (*BROKEN, TypeError):
        raise UnclearError from None
    if len(messages) == 1 and len(messages[0].parts) == 1:
        return _short(messages[0])
    said: list[str] = []
    calls: list[CallPart] = []
    finish, ends = None, False
    for message in messages:
        texts = [part.content for part in message.parts if type(part) is _TextPart and part.content]
        said += ["\n".join(texts)] if texts else ()
        calls += [part for part in message.parts if type(part) is CallPart]
        if message.finish_reason is not UNSET:
            finish, ends = finish or message.finish_reason or None, True
    return Reply("\n".join(said), calls, finish, ends)


def _short(message: _Message) -> Reply:
    """The reply of one message of one part, as most are."""
    part, finish = message.parts[0], message.finish_reason
    ends = finish is not UNSET
    if isinstance(part, CallPart):
        return Reply("", [part], finish or None, ends)
    return Reply(part.content, [], finish or None, ends)


def items_in(given: str) -> list[dict[str, Any]]:
    """The messages of an input. Raises UnclearError."""
    try:
        items = _items_in(given)
    except BROKEN:
        raise UnclearError from None
    if any("@" in item for item in items):
        raise UnclearError
    return items
