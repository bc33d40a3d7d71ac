"""OpenAI chat completions: what is asked.

Known fields as in `openai/types/chat/completion_create_params.py` and the message parameters beside
it, of the openai package, 3.57.0. OpenAI refuses fields of the request itself that it does not know
("Unrecognized request argument supplied"); an unknown field of a message is passed over by OpenAI
and refused by others that speak the format, so that it is told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentcheck.testing import protocol
from agentcheck.testing.request import Asked, Message, Tool
from agentcheck.testing.wire.common import Heard, Memory, as_list, as_mapping, asked, text_of

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
NEUTRAL = {"developer": "system", "function": "tool"}
REQUEST_FIELDS = frozenset(
    "messages model audio frequency_penalty function_call functions logit_bias logprobs"
    " max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls"
    " prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention"
    " reasoning_effort response_format safety_identifier seed service_tier stop store stream"
    " stream_options temperature tool_choice tools top_logprobs top_p user verbosity"
    " web_search_options data_sources".split()
)
MESSAGE_FIELDS = {
    "assistant": frozenset(
        "role content name refusal audio function_call tool_calls annotations".split()
    ),
    "tool": frozenset({"role", "content", "tool_call_id"}),
    "function": frozenset({"role", "content", "name"}),
}
OTHER_FIELDS = frozenset({"role", "content", "name"})
CALL_FIELDS = frozenset({"id", "type", "function", "custom"})
FUNCTION_FIELDS = frozenset({"name", "arguments"})
PARAMS = "openai.types.chat.completion_create_params:CompletionCreateParamsBase"


def read(body: Mapping[str, Any], path: str, memory: Memory) -> Heard:  # noqa: ARG001
    """A request in neutral words."""
    sent = [as_mapping(message) for message in as_list(body.get("messages"))]
    messages = tuple(_message(message) for message in sent)
    strange = protocol.unknown(body, REQUEST_FIELDS, "", [PARAMS])
    faults = [] if sent else ["the request has no messages"]
    faults += protocol.roles(sent, ROLES) + protocol.pairing(messages)
    return Heard(
        model=str(body.get("model")),
        messages=messages,
        tools=_tools(body),
        stream=bool(body.get("stream")),
        parallel=body.get("parallel_tool_calls") is not False,
        tool_choice=_choice(body.get("tool_choice")),
        schema=_schema(body.get("response_format")),
        faults=tuple(faults),
        refused_fields=tuple(strange),
        unknown_fields=tuple(_strange(sent)),
    )


def _message(message: Mapping[str, Any]) -> Message:
    role = str(message.get("role"))
    answered = message.get("tool_call_id") if role == "tool" else None
    if role == "function":
        answered = _legacy_id(message)
    return Message(
        NEUTRAL.get(role, role),
        text_of(message.get("content")),
        tuple(_call(as_mapping(call)) for call in as_list(message.get("tool_calls")))
        + _legacy_calls(as_mapping(message.get("function_call"))),
        None if answered is None else str(answered),
    )


def _call(call: Mapping[str, Any]) -> Asked:
    used = as_mapping(call.get("function") or call.get("custom"))
    return asked(call.get("id"), used.get("name"), used.get("arguments", used.get("input")))


def _legacy_calls(call: Mapping[str, Any]) -> tuple[Asked, ...]:
    """The one call of a message in the form that came before tools, which has no id."""
    if not call:
        return ()
    return (asked(_legacy_id(call), call.get("name"), call.get("arguments")),)


def _legacy_id(named: Mapping[str, Any]) -> str:
    return f"function {named.get('name')}"


def _tools(body: Mapping[str, Any]) -> tuple[Tool, ...]:
    offered = [as_mapping(tool) for tool in as_list(body.get("tools"))]
    functions = [as_mapping(tool.get("function") or tool.get("custom")) for tool in offered]
    functions += [as_mapping(function) for function in as_list(body.get("functions"))]
    return tuple(
        Tool(
            str(function.get("name")),
            as_mapping(function.get("parameters")),
            str(function.get("description") or ""),
        )
        for function in functions
    )


def _choice(choice: Any) -> str:
    if isinstance(choice, str):
        return choice
    chosen = as_mapping(choice)
    return str(as_mapping(chosen.get("function") or chosen.get("custom")).get("name") or "auto")


def _schema(form: Any) -> Mapping[str, Any] | None:
    kind = as_mapping(form).get("type")
    if kind == "json_object":
        return {"type": "object"}
    if kind != "json_schema":
        return None
    return as_mapping(as_mapping(as_mapping(form).get("json_schema")).get("schema"))


def _strange(messages: list[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for index, message in enumerate(messages):
        at = f"messages[{index}]"
        known = MESSAGE_FIELDS.get(str(message.get("role")), OTHER_FIELDS)
        found += protocol.unknown(message, known, at)
        for place, call in enumerate(as_list(message.get("tool_calls"))):
            where = f"{at}.tool_calls[{place}]"
            found += protocol.unknown(as_mapping(call), CALL_FIELDS, where)
            function = as_mapping(as_mapping(call).get("function"))
            found += protocol.unknown(function, FUNCTION_FIELDS, f"{where}.function")
    return found
