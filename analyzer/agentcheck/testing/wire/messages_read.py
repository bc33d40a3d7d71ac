"""Anthropic messages: what is asked.

Known fields as in `anthropic/types/message_create_params.py`, `message_param.py` and the block
parameters beside them, of the anthropic package, 2.14.0; unknown ones are refused ("Extra inputs
are not permitted"). The results of tools must come first in the user message right after the calls,
and no text may be empty, as Anthropic's API reference for messages has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentcheck.testing import protocol
from agentcheck.testing.request import Message, Tool
from agentcheck.testing.wire.common import Heard, Memory, as_list, as_mapping, asked, text_of

ROLES = frozenset({"user", "assistant", "system"})
REQUEST_FIELDS = frozenset(
    "max_tokens messages model cache_control container context_management diagnostics"
    " inference_geo mcp_servers metadata output_config output_format service_tier speed"
    " stop_sequences stream system temperature thinking tool_choice tools top_k top_p"
    " user_profile_id workspace_id billing_policy compaction fallback_credit_token fallbacks thread"
    " anthropic_version".split()
)
MESSAGE_FIELDS = frozenset({"role", "content"})
BLOCK_FIELDS = {
    "text": frozenset("type text cache_control citations".split()),
    "tool_use": frozenset("type id name input cache_control caller toolset_name".split()),
    "tool_result": frozenset(
        "type tool_use_id content is_error cache_control toolset_name".split()
    ),
}
TYPES = "anthropic.types"
SDK = {
    "text": [f"{TYPES}:TextBlockParam", f"{TYPES}.beta:BetaTextBlockParam"],
    "tool_use": [f"{TYPES}:ToolUseBlockParam", f"{TYPES}.beta:BetaToolUseBlockParam"],
    "tool_result": [f"{TYPES}:ToolResultBlockParam", f"{TYPES}.beta:BetaToolResultBlockParam"],
}
PARAMS = [
    f"{TYPES}.message_create_params:MessageCreateParamsBase",
    f"{TYPES}.beta.message_create_params:MessageCreateParamsBase",
]
CHOICES = {"any": "required", "none": "none", "auto": "auto"}


def read(body: Mapping[str, Any], path: str, memory: Memory) -> Heard:  # noqa: ARG001
    """A request in neutral words: results of tools are messages of their own."""
    sent = [as_mapping(message) for message in as_list(body.get("messages"))]
    messages = tuple(part for message in sent for part in _messages(message))
    choice = as_mapping(body.get("tool_choice"))
    return Heard(
        model=str(body.get("model")),
        messages=(*_system(body), *messages),
        tools=tuple(_tools(body)),
        stream=bool(body.get("stream")),
        parallel=choice.get("disable_parallel_tool_use") is not True,
        tool_choice=CHOICES.get(str(choice.get("type")), str(choice.get("name") or "auto")),
        schema=_schema(body),
        faults=tuple(_faults(body, sent) + protocol.pairing(messages)),
        refused_fields=tuple(protocol.unknown(body, REQUEST_FIELDS, "", PARAMS) + _strange(sent)),
    )


def _system(body: Mapping[str, Any]) -> tuple[Message, ...]:
    text = text_of(body.get("system"))
    return (Message("system", text),) if text else ()


def _messages(message: Mapping[str, Any]) -> list[Message]:
    """A message: the words in a row one part, each result of a tool another."""
    role = str(message.get("role"))
    blocks = [as_mapping(block) for block in as_list(message.get("content"))]
    calls = tuple(
        asked(block.get("id"), block.get("name"), block.get("input"))
        for block in blocks
        if block.get("type") == "tool_use"
    )
    if role != "user" or not any(block.get("type") == "tool_result" for block in blocks):
        return [Message(role, text_of(message.get("content")), calls)]
    return [_part(block) for block in blocks]


def _part(block: Mapping[str, Any]) -> Message:
    if block.get("type") == "tool_result":
        answered = str(block.get("tool_use_id"))
        return Message("tool", text_of(block.get("content")), call_id=answered)
    return Message("user", text_of([block]))


def _tools(body: Mapping[str, Any]) -> list[Tool]:
    offered = [as_mapping(tool) for tool in as_list(body.get("tools"))]
    return [
        Tool(
            str(tool.get("name")),
            as_mapping(tool.get("input_schema")),
            str(tool.get("description") or ""),
        )
        for tool in offered
        if tool.get("type") in ("custom", None)
    ]


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    form = as_mapping(body.get("output_config")).get("format") or body.get("output_format")
    found = as_mapping(form).get("schema")
    return as_mapping(found) if found else None


def _faults(body: Mapping[str, Any], sent: list[Mapping[str, Any]]) -> list[str]:
    found = [] if body.get("max_tokens") else ["the request has no max_tokens"]
    if not sent:
        return [*found, "the request has no messages"]
    if sent[0].get("role") == "assistant":
        found.append("message 0 is the assistant's; the first must be the user's")
    found += protocol.roles(sent, ROLES)
    for index, message in enumerate(sent):
        last = index == len(sent) - 1 and message.get("role") == "assistant"
        if not message.get("content") and not last:
            found.append(f"message {index} ({message.get('role')}) has no content")
        found += [f"message {index} has an empty text" for _ in _empty(message)]
    return found


def _empty(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    blocks = [as_mapping(block) for block in as_list(message.get("content"))]
    return [block for block in blocks if block.get("type") == "text" and not block.get("text")]


def _strange(sent: list[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for index, message in enumerate(sent):
        at = f"messages[{index}]"
        found += protocol.unknown(message, MESSAGE_FIELDS, at)
        for place, block in enumerate(as_list(message.get("content"))):
            kind = str(as_mapping(block).get("type"))
            if kind in BLOCK_FIELDS:
                where = f"{at}.content[{place}]"
                found += protocol.unknown(block, BLOCK_FIELDS[kind], where, SDK[kind])
    return found
