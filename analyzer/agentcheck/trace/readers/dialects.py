"""Attributes of other conventions, put under the names of OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers import openinference, traceloop
from agentcheck.trace.readers.node import Node

_REQUESTS = ("chat", "text_completion", "generate_content")


def translate(node: Node) -> None:
    """Adds to a span's attributes what it says in the words of another convention.

    What it says in the GenAI conventions' own words is left as it is.
    """
    attributes = node.attributes
    if openinference.KIND in attributes:
        openinference.translate(node)
    elif traceloop.KIND in attributes or traceloop.REQUEST in attributes:
        traceloop.translate(node)
    elif _is_older(attributes):
        traceloop.translate_messages(node)


def _is_older(attributes: dict[str, Any]) -> bool:
    """Whether a request to a model has its messages under the conventions' older names."""
    if attributes.get("gen_ai.operation.name", "chat") not in _REQUESTS:
        return False
    return not any(key in attributes for key in traceloop.OURS) and any(
        key.startswith(traceloop.MESSAGES) for key in attributes
    )
