"""What formats share in which a run is a list of objects, bare or under some key of an object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit
from agentcheck.trace.records import BROKEN, Records, value_of

Shape = Callable[[Any], bool]


def fit_list(value: Any, shape: Shape, what: str) -> Fit:
    """How well a record is such a list, or one item: 1 where more than half of it has the shape."""
    if shape(value):
        return FITS
    lists = [value] if isinstance(value, list) else _lists_in(value)
    if not lists:
        return NOT_AT_ALL
    best = max(_share(items, shape) for items in lists)
    return Fit(1.0 if best > 0.5 else best, f"too few objects have {what}")


def runs_of_lists(
    records: Records, shape: Shape, play: Callable[[str, int, list[Any]], Run]
) -> Iterator[Run | Skipped]:
    """The runs of a file: each record that is such a list, or all records as one list."""
    losses = Losses(records.name, records.unit)
    alone: list[Any] = []
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            yield from losses.broken(record.number, error)
            continue
        items = best_list(value, shape)
        if items:
            yield play(records.name, record.number, items)
        elif shape(value):
            alone.append(value)
        else:
            yield from losses.add(record.number, "of another shape; left out")
    if alone:
        yield play(records.name, 0, alone + [None] * losses.count)
    yield from losses.rest()


def best_list(value: Any, shape: Shape) -> list[Any]:
    """The longest list of a record that has items of the shape, bare or under a key."""
    lists = [value] if isinstance(value, list) else _lists_in(value)
    fitting = [items for items in lists if _share(items, shape) > 0.5]
    return max(fitting, key=len, default=[])


def _lists_in(value: Any) -> list[list[Any]]:
    if not isinstance(value, dict):
        return []
    return [item for item in value.values() if isinstance(item, list) and item]


def _share(items: list[Any], shape: Shape) -> float:
    return sum(map(shape, items)) / len(items) if items else 0.0
