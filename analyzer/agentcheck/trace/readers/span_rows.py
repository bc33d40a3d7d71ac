"""Spans of OpenTelemetry as flat JSON rows: what Arize Phoenix exports, and the SDK's own JSON.

`{"name", "context": {"trace_id", "span_id"}, "parent_id", "start_time", "end_time", "attributes"}`
with attributes under dotted names, nested, or as JSON in a text; or the columns of Phoenix's data
frame, `context.span_id` and `attributes.llm.input_messages`. The shape is that of `to_json` in
opentelemetry-sdk 1.45; that of Phoenix is after its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.clock import nanoseconds
from agentcheck.trace.readers.dialects import translate
from agentcheck.trace.readers.message_events import messages_of_events
from agentcheck.trace.readers.node import Node, dialect
from agentcheck.trace.readers.openinference import KIND
from agentcheck.trace.readers.rows import Row, RowShape, runs_of_rows
from agentcheck.trace.readers.unflatten import flat
from agentcheck.trace.readers.wrapped import decoded
from agentcheck.trace.records import BROKEN, Buffer, Records

NAME = "rows of spans"
_PAGES = ("data", "spans")
_PREFIX = "attributes."


class _Context(Struct, gc=False):
    trace_id: Any = None


class _Ids(Struct, gc=False):
    context: _Context


_IDS = msgspec.json.Decoder(_Ids)


def read_span_rows(records: Records) -> Iterator[Run | Skipped]:
    """The traces of a file, each as one run."""
    return runs_of_rows(records, RowShape(_rows, _trace, _node, _quick), _form)


def _quick(raw: Buffer) -> str | None:
    try:
        found = _IDS.decode(raw).context.trace_id
    except BROKEN:
        return None
    return found if isinstance(found, str) and found else None


def _rows(value: Any) -> Iterator[Row]:
    items = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and not _is_span(value):
        items = next((value[key] for key in _PAGES if isinstance(value.get(key), list)), [])
    yield from (item for item in items if isinstance(item, dict) and _is_span(item))


def _id(row: Row, name: str) -> str | None:
    context = row.get("context")
    found = context.get(name) if isinstance(context, dict) else None
    found = found or row.get(f"context.{name}")
    return found if isinstance(found, str) and found else None


def _is_span(row: Row) -> bool:
    return _id(row, "trace_id") is not None or _id(row, "span_id") is not None


def _trace(row: Row) -> str | None:
    return _id(row, "trace_id")


def _node(row: Row) -> Node | None:
    span_id = _id(row, "span_id")
    if span_id is None:
        return None
    status = row.get("status") if isinstance(row.get("status"), dict) else {}
    code = row.get("status_code") or (status or {}).get("status_code")
    node = Node(
        span_id,
        row.get("parent_id") or row.get("parent_span_id"),
        (nanoseconds(row.get("start_time")), nanoseconds(row.get("end_time"))),
        _attributes(row),
        name=row.get("name"),
        failed=isinstance(code, str) and code.rpartition(".")[2] == "ERROR",
        why=row.get("status_message") or (status or {}).get("description"),
    )
    events = decoded(row.get("events"))
    if isinstance(events, list):
        messages_of_events(node, list(_events(events)))
    translate(node)
    return node


def _attributes(row: Row) -> dict[str, Any]:
    given = decoded(row.get("attributes"))
    found = flat(given) if isinstance(given, dict) else {}
    columns = {k[len(_PREFIX) :]: v for k, v in row.items() if k.startswith(_PREFIX)}
    found |= flat({k: v for k, v in columns.items() if v is not None})
    kind = row.get("span_kind")
    if isinstance(kind, str) and not kind.startswith("SpanKind") and kind != "UNKNOWN":
        found.setdefault(KIND, kind)
    return found


def _events(events: list[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    for event in events:
        if isinstance(event, dict):
            given = event.get("attributes")
            yield event.get("name"), flat(given) if isinstance(given, dict) else {}


def _form(nodes: list[Node]) -> str:
    return f"{NAME} with {dialect(nodes)} attributes"


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    rows = list(_rows(value))
    if any(_trace(row) and _id(row, "span_id") for row in rows):
        return FITS
    if rows:
        return Fit(0.8, "a span without the id of its trace or its own")
    return Fit(0.05, "no `context` with the ids of a span")


_MARKS = ("context", "trace_id", "span_id", "parent_id", "attributes")
SPAN_ROWS = Format(NAME, _fit, read_span_rows, marks=_MARKS)
