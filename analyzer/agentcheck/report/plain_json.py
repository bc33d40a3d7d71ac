"""What all JSON documents of the reports have in common: their text and their schema."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from agentcheck.report.escape import json_text
from agentcheck.report.options import Options

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def model_text(model: msgspec.Struct, options: Options) -> str:
    """A model as one JSON object, keys always in the same order."""
    return text_of(msgspec.json.encode(model, order="deterministic"), options)


def text_of(data: bytes, options: Options) -> str:
    """JSON as text that is safe to print, indented where that is asked for."""
    if options.indent:
        data = msgspec.json.format(data, indent=options.indent)
    return json_text(data) + "\n"


def schema_of(model: type[msgspec.Struct], name: str) -> dict[str, Any]:
    """The JSON schema of a document that has every key of a model; `name` is its `schema` key."""
    made = msgspec.json.schema(model)
    objects = [each for each in made["$defs"].values() if "properties" in each]
    for definition in objects:
        definition["required"] = list(definition["properties"])
        for value in definition["properties"].values():
            value.pop("default", None)  # every key is written
    made["$defs"][model.__name__]["properties"]["schema"] = {"const": name}
    return {"$schema": DIALECT, "title": name, **made}


def print_schema(schema: dict[str, Any]) -> None:
    """Print a schema, indented."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(schema)).decode() + "\n")
