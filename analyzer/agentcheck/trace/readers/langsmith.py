"""Runs of LangSmith: `Client.list_runs` dumped, one a row, or nested in `child_runs`.

Read in langsmith 0.15.1 (`Run`) and in what langchain-core 1.8.3 traces. Messages stand in the
inputs and outputs as LangChain's serialised objects or as chat completions. A graph that stops to
ask a person leaves the error `GraphInterrupt` on the tool that asked; the answer begins another
trace. `ParentCommand` is how a tool hands over control, and no error.
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
from agentcheck.trace.readers.langsmith_facts import facts_of, model_of
from agentcheck.trace.readers.node import Node
from agentcheck.trace.readers.openinference import SILENT
from agentcheck.trace.readers.rows import Row, RowShape, runs_of_rows
from agentcheck.trace.readers.wrapped import arguments_in, output_text
from agentcheck.trace.records import BROKEN, Buffer, Records

NAME = "LangSmith runs"
_OPERATIONS = {
    "llm": "chat",
    "tool": "execute_tool",
    "retriever": "retrieval",
    "embedding": "embeddings",
    **dict.fromkeys(("chain", "prompt", "parser"), SILENT),
}
_PAGES = ("runs", "data")
_DEEPEST = 64
_ASKS = ("GraphInterrupt", "NodeInterrupt")
_HANDS_OVER = "ParentCommand"


class _Ids(Struct, gc=False):
    run_type: Any = None
    trace_id: Any = None


_IDS = msgspec.json.Decoder(_Ids)


def read_langsmith(records: Records) -> Iterator[Run | Skipped]:
    """The traces of a file, each as one run."""
    return runs_of_rows(records, RowShape(_rows, _trace, _node, _quick), lambda _: NAME)


def _quick(raw: Buffer) -> str | None:
    try:
        ids = _IDS.decode(raw)
    except BROKEN:
        return None
    both = isinstance(ids.run_type, str) and isinstance(ids.trace_id, str)
    return ids.trace_id or None if both else None


def _rows(value: Any) -> Iterator[Row]:
    items = value if isinstance(value, list) else [value]
    if isinstance(value, dict) and not _is_run(value):
        items = next((value[key] for key in _PAGES if isinstance(value.get(key), list)), [])
    found = [row for item in items for row in _nested(item, None, 0)]
    yield from sorted(found, key=_order)


def _nested(row: Any, trace: str | None, depth: int) -> Iterator[Row]:
    """A run and those below it, which may leave out the trace's id."""
    if not isinstance(row, dict) or not _is_run(row) or depth > _DEEPEST:
        return
    trace = _text(row, "trace_id") or trace or _text(row, "id")
    yield row if row.get("trace_id") else row | {"trace_id": trace}
    children = row.get("child_runs")
    for child in children if isinstance(children, list) else []:
        if isinstance(child, dict) and _is_run(child):
            yield from _nested({"parent_run_id": row.get("id")} | child, trace, depth + 1)
        else:
            yield {"trace_id": trace, "run_type": ""}


def _is_run(row: Row) -> bool:
    return isinstance(row.get("run_type"), str)


def _order(row: Row) -> str:
    return _text(row, "dotted_order") or ""


def _trace(row: Row) -> str | None:
    return _text(row, "trace_id")


def _text(row: Row, key: str) -> str | None:
    value = row.get(key)
    return value if isinstance(value, str) and value else None


def _node(row: Row) -> Node | None:
    run_id = _text(row, "id")
    if run_id is None:
        return None
    error = _text(row, "error") or ""
    node = Node(
        run_id,
        row.get("parent_run_id"),
        (nanoseconds(row.get("start_time")), nanoseconds(row.get("end_time"))),
        {"gen_ai.operation.name": _OPERATIONS.get(row["run_type"], row["run_type"])},
        name=row.get("name"),
        failed=bool(error or row.get("status") == "error") and not error.startswith(_HANDS_OVER),
        why=error,
    )
    node.waits = error.startswith(_ASKS) or row.get("status") == "interrupted"
    node.dialect = NAME
    node.attributes |= {k: v for k, v in facts_of(row).items() if v is not None}
    if node.kind == "model":
        _asked(node, row)
    elif node.kind == "tool":
        _ran(node, row)
    return node


def _asked(node: Node, row: Row) -> None:
    for field, role, ours in (
        ("inputs", "user", "gen_ai.input.messages"),
        ("outputs", "assistant", "gen_ai.output.messages"),
    ):
        found = messages_in(row.get(field), role)
        if found:
            node.attributes[ours] = found
            node.places[ours] = f"/{field}"
    said = node.attributes.get("gen_ai.output.messages", [])
    node.attributes |= {k: v for k, v in model_of(row, said).items() if v is not None}


def _ran(node: Node, row: Row) -> None:
    node.attributes["gen_ai.tool.name"] = node.name
    node.ran_with(row.get("inputs"), arguments_in(row.get("inputs")))
    if row.get("outputs"):
        node.attributes["gen_ai.tool.call.result"] = output_text(row["outputs"])


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    rows = list(_rows(value))
    if any(
        _trace(row) and _text(row, "id") and ("inputs" in row or "outputs" in row) for row in rows
    ):
        return FITS
    if rows:
        return Fit(0.8, "a run without its id, or without inputs and outputs")
    if "dotted_order" in value:
        return Fit(0.7, "a run without `run_type`")
    return Fit(0.05, "no `run_type`")


_MARKS = ("run_type", "trace_id", "dotted_order", "inputs", "outputs")
LANGSMITH = Format(NAME, _fit, read_langsmith, marks=_MARKS)
