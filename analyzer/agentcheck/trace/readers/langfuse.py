"""Observations of Langfuse: rows of them, pages of its API, or traces with `observations`.

Names are in camel case from the API and in snake case in batch exports. Read in langfuse 5.0.4
(`ObservationV2`); the older names of tokens and costs are those of its releases 2 and 3. An
observation of a kind that is not told (SPAN, CHAIN, EVENT) holds others and tells nothing itself.
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
from agentcheck.trace.readers.freeform import messages_in
from agentcheck.trace.readers.langsmith_facts import number
from agentcheck.trace.readers.node import GRAPH, Node
from agentcheck.trace.readers.openinference import SILENT
from agentcheck.trace.readers.rows import Row, RowShape, runs_of_rows
from agentcheck.trace.readers.usage import tokens
from agentcheck.trace.readers.wrapped import arguments_in, decoded, output_text
from agentcheck.trace.records import BROKEN, Buffer, Records

NAME = "Langfuse observations"
_OPERATIONS = {
    "GENERATION": "chat",
    "TOOL": "execute_tool",
    "AGENT": "invoke_agent",
    "RETRIEVER": "retrieval",
    "EMBEDDING": "embeddings",
    **dict.fromkeys(("SPAN", "EVENT", "CHAIN", "EVALUATOR", "GUARDRAIL"), SILENT),
}
_DEEPEST = 4
"""How deep pages and lists stand in one another."""
_ASKS = ("GraphInterrupt", "(Interrupt(", "NodeInterrupt")


class _Ids(Struct, gc=False):
    type: Any = None
    traceId: Any = None  # noqa: N815 the name of the format
    trace_id: Any = None


_IDS = msgspec.json.Decoder(_Ids)


def read_langfuse(records: Records) -> Iterator[Run | Skipped]:
    """The traces of a file, each as one run."""
    return runs_of_rows(records, RowShape(_rows, _trace, _node, _quick), lambda _: NAME)


def _quick(raw: Buffer) -> str | None:
    try:
        ids = _IDS.decode(raw)
    except BROKEN:
        return None
    found = ids.traceId or ids.trace_id
    return found if _is_kind(ids.type) and isinstance(found, str) else None


def _rows(value: Any, depth: int = 0) -> Iterator[Row]:
    """The observations of a record, each with the id of its trace."""
    if isinstance(value, list) and depth <= _DEEPEST:
        for item in value:
            yield from _rows(item, depth + 1)
    elif isinstance(value, dict):
        if _is_observation(value):
            yield value
        elif isinstance(value.get("observations"), list):
            yield from _inside(value)
        elif isinstance(value.get("data"), list):
            yield from _rows(value["data"], depth + 1)


def _inside(trace: Row) -> Iterator[Row]:
    head = trace.get("trace") if isinstance(trace.get("trace"), dict) else trace
    whose = (head or {}).get("id")
    for item in trace["observations"]:
        row = item if isinstance(item, dict) else {}
        yield row if _trace(row) else row | {"traceId": whose}


def _is_observation(row: Row) -> bool:
    return _is_kind(row.get("type"))


def _is_kind(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _OPERATIONS


def _get(row: Row, name: str) -> Any:
    """A field under its name in camel case, or in snake case."""
    if name in row:
        return row[name]
    return row.get("".join(f"_{c.lower()}" if c.isupper() else c for c in name))


def _trace(row: Row) -> str | None:
    found = _get(row, "traceId")
    return found if isinstance(found, str) and found else None


def _node(row: Row) -> Node | None:
    kind = row.get("type")
    if not isinstance(row.get("id"), str) or not isinstance(kind, str):
        return None
    why = _get(row, "statusMessage")
    node = Node(
        row["id"],
        _get(row, "parentObservationId"),
        (nanoseconds(_get(row, "startTime")), nanoseconds(_get(row, "endTime"))),
        {"gen_ai.operation.name": _OPERATIONS.get(kind, kind)},
        name=row.get("name"),
        failed=row.get("level") == "ERROR",
        why=why,
    )
    node.dialect = NAME
    node.waits = isinstance(why, str) and why.startswith(_ASKS)
    metadata = decoded(row.get("metadata"))
    if isinstance(metadata, dict):
        node.attributes[GRAPH] = metadata.get(GRAPH)
    if node.kind == "model":
        _asked(node, row)
    elif node.kind == "tool":
        _ran(node, row)
    elif node.kind == "agent":
        node.attributes["gen_ai.agent.name"] = node.name
    return node


def _asked(node: Node, row: Row) -> None:
    for field, role, ours in (
        ("input", "user", "gen_ai.input.messages"),
        ("output", "assistant", "gen_ai.output.messages"),
    ):
        found = messages_in(row.get(field), role)
        if found:
            node.attributes[ours] = found
            node.places[ours] = f"/{field}"
    node.attributes |= {k: v for k, v in _facts(row).items() if v is not None}


def _facts(row: Row) -> dict[str, Any]:
    model = _get(row, "model") or _get(row, "providedModelName")
    found = tokens(decoded(_get(row, "usageDetails"))) or tokens(row.get("usage")) or tokens(row)
    costs = decoded(_get(row, "costDetails"))
    total = _get(row, "totalCost") or _get(row, "calculatedTotalCost")
    given = decoded(row.get("input"))
    tools = given.get("tools") if isinstance(given, dict) else None
    return {
        "gen_ai.request.model": model,
        "gen_ai.response.model": model,
        "gen_ai.usage.input_tokens": found.get("input_tokens"),
        "gen_ai.usage.output_tokens": found.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": found.get("cache_read"),
        "gen_ai.usage.cache_creation.input_tokens": found.get("cache_creation"),
        "gen_ai.usage.cost": number(costs.get("total") if isinstance(costs, dict) else total),
        "gen_ai.tool.definitions": tools if isinstance(tools, list) else None,
    }


def _ran(node: Node, row: Row) -> None:
    node.attributes["gen_ai.tool.name"] = node.name
    node.ran_with(row.get("input"), arguments_in(row.get("input")))
    if row.get("output") is not None:
        node.attributes["gen_ai.tool.call.result"] = output_text(row["output"])


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    rows = [row for row in _rows(value) if _is_observation(row)]
    if any(_trace(row) and isinstance(row.get("id"), str) for row in rows):
        return FITS
    if rows:
        return Fit(0.6, "observations without the id of their trace")
    observed = value.get("observations")
    if isinstance(observed, list):
        if observed and all(isinstance(item, str) for item in observed):
            return Fit(0.9, "a Langfuse trace with the ids of its observations alone")
        return Fit(0.4, "`observations` without any of the kinds that Langfuse has")
    if "userId" in value and "sessionId" in value and "projectId" in value:
        return Fit(0.8, "a Langfuse trace without its `observations`")
    return Fit(0.05, "no observation with a `type` and the id of a trace")


_MARKS = ("traceId", "observations", "parentObservationId", "type", "input", "output")
LANGFUSE = Format(NAME, _fit, read_langfuse, marks=_MARKS)
