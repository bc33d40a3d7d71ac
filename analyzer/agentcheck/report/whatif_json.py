"""Answers to "what if" as JSON (schema `agentcheck/what-if/1`).

`python -m agentcheck.report.whatif_json` prints the JSON schema.
"""

from __future__ import annotations

from typing import Any

from agentcheck.model.whatif_report import SCHEMA, WhatIf
from agentcheck.report.options import Options
from agentcheck.report.plain_json import model_text, print_schema, schema_of


def document(answers: WhatIf, options: Options) -> str:
    """All answers as one JSON object, keys always in the same order."""
    return model_text(answers, options)


def schema() -> dict[str, Any]:
    """The JSON schema of what `document` writes, made from the model."""
    return schema_of(WhatIf, SCHEMA)


if __name__ == "__main__":
    print_schema(schema())
