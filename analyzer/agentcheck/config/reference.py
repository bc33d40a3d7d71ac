"""Every key of the configuration with its type, default and meaning, and the JSON schema of all.

`python -m agentcheck.config` prints the schema, `agentcheck config` the keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agentcheck.config.table import ConfigTable
from agentcheck.rule import Rule

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLE = "Configuration of agentcheck: agentcheck.toml, or [tool.agentcheck] of pyproject.toml"
TABLES = ("profile", "trace", "what-if")
FORMATS = "trace.formats"
"""The table whose tables the user names; NAME stands for that in the paths of their keys."""


class Key(msgspec.Struct, frozen=True):
    """A key: its path from the top, its type in words, its default as TOML, what it is for.

    The default is empty where there is none.
    """

    path: str
    type: str
    default: str
    says: str


def keys(rules: Iterable[Rule]) -> tuple[Key, ...]:
    """Every key in the order of the file, those of tables and of rules under their full paths."""
    schema = config_schema(rules)
    return tuple(_keys(schema, schema["properties"], ""))


def config_schema(rules: Iterable[Rule]) -> dict[str, Any]:
    """The JSON schema of a configuration, with the options of these rules."""
    made = ConfigTable.model_json_schema(by_alias=True)
    definitions: dict[str, Any] = made.pop("$defs", {})
    known = {rule.name: rule.options for rule in rules if rule.options}
    options = {name: _described(options) for name, options in sorted(known.items())}
    properties: dict[str, Any] = made["properties"]
    for name in TABLES:
        properties[name] = _in_place(properties[name], definitions)
    formats = properties["trace"]["properties"]["formats"]
    formats["additionalProperties"] = _in_place(formats["additionalProperties"], definitions)
    properties["rules"] |= {"properties": options, "additionalProperties": {"type": "object"}}
    properties["frameworks"]["additionalProperties"] = _frameworks(definitions)
    for value in _all_of(properties):
        value.pop("title", None)
    made.pop("title", None)
    return {"$schema": DIALECT, "title": TITLE, **made, "$defs": definitions}


def _in_place(value: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A table where it is used, with the tables in it, for each is used once."""
    if "$ref" not in value:
        return value
    table: dict[str, Any] = definitions.pop(value["$ref"].rpartition("/")[2])
    inner = {key: _in_place(item, definitions) for key, item in table["properties"].items()}
    own = {"description": value["description"]} if "description" in value else {}
    return table | {"properties": inner} | own


def schema_text(rules: Iterable[Rule]) -> str:
    """The JSON schema as the text of a file."""
    return msgspec.json.format(msgspec.json.encode(config_schema(rules))).decode() + "\n"


def _described(options: Any) -> dict[str, Any]:
    (where,), found = msgspec.json.schema_components([options], ref_template="#/$defs/{name}")
    table: dict[str, Any] = found[where["$ref"].rpartition("/")[2]]
    table.pop("title", None)
    table.pop("description", None)
    return table | {"additionalProperties": False}


def _frameworks(definitions: dict[str, Any]) -> dict[str, Any]:
    """A table of `[frameworks]`: a data file's, of which nothing need be there."""
    from agentcheck.frameworks.schema import Framework

    _, components = msgspec.json.schema_components([Framework], ref_template="#/$defs/{name}")
    for component in components.values():
        component.pop("required", None)  # a shape may bring it
        component["properties"]["shape"] = {"type": "string"}
        for value in _all_of(component["properties"]):
            value.pop("default", None)
    table: dict[str, Any] = components.pop("Framework")
    definitions |= components
    shapes = {"type": "object", "additionalProperties": {"type": "object"}}
    properties = {key: value for key, value in table["properties"].items() if key != "name"}
    properties["shape"] = shapes
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _all_of(value: Any) -> Iterable[dict[str, Any]]:
    """Every schema below some properties."""
    if isinstance(value, dict):
        for inner in value.values():
            if isinstance(inner, dict):
                yield inner
                yield from _all_of(inner)
            elif isinstance(inner, list):
                for item in inner:
                    if isinstance(item, dict):
                        yield item
                        yield from _all_of(item)


def _keys(schema: dict[str, Any], properties: dict[str, Any], above: str) -> Iterable[Key]:
    for name, value in properties.items():
        path = f"{above}{name}"
        default = value.get("default")
        shown = "" if default is None or "properties" in value else toml(default)
        yield Key(path, _type(value), shown, " ".join(value.get("description", "").split()))
        if path != "frameworks":
            yield from _keys(schema, value.get("properties", {}), f"{path}.")
        if path == FORMATS:
            yield from _keys(schema, value["additionalProperties"]["properties"], f"{path}.NAME.")


def _type(value: dict[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(_type(v) for v in value["anyOf"] if v.get("type") != "null")
    if "enum" in value:
        return ", ".join(word for word in value["enum"] if word is not None)
    kind = value.get("type", "table")
    if kind == "array" and "anyOf" in value.get("items", {}):
        return "list of plain values"
    if kind == "array":
        return f"list of {_type(value.get('items', {'type': 'string'}))}s"
    if kind == "object":
        inner: Any = value.get("additionalProperties")
        simple = isinstance(inner, dict) and ("enum" in inner or inner.get("type") == "array")
        return f"table of {_type(inner)}" if simple else "table"
    words: dict[str, str] = {"integer": "whole number", "boolean": "true or false"}
    return words.get(kind, str(kind))


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return f"[{', '.join(map(toml, items))}]"
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return str(value)
