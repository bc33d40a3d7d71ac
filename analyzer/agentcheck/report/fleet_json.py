"""The numbers of a fleet as JSON (schema `agentcheck/fleet/1`).

`python -m agentcheck.report.fleet_json` prints the JSON schema.
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from agentcheck.model.fleet import SCHEMA, Fleet
from agentcheck.report.escape import json_text
from agentcheck.report.json import DIALECT
from agentcheck.report.options import Options


def document(fleet: Fleet, options: Options) -> str:
    """All numbers as one JSON object, keys always in the same order."""
    data = msgspec.json.encode(fleet, order="deterministic")
    if options.indent:
        data = msgspec.json.format(data, indent=options.indent)
    return json_text(data) + "\n"


def schema() -> dict[str, Any]:
    """The JSON schema of what `document` writes, made from the model."""
    made = msgspec.json.schema(Fleet)
    for definition in made["$defs"].values():
        definition["required"] = list(definition["properties"])
        for value in definition["properties"].values():
            value.pop("default", None)  # every key is written
    made["$defs"]["Fleet"]["properties"]["schema"] = {"const": SCHEMA}
    return {"$schema": DIALECT, "title": SCHEMA, **made}


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(schema())).decode() + "\n")
