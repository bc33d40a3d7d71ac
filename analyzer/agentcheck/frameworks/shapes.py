"""Shapes: what several entries of a data file share, written once.

A `[shape.NAME]` table holds keys; an entry that says `shape = "NAME"` gets them, and its own win.
Shapes may build on shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEEPEST = 8


class ShapeError(Exception):
    """An entry asks for a shape that is not there, or shapes build on each other in a circle."""


def fill(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data without its shapes, every entry with what its shape gives it.

    Raises ShapeError, whose message ends with the path of the entry.
    """
    shapes = data.get("shape", {})
    if not isinstance(shapes, Mapping):
        raise ShapeError("Expected `object` - at `$.shape`")
    return {key: _value(key, value, shapes) for key, value in data.items() if key != "shape"}


def _value(key: str, value: Any, shapes: Mapping[str, Any]) -> Any:
    if not isinstance(value, list):
        return value
    return [_entry(item, shapes, f"$.{key}[{index}]") for index, item in enumerate(value)]


def _entry(item: Any, shapes: Mapping[str, Any], path: str, depth: int = 0) -> Any:
    if not isinstance(item, dict) or "shape" not in item:
        return item
    name = item["shape"]
    shape = shapes.get(name) if isinstance(name, str) else None
    if not isinstance(shape, dict):
        raise ShapeError(f"No shape called {name!r} - at `{path}.shape`")
    if depth == _DEEPEST:
        raise ShapeError(f"Shapes build on each other in a circle - at `{path}.shape`")
    own = {key: value for key, value in item.items() if key != "shape"}
    return {**_entry(shape, shapes, path, depth + 1), **own}
