"""Lists of objects out of dotted attribute names: `llm.input_messages.0.message.role`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

DEEPEST = 12
"""How deep dotted names and nested attributes are followed."""
MOST = 100_000
"""An index at and past which no list goes on."""


def listed(attributes: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """The items below a name, each with its index as text, in order.

    They may be there as dotted names, as a list, or as both mixed: items of the list with dotted
    names in them.
    """
    whole = attributes.get(name)
    if isinstance(whole, list):
        return [(str(i), nested(item)) for i, item in enumerate(whole)]
    prefix = f"{name}."
    below = {k[len(prefix) :]: v for k, v in attributes.items() if k.startswith(prefix)}
    return sorted(items_of(nested(below)), key=lambda item: int(item[0]))


def items_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The items of a list, or of an object whose keys are indexes."""
    if isinstance(value, list):
        yield from ((str(i), item) for i, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((k, v) for k, v in value.items() if _is_index(k))


def ordered(value: Any) -> list[Any]:
    """The items of a list, or of an object whose keys are indexes, in order."""
    return [item for _, item in sorted(items_of(value), key=lambda item: int(item[0]))]


def nested(value: Any, depth: int = 0) -> Any:
    """A value with the dotted names in it taken apart."""
    if isinstance(value, list) and depth < DEEPEST:
        return [nested(item, depth + 1) for item in value]
    if not isinstance(value, dict) or depth >= DEEPEST:
        return value
    found: dict[str, Any] = {}
    for name, inner in value.items():
        _put(found, str(name).split(".", DEEPEST), nested(inner, depth + 1))
    return found


def flat(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Nested attributes under their dotted names; each object and list is kept whole, too."""
    found: dict[str, Any] = {}
    _flatten(attributes, "", found, 0)
    return found


def _flatten(value: Mapping[str, Any], prefix: str, found: dict[str, Any], depth: int) -> None:
    for name, inner in value.items():
        key = f"{prefix}{name}"
        found[key] = inner
        if isinstance(inner, dict) and depth < DEEPEST:
            _flatten(inner, f"{key}.", found, depth + 1)


def _put(found: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names[:-1]:
        inner = found.get(name)
        if not isinstance(inner, dict):
            inner = found[name] = {}
        found = inner
    last = found.get(names[-1])
    if isinstance(last, dict) and isinstance(value, dict):
        last.update(value)
    elif not isinstance(last, dict):
        found[names[-1]] = value


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < len(str(MOST))
