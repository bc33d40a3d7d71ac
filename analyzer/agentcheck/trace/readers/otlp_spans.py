"""OTLP/JSON: spans out of their envelopes, and attributes as plain values.

int64 is a string there, ids are hex (base64 where a plain protobuf encoder wrote them; either is
only ever compared).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agentcheck.trace.records import BROKEN, Buffer, strict, value_of

STEPS = 64
_MODEL = frozenset({"chat", "text_completion", "generate_content"})
_AGENT = frozenset({"invoke_agent", "invoke_workflow"})
_READ = frozenset(
    {
        "agent_name",
        "model_request_parameters",
        "pydantic_ai.all_messages",
        "tool_arguments",
        "tool_response",
    }
)


class OtlpSpan(Struct, gc=False):
    """A span as written; everything is tolerated in each field."""

    traceId: Any = None  # noqa: N815 the names of the format
    spanId: Any = None  # noqa: N815
    parentSpanId: Any = None  # noqa: N815
    name: Any = None
    startTimeUnixNano: Any = None  # noqa: N815
    endTimeUnixNano: Any = None  # noqa: N815
    attributes: Any = None
    events: Any = None
    status: Any = None


class _Scope(Struct, gc=False):
    spans: list[OtlpSpan] = []


class _Resource(Struct, gc=False):
    scopeSpans: list[_Scope] = []  # noqa: N815


class _Traces(Struct, gc=False):
    resourceSpans: list[_Resource]  # noqa: N815


class _Id(Struct, gc=False):
    traceId: Any = None  # noqa: N815


class _IdScope(Struct, gc=False):
    spans: list[_Id] = []


class _IdResource(Struct, gc=False):
    scopeSpans: list[_IdScope] = []  # noqa: N815


class _IdTraces(Struct, gc=False):
    resourceSpans: list[_IdResource]  # noqa: N815


_SPANS = msgspec.json.Decoder(_Traces)
_IDS = msgspec.json.Decoder(_IdTraces)


def trace_ids(raw: Buffer) -> list[str]:
    """The traces that a record has spans of, each once. Raises ValueError for another shape."""
    try:
        found = _IDS.decode(raw)
    except BROKEN:
        found = _IDS.decode(strict(raw))
    ids = (s.traceId for r in found.resourceSpans for scope in r.scopeSpans for s in scope.spans)
    return list(dict.fromkeys(i for i in ids if isinstance(i, str)))


def spans_in(raw: Buffer) -> list[OtlpSpan]:
    """The spans of a record. Raises ValueError for another shape."""
    try:
        found = _SPANS.decode(raw)
    except BROKEN:
        found = _SPANS.decode(strict(raw))
    return [span for r in found.resourceSpans for scope in r.scopeSpans for span in scope.spans]


class Node:
    """A span with its attributes as a mapping."""

    __slots__ = ("attributes", "end", "id", "parent", "span", "start")

    def __init__(self, span: OtlpSpan) -> None:
        self.span = span
        self.id = span.spanId
        self.parent = span.parentSpanId if isinstance(span.parentSpanId, str) else None
        self.start = whole(span.startTimeUnixNano)
        self.end = whole(span.endTimeUnixNano)
        self.attributes = attributes_of(span.attributes)
        for event in span.events if isinstance(span.events, list) else []:
            self.attributes.update(_message_attributes(event))

    @property
    def kind(self) -> str:
        """ "model", "tool", "agent", another GenAI operation by its name, or "" for none."""
        operation = self.get("gen_ai.operation.name")
        if operation in _MODEL:
            return "model"
        if operation in _AGENT:
            return "agent"
        if operation == "execute_tool":
            return "tool"
        if operation is None and self.get("gen_ai.request.model"):
            return "model"
        return operation or ""

    def get(self, *keys: str) -> str | None:
        """The first of some attributes that is a text that is not empty."""
        for key in keys:
            value = self.attributes.get(key)
            if isinstance(value, str) and value:
                return value
        return None

    def count(self, *keys: str) -> int | None:
        """The first of some attributes that is a whole number."""
        for key in keys:
            value = self.attributes.get(key)
            if type(value) is int:
                return value
        return None

    def parsed(self, *keys: str) -> Any:
        """The first of some attributes that is there, decoded where it is JSON in a text."""
        value = next((self.attributes[key] for key in keys if key in self.attributes), None)
        if not isinstance(value, str):
            return value
        try:
            return value_of(value)
        except BROKEN:
            return value

    @property
    def failed(self) -> bool:
        """Whether the span's status is an error."""
        status = self.span.status
        return isinstance(status, dict) and status.get("code") in (2, "STATUS_CODE_ERROR")

    @property
    def seconds(self) -> float | None:
        """The start, in seconds since the epoch."""
        return None if self.start is None else self.start / 1e9

    @property
    def duration(self) -> float | None:
        """Seconds from start to end."""
        if self.start is None or self.end is None:
            return None
        return (self.end - self.start) / 1e9


def attributes_of(pairs: Any) -> dict[str, Any]:
    """A list of `{"key", "value": AnyValue}` as a mapping, of those that are read.

    What is no pair is left out.
    """
    found: dict[str, Any] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        key = pair.get("key") if isinstance(pair, dict) else None
        if isinstance(key, str) and (key.startswith("gen_ai.") or key in _READ):
            found[key] = plain(pair.get("value"))
    return found


def plain(value: Any, depth: int = 0) -> Any:
    """An AnyValue as a plain value; None for what is none."""
    if not isinstance(value, dict) or depth > STEPS:
        return None
    if "stringValue" in value:
        return value["stringValue"]
    for kind, inner in value.items():
        if kind == "intValue":
            return whole(inner)
        if kind == "arrayValue":
            return [plain(item, depth + 1) for item in _values(inner)]
        if kind == "kvlistValue":
            pairs = [p for p in _values(inner) if isinstance(p, dict)]
            return {str(p.get("key")): plain(p.get("value"), depth + 1) for p in pairs}
        return inner
    return None


def whole(value: Any) -> int | None:
    """An int64, which OTLP/JSON writes as a text."""
    if type(value) is int:
        return value
    if isinstance(value, str) and value.isascii() and value.lstrip("-").isdigit():
        return int(value) if len(value) < 25 else None
    return None


def _values(inner: Any) -> list[Any]:
    values = inner.get("values") if isinstance(inner, dict) else None
    return values if isinstance(values, list) else []


def _message_attributes(event: Any) -> Iterator[tuple[str, Any]]:
    """Messages may stand in an event of the span instead of its attributes."""
    if isinstance(event, dict):
        for key, value in attributes_of(event.get("attributes")).items():
            if key.startswith("gen_ai."):
                yield key, value
