"""The tools that a model span says the model was given."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import Node

LISTS = ("gen_ai.tool.definitions", "model_request_parameters")
"""The attributes that list tools, the better one first; the second is pydantic-ai's."""
_SCHEMA_KEYS = ("parameters", "parameters_json_schema", "input_schema", "inputSchema")


def listed_in(node: Node) -> Any:
    """The attribute that lists the tools, as written; None where there is none."""
    return next((node.attributes[key] for key in LISTS if key in node.attributes), None)


def tools_of(node: Node) -> dict[str, Any]:
    """Tool names with the JSON schema of their parameters."""
    listed = node.parsed(*LISTS)
    return schemas_in(listed.get("function_tools") if isinstance(listed, dict) else listed)


def schemas_in(listed: Any) -> dict[str, Any]:
    """The same of a list of tools, as any of the usual requests has it."""
    found: dict[str, Any] = {}
    for tool in listed if isinstance(listed, list) else []:
        if isinstance(tool, dict):
            found.update(_tool(tool))
    return found


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    spec = tool["function"] if isinstance(tool.get("function"), dict) else tool
    name = spec.get("name")
    schema = next((spec[key] for key in _SCHEMA_KEYS if isinstance(spec.get(key), dict)), None)
    return {name: schema} if isinstance(name, str) and schema is not None else {}
