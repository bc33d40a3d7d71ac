"""The least that fits a JSON schema: arguments for a tool, or an answer of a demanded form.

Read as JSON Schema has it (the keywords of drafts 7 and 2020-12 that SDKs write): required
properties alone, the first of an enum or of alternatives, the shortest text and the least number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DEEPEST = 20  # of nested schemas; a schema that needs itself has no least value
TEXT = "text"
FORMATS = {
    "date": "2025-01-01",
    "date-time": "2025-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "duration": "P1D",
}


def sample(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """A small value that fits the schema; {} for one that says nothing.

    Type names are read in any case (Gemini writes OBJECT). A `pattern` is not looked at.
    """
    root = schema if root is None else root
    found = _given(schema)
    if found is not ABSENT:
        return found
    inner = _inner(schema, root)
    if inner is not None:
        return sample(inner, root, depth + 1) if depth < DEEPEST else None
    return _typed(schema, root, depth)


ABSENT = object()


def _given(schema: Mapping[str, Any]) -> Any:
    """A value that the schema itself names."""
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        values = _list(schema, key)
        if values:
            return values[0]
    return ABSENT


def _inner(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema that stands in for this one: a reference, an alternative, all of several."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _followed(reference, root)
    for key in ("anyOf", "oneOf", "any_of"):
        options = [option for option in _list(schema, key) if isinstance(option, Mapping)]
        if options:
            return options[0]
    parts = [_resolved(part, root) for part in _list(schema, "allOf")]
    return _merged([*parts, _without(schema, "allOf")]) if parts else None


def _resolved(part: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        return {}
    reference = part.get("$ref")
    return _followed(reference, root) if isinstance(reference, str) else part


def _followed(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for step in reference.lstrip("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _merged(parts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    whole: dict[str, Any] = {}
    for part in parts:
        properties = {**_mapping(whole, "properties"), **_mapping(part, "properties")}
        required = [*_list(whole, "required"), *_list(part, "required")]
        whole = {**whole, **part, "properties": properties, "required": required}
    return whole


def _without(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        kind = next((one for one in kind if one != "null"), "null")
    return str(kind).lower() if kind else "object"


def _typed(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = _kind(schema)
    if kind == "string":
        return _text(schema)
    if kind in ("integer", "number"):
        return _number(schema)
    if kind == "array":
        return _array(schema, root, depth)
    if kind == "boolean":
        return False
    return None if kind == "null" else _object(schema, root, depth)


def _text(schema: Mapping[str, Any]) -> str:
    text = FORMATS.get(str(schema.get("format")), TEXT)
    text += "." * (_count(schema, "minLength") - len(text))
    longest = schema.get("maxLength")
    return text[:longest] if isinstance(longest, int) else text


def _number(schema: Mapping[str, Any]) -> float:
    lower = _bound(schema, "minimum", "exclusiveMinimum", 1)
    upper = _bound(schema, "maximum", "exclusiveMaximum", -1)
    if lower is not None:
        return lower
    return 1 if upper is None else min(1, upper)


def _bound(schema: Mapping[str, Any], closed: str, opened: str, step: int) -> float | None:
    """A limit of a number; of an open one, the next whole number inside."""
    if _is_number(schema.get(closed)):
        return schema[closed]  # type: ignore[no-any-return]
    return schema[opened] + step if _is_number(schema.get(opened)) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _array(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> list[Any]:
    items = schema.get("items")
    if not isinstance(items, Mapping) or depth >= DEEPEST:
        return []
    return [sample(items, root, depth + 1)] * _count(schema, "minItems")


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = _mapping(schema, "properties")
    if depth >= DEEPEST:
        return {}
    wanted = [name for name in properties if name in _list(schema, "required")]
    parts = {name: properties[name] for name in wanted}
    return {
        name: sample(part if isinstance(part, Mapping) else {}, root, depth + 1)
        for name, part in parts.items()
    }


def _list(schema: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = schema.get(key)
    return found if isinstance(found, (list, tuple)) else ()


def _mapping(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, Mapping) else {}


def _count(schema: Mapping[str, Any], key: str) -> int:
    found = schema.get(key)
    return found if isinstance(found, int) else 0
