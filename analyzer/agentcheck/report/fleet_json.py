"""The numbers of a fleet as JSON (schema `agentcheck/fleet/1`).

`python -m agentcheck.report.fleet_json` prints the JSON schema.
"""

from __future__ import annotations

from typing import Any

from agentcheck.model.fleet import SCHEMA, Fleet
from agentcheck.report.options import Options
from agentcheck.report.plain_json import model_text, print_schema, schema_of


def document(fleet: Fleet, options: Options) -> str:
    """All numbers as one JSON object, keys always in the same order."""
    return model_text(fleet, options)


def schema() -> dict[str, Any]:
    """The JSON schema of what `document` writes, made from the model."""
    return schema_of(Fleet, SCHEMA)


if __name__ == "__main__":
    print_schema(schema())
