"""The agent graph as JSON (schema `agentcheck/graph/1`)."""

from __future__ import annotations

from typing import Any

import msgspec

from agentcheck.model.diagram import SCHEMA, Diagram
from agentcheck.report.escape import json_text


def json(diagram: Diagram) -> str:
    """One object: schema, target, left_out, nodes and edges, keys always in the same order.

    Only what stands in a notebook has a `cell`.
    """
    built: dict[str, Any] = msgspec.to_builtins(diagram, order="deterministic")
    for item in (*built["nodes"], *built["edges"]):
        if item["cell"] is None:
            del item["cell"]
    shown = {
        "schema": SCHEMA,
        "target": built["title"],
        "left_out": built["left_out"],
        "nodes": built["nodes"],
        "edges": built["edges"],
    }
    return json_text(msgspec.json.format(msgspec.json.encode(shown), indent=2)) + "\n"
