"""One message of a chat, as any of the providers and frameworks writes it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct

from agentcheck.trace.records import Buffer
from agentcheck.trace.replay import Asked

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class ChatMessage(Struct, gc=False):
    """The keys that are read; everything is tolerated in each.

    `sender` is the agent's name in the history of openai/swarm, `tool` a call in its early logs,
    `type` tells the items of the OpenAI Responses API apart, `action` is where frameworks that
    parse tool calls out of text put them.
    """

    role: Any = None
    content: Any = None
    name: Any = None
    sender: Any = None
    type: Any = None
    tool_calls: Any = None
    function_call: Any = None
    tool_call_id: Any = None
    tool_call_ids: Any = None
    call_id: Any = None
    arguments: Any = None
    output: Any = None
    tool: Any = None
    status: Any = None
    action: Any = UNSET
    finish_reason: Any = UNSET
    is_error: Any = UNSET
    error: Any = UNSET


_LIST = msgspec.json.Decoder(list[ChatMessage])


def decode_messages(raw: Buffer) -> list[ChatMessage | None]:
    """The messages of a JSON list; None for an item that is no object.

    Raises ValueError or RecursionError for what is no list.
    """
    try:
        return list(_LIST.decode(raw))
    except msgspec.ValidationError:
        return [as_message(item) for item in msgspec.json.decode(raw, type=list[Any])]


def as_message(value: Any) -> ChatMessage | None:
    """A decoded object as a message."""
    return msgspec.convert(value, ChatMessage) if isinstance(value, dict) else None


def asked_call(call: Any) -> Asked | None:
    """A tool call in the shapes of OpenAI, LangChain, AgentDojo and Inspect; None for no call.

    `{"id", "function": {"name", "arguments"}}`, `{"id", "name", "args"}`, `{"id", "function":
    name, "args" or "arguments"}`, and OpenAI's custom tools, whose input is free text.
    """
    if not isinstance(call, dict):
        return None
    call_id = call.get("id") or call.get("call_id") or call.get("tool_call_id")
    custom = call.get("custom")
    if isinstance(custom, dict):
        call, given = custom, {"input": custom.get("input")}
    else:
        call = call["function"] if isinstance(call.get("function"), dict) else call
        given = _given(call)
    name = call.get("name") or call.get("function")
    if not isinstance(name, str):
        return None
    return Asked(name, given, call_id if isinstance(call_id, str) else None)


def _given(call: dict[str, Any]) -> Any:
    return next((call[key] for key in ("arguments", "args", "input") if key in call), None)
