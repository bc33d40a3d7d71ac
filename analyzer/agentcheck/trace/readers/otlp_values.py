"""Attributes of OTLP/JSON as plain values. int64 is a string there."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import UNSET, Struct, UnsetType

STEPS = 64
"""How deep values are followed, and how far up a tree is climbed."""
_READ = frozenset(
    {
        "agent_name",
        "error.type",
        "metadata",
        "model_request_parameters",
        "operation.cost",
        "pydantic_ai.all_messages",
        "tool_arguments",
        "tool_response",
    }
)
_PREFIXES = (
    "gen_ai.", "llm.", "tool.", "input.", "output.", "openinference.", "traceloop.", "agent.",
    "session.", "tool_call.",
)  # fmt: skip


class Value(Struct, gc=False, forbid_unknown_fields=True):
    """An AnyValue of the plain kinds."""

    stringValue: str | UnsetType = UNSET  # noqa: N815 the names of the format
    intValue: str | int | UnsetType = UNSET  # noqa: N815
    boolValue: bool | UnsetType = UNSET  # noqa: N815
    doubleValue: int | float | UnsetType = UNSET  # noqa: N815

    def plain(self) -> Any:
        """As `plain` of what is told here."""
        if self.stringValue is not UNSET:
            return self.stringValue
        if self.intValue is not UNSET:
            return whole(self.intValue)
        return next((v for v in (self.boolValue, self.doubleValue) if v is not UNSET), None)


class Pair(Struct, gc=False, forbid_unknown_fields=True):
    """An attribute with a value of a plain kind."""

    key: str
    value: Value


def attributes_in(pairs: list[Pair]) -> dict[str, Any]:
    """As `attributes_of`, of those that are read."""
    return {
        pair.key: pair.value.stringValue
        if pair.value.stringValue is not UNSET
        else pair.value.plain()
        for pair in pairs
        if is_read(pair.key)
    }


def attributes_of(pairs: Any, *, every: bool = False) -> dict[str, Any]:
    """A list of `{"key", "value": AnyValue}` as a mapping, of those that are read or of `every`.

    What is no pair is left out.
    """
    found: dict[str, Any] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        key = pair.get("key") if isinstance(pair, dict) else None
        if isinstance(key, str) and (every or is_read(key)):
            found[key] = plain(pair.get("value"))
    return found


@lru_cache(4096)
def is_read(key: str) -> bool:
    """Whether an attribute says anything about an agent's run."""
    return key.startswith(_PREFIXES) or key in _READ


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
    if type(value) is str and value.isdecimal() and value.isascii() and len(value) < 25:
        return int(value)
    if isinstance(value, str) and value.isascii() and value.lstrip("-").isdigit():
        return int(value) if len(value) < 25 else None
    return None


def _values(inner: Any) -> list[Any]:
    values = inner.get("values") if isinstance(inner, dict) else None
    return values if isinstance(values, list) else []
