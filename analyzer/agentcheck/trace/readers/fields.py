"""Reading keys of decoded objects that may hold anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.trace.readers.agents_sdk_spans import seconds
from agentcheck.trace.readers.clock import nanoseconds


def as_dict(value: Any) -> dict[str, Any]:
    """An object as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list as it is, anything else as an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str | None:
    """A text that says something, else None."""
    return value if isinstance(value, str) and value else None


def as_count(value: Any) -> int | None:
    """A whole number from 0 on, else None."""
    return value if type(value) is int and value >= 0 else None


def as_amount(value: Any) -> float | None:
    """A number that is no truth value, else None."""
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else None


def when(stamp: Any) -> float | None:
    """A time as text or number, in seconds since the epoch."""
    if isinstance(stamp, str):
        return seconds(stamp)
    found = nanoseconds(stamp)
    return None if found is None else found / 1e9


def first(value: dict[str, Any], *keys: str) -> Any:
    """The value under the first of some keys that holds one; None where none does."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def numbered(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list with their indexes."""
    for index, item in enumerate(as_list(value)):
        if isinstance(item, dict):
            yield index, item


def no_objects(value: Any) -> int:
    """How many items of a list are no objects, and so cannot be read as what they should be."""
    return sum(not isinstance(item, dict) for item in as_list(value))
