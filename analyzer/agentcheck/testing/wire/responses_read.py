"""OpenAI responses: what is asked.

Known fields as in `openai/types/responses/response_create_params.py` and `response_input_item_param
.py` of the openai package, 3.57.0; this endpoint refuses unknown ones, also inside the items of the
input ("Unknown parameter"). Of items other than messages, calls and their answers nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentcheck.testing import protocol
from agentcheck.testing.request import Message, Tool
from agentcheck.testing.wire.common import Heard, Memory, as_list, as_mapping, asked, text_of

ROLES = frozenset({"system", "developer", "user", "assistant"})
REQUEST_FIELDS = frozenset(
    "access_programs background background_options context_management conversation image include"
    " input instructions max_output_tokens max_tool_calls metadata model moderation"
    " parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options"
    " prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options"
    " temperature text tool_choice tools top_logprobs top_p truncation user".split()
)
ITEM_FIELDS = {
    "message": frozenset("id type role content status phase".split()),
    "function_call": frozenset(
        "id type call_id name arguments status namespace caller async".split()
    ),
    "function_call_output": frozenset(
        "id type call_id output status name namespace caller".split()
    ),
}
ITEMS = "openai.types.responses.response_input_item_param"
SDK = {
    "message": [f"{ITEMS}:Message", "openai.types.responses:EasyInputMessageParam"],
    "function_call": ["openai.types.responses:ResponseFunctionToolCallParam"],
    "function_call_output": [f"{ITEMS}:FunctionCallOutput"],
}
PARAMS = "openai.types.responses.response_create_params:ResponseCreateParamsBase"


def read(body: Mapping[str, Any], path: str, memory: Memory) -> Heard:  # noqa: ARG001
    """A request in neutral words; what it goes on from comes first."""
    items = _items(body.get("input"))
    before, faults = _before(body, memory)
    given = (*before, *_messages(items))
    told = [item for item in items if _kind(item) == "message"]
    faults += protocol.roles(told, ROLES) + protocol.pairing_anywhere(given)
    return Heard(
        model=str(body.get("model")),
        messages=(*_instructions(body), *given),
        tools=_tools(body),
        stream=bool(body.get("stream")),
        parallel=body.get("parallel_tool_calls") is not False,
        tool_choice=_choice(body.get("tool_choice")),
        schema=_schema(as_mapping(body.get("text")).get("format")),
        faults=tuple(faults),
        refused_fields=tuple(
            protocol.unknown(body, REQUEST_FIELDS, "", [PARAMS]) + _strange(items)
        ),
    )


def conversation_of(body: Mapping[str, Any]) -> str | None:
    """The id of the conversation that the request belongs to, if it names one."""
    given = body.get("conversation")
    found = given if isinstance(given, str) else as_mapping(given).get("id")
    return None if found is None else str(found)


def _items(given: Any) -> list[Mapping[str, Any]]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [as_mapping(item) for item in as_list(given)]


def _kind(item: Mapping[str, Any]) -> str:
    return str(item.get("type") or ("message" if "role" in item else "item_reference"))


def _before(body: Mapping[str, Any], memory: Memory) -> tuple[tuple[Message, ...], list[str]]:
    previous = body.get("previous_response_id")
    if previous is not None and str(previous) not in memory:
        return (), [f"previous response {previous!r} is not found"]
    if not any(body.get(name) for name in ("input", "prompt", "previous_response_id")):
        return (), ["the request has no input"]
    return memory.get(str(previous or conversation_of(body) or ""), ()), []


def _instructions(body: Mapping[str, Any]) -> tuple[Message, ...]:
    text = body.get("instructions")
    return (Message("system", text),) if isinstance(text, str) else ()


def _messages(items: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The items as messages; calls in a row, and words before them, are one message."""
    found: list[Message] = []
    for item in items:
        message = _message(item)
        if message is None:
            continue
        if message.calls and found and found[-1].role == "assistant":
            found[-1] = found[-1]._replace(calls=found[-1].calls + message.calls)
        else:
            found.append(message)
    return found


def _message(item: Mapping[str, Any]) -> Message | None:
    kind = _kind(item)
    if kind == "function_call":
        call = asked(item.get("call_id"), item.get("name"), item.get("arguments"))
        return Message("assistant", "", (call,))
    if kind == "function_call_output":
        return Message("tool", text_of(item.get("output")), call_id=str(item.get("call_id")))
    if kind != "message":
        return None
    role = str(item.get("role"))
    return Message("system" if role == "developer" else role, text_of(item.get("content")))


def _tools(body: Mapping[str, Any]) -> tuple[Tool, ...]:
    offered = [as_mapping(tool) for tool in as_list(body.get("tools"))]
    return tuple(
        Tool(
            str(tool.get("name") or tool.get("type")),
            as_mapping(tool.get("parameters")),
            str(tool.get("description") or ""),
        )
        for tool in offered
        if tool.get("type") in ("function", "custom", None)
    )


def _choice(choice: Any) -> str:
    if isinstance(choice, str):
        return choice
    return str(as_mapping(choice).get("name") or "auto")


def _schema(form: Any) -> Mapping[str, Any] | None:
    kind = as_mapping(form).get("type")
    if kind == "json_object":
        return {"type": "object"}
    return as_mapping(as_mapping(form).get("schema")) if kind == "json_schema" else None


def _strange(items: list[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for index, item in enumerate(items):
        kind = _kind(item)
        if kind in ITEM_FIELDS:
            at = f"input[{index}]"
            found += protocol.unknown(item, ITEM_FIELDS[kind], at, SDK[kind])
    return found
