"""OTLP/JSON: spans out of their envelopes, as nodes of a tree.

Ids are hex (base64 where a plain protobuf encoder wrote them; either is only ever compared).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from agentcheck.trace.readers.dialects import translate
from agentcheck.trace.readers.message_events import messages_of_events
from agentcheck.trace.readers.node import Node
from agentcheck.trace.readers.otlp_values import Pair, attributes_in, attributes_of, whole
from agentcheck.trace.records import BROKEN, Buffer, strict


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


class PlainSpan(Struct, gc=False):
    """A span with attributes of plain kinds alone, which are decoded faster."""

    traceId: str  # noqa: N815
    spanId: Any = None  # noqa: N815
    parentSpanId: Any = None  # noqa: N815
    name: Any = None
    startTimeUnixNano: Any = None  # noqa: N815
    endTimeUnixNano: Any = None  # noqa: N815
    attributes: list[Pair] = []
    events: Any = None
    status: Any = None


AnySpan: TypeAlias = OtlpSpan | PlainSpan
_S = TypeVar("_S")


class _Scope(Struct, Generic[_S], gc=False):
    spans: list[_S] = []


class _Resource(Struct, Generic[_S], gc=False):
    scopeSpans: list[_Scope[_S]] = []  # noqa: N815


class Traces(Struct, Generic[_S], gc=False):
    """A record with spans of some type."""

    resourceSpans: list[_Resource[_S]]  # noqa: N815


class _Id(Struct, gc=False):
    traceId: Any = None  # noqa: N815


class _IdScope(Struct, gc=False):
    spans: list[_Id] = []


class _IdResource(Struct, gc=False):
    scopeSpans: list[_IdScope] = []  # noqa: N815


class _IdTraces(Struct, gc=False):
    resourceSpans: list[_IdResource]  # noqa: N815


_PLAIN = msgspec.json.Decoder(Traces[PlainSpan])
_SPANS = msgspec.json.Decoder(Traces[OtlpSpan])
_IDS = msgspec.json.Decoder(_IdTraces)


def trace_ids(raw: Buffer) -> list[str]:
    """The traces that a record has spans of, each once. Raises ValueError for another shape."""
    try:
        found = _IDS.decode(raw)
    except BROKEN:
        found = _IDS.decode(strict(raw))
    ids = (s.traceId for r in found.resourceSpans for scope in r.scopeSpans for s in scope.spans)
    return list(dict.fromkeys(i for i in ids if isinstance(i, str)))


def spans_in(raw: Buffer) -> Sequence[AnySpan]:
    """The spans of a record. Raises ValueError for another shape."""
    try:
        return spans_of(_PLAIN.decode(raw))
    except BROKEN:
        pass
    try:
        return spans_of(_SPANS.decode(raw))
    except BROKEN:
        return spans_of(_SPANS.decode(strict(raw)))


def spans_of(found: Traces[_S]) -> list[_S]:
    """All spans of a record."""
    if len(found.resourceSpans) == 1 and len(found.resourceSpans[0].scopeSpans) == 1:
        return found.resourceSpans[0].scopeSpans[0].spans
    return [span for r in found.resourceSpans for scope in r.scopeSpans for span in scope.spans]


def nodes_of(spans: Sequence[AnySpan]) -> tuple[list[Node], int]:
    """The spans that have an id, and how many have none."""
    named = [s for s in spans if isinstance(s.spanId, str)]
    return [_node(span) for span in named], len(spans) - len(named)


def _node(span: AnySpan) -> Node:
    status = span.status if isinstance(span.status, dict) else {}
    node = Node(
        span.spanId,
        span.parentSpanId,
        (whole(span.startTimeUnixNano), whole(span.endTimeUnixNano)),
        attributes_in(span.attributes)
        if type(span) is PlainSpan
        else attributes_of(span.attributes),
        name=span.name,
        failed=status.get("code") in (2, "STATUS_CODE_ERROR"),
        why=status.get("message"),
    )
    if span.events and isinstance(span.events, list):
        messages_of_events(node, _events(span.events))
    translate(node)
    return node


def _events(events: list[Any]) -> list[tuple[Any, dict[str, Any]]]:
    return [
        (e.get("name"), attributes_of(e.get("attributes"), every=True))
        for e in events
        if isinstance(e, dict)
    ]
