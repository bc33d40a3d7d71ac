"""Spans that stand as rows of their own, or in pages of them: each trace is one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentcheck.model.event import FieldGroup, Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.grouping import Group, grouped
from agentcheck.trace.readers.node import Node
from agentcheck.trace.readers.otlp_replay import OtlpReplay
from agentcheck.trace.readers.otlp_tree import OtlpTree
from agentcheck.trace.records import Buffer, ForeignError, Records, value_of

Row = dict[str, Any]
KNOWN: tuple[FieldGroup, ...] = ()


class RowShape:
    """How a service writes its spans.

    `rows` finds those of a decoded record, `key` gives the id of a row's trace, `node` makes a
    span of a row, None for one without an id. `quick` gives the id of the trace where a record is
    one row, without decoding the rest of it; None where that cannot be told.
    """

    def __init__(
        self,
        rows: Callable[[Any], Iterable[Row]],
        key: Callable[[Row], str | None],
        node: Callable[[Row], Node | None],
        quick: Callable[[Buffer], str | None],
    ) -> None:
        self.rows = rows
        self.key = key
        self.node = node
        self.quick = quick


def runs_of_rows(
    records: Records, shape: RowShape, form: Callable[[list[Node]], str]
) -> Iterator[Run | Skipped]:
    """The traces of a file in which a model or a tool was called, each as one run."""
    count = idle = 0
    for group in grouped(records, _keys(shape), _decoder(shape), shape.key):
        if isinstance(group, Skipped):
            yield group
            continue
        runs = list(_runs(records.name, group, shape, form, count))
        idle += not runs
        count += len(runs)
        yield from runs
    if idle:
        yield Skipped(records.name, f"{idle} traces without a call of a model or a tool")


def _keys(shape: RowShape) -> Callable[[Buffer], list[str]]:
    def keys(raw: Buffer) -> list[str]:
        key = shape.quick(raw)
        if key is not None:
            return [key]
        found = dict.fromkeys(shape.key(row) for row in shape.rows(value_of(raw)))
        if not found:
            raise ForeignError("no span")
        if None in found:
            raise ForeignError("a span without the id of its trace")
        return [key for key in found if key is not None]

    return keys


def _decoder(shape: RowShape) -> Callable[[Buffer], list[Row]]:
    return lambda raw: list(shape.rows(value_of(raw)))


def _runs(
    name: str, group: Group[Row], shape: RowShape, form: Callable[[list[Node]], str], first: int
) -> Iterator[Run]:
    nodes = [shape.node(row) for row in group.held]
    named = [node for node in nodes if node is not None]
    tree = OtlpTree(named, len(nodes) - len(named))
    number = first
    for conversation, held in tree.conversations().items():
        if not any(node.kind in ("model", "tool") for node in held):
            continue
        replay = OtlpReplay(name, number, tree, KNOWN)
        replay.play(held)
        replay.unknown += group.lost + tree.nameless + (len(tree.orphans) if group.torn else 0)
        yield replay.finish(conversation or group.key, form(held))
        number += 1
