"""Messages that stand in the events of a span instead of in its attributes.

Three generations of OpenTelemetry's GenAI conventions: attributes of the span's own names on one
event; `gen_ai.content.prompt` and `gen_ai.content.completion` with all messages as JSON (1.27);
one event a message, named `gen_ai.user.message` and the like, with `gen_ai.choice` for the reply
(1.28 to 1.36), its content in `content`, or as JSON in `gen_ai.event.content`.
"""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import Node
from agentcheck.trace.records import BROKEN, value_of

_ROLES = {
    f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool", "developer")
}
_CHOICE = "gen_ai.choice"
_INTERRUPTS = ("GraphInterrupt", "langgraph.errors.GraphInterrupt")


def messages_of_events(node: Node, events: list[tuple[Any, dict[str, Any]]]) -> None:
    """Adds to a span's attributes what its events hold: name and attributes of each."""
    given: list[Any] = []
    said: list[Any] = []
    for told, attributes in events:
        name = told if isinstance(told, str) else ""
        if name in _ROLES:
            given.append(_message(attributes, _ROLES[name]))
        elif name == _CHOICE:
            said.append(_choice(attributes))
        elif attributes.get("exception.type") in _INTERRUPTS:
            node.waits = True
        else:
            read = {k: v for k, v in attributes.items() if k.startswith("gen_ai.")}
            node.attributes.update(read)
    if given:
        node.attributes.setdefault("gen_ai.input.messages", given)
    if said:
        node.attributes.setdefault("gen_ai.output.messages", said)


def _message(attributes: dict[str, Any], role: str) -> dict[str, Any]:
    body = _body(attributes)
    message: dict[str, Any] = {"role": role, "content": body.get("content")}
    if role == "tool":
        message["tool_call_id"] = body.get("id") or body.get("tool_call_id")
    if body.get("tool_calls") is not None:
        message["tool_calls"] = _decoded(body["tool_calls"])
    return message


def _choice(attributes: dict[str, Any]) -> dict[str, Any]:
    body = _body(attributes)
    inner = _decoded(body.get("message"))
    message = inner if isinstance(inner, dict) else {"content": body.get("message")}
    calls = message.get("tool_calls") or _decoded(body.get("tool_calls"))
    return {
        "role": "assistant",
        "content": message.get("content"),
        "tool_calls": calls,
        "finish_reason": body.get("finish_reason"),
    }


def _body(attributes: dict[str, Any]) -> dict[str, Any]:
    inner = _decoded(attributes.get("gen_ai.event.content"))
    return attributes | inner if isinstance(inner, dict) else attributes


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return value_of(value)
    except BROKEN:
        return value
