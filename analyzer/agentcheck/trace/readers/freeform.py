"""Messages out of the inputs and outputs of observations, which every SDK fills in its own way.

Understood are texts, lists of messages (chat completions, LangChain, Anthropic's parts, items of
the Responses API, pairs of role and text), and objects that hold one of these under a key that
SDKs use: completions with `choices`, LangChain's `generations`, states with `messages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.trace.readers.anthropic_parts import with_parts
from agentcheck.trace.readers.chat_message import ROLES
from agentcheck.trace.readers.langchain_message import Normal, langchain_message
from agentcheck.trace.readers.wrapped import decoded

_KEYS = (
    "messages", "choices", "generations", "message", "output", "input", "outputs", "inputs",
    "response", "content", "completion", "prompt", "text", "question", "query",
)  # fmt: skip
_DEEPEST = 5
_ROLE_NAMES = {"human": "user", "ai": "assistant", "model": "assistant"}
_INFO = ("generation_info", "response_metadata")


def messages_in(value: Any, role: str) -> list[Normal]:
    """The messages of an input or output; a bare text is one of `role`. None found: empty."""
    return list(_messages(value, role, "", 0))


def messages_of(value: Any, at: str) -> list[Normal]:
    """One message of a list, with the JSON pointer `at` to it, and the results in its parts."""
    return list(_of_message(value, "user", at)) if isinstance(value, dict) else []


def _messages(value: Any, role: str, at: str, depth: int) -> Iterator[Normal]:
    value = decoded(value)
    if isinstance(value, str):
        if value:
            yield {"@": at, "role": role, "content": value}
    elif depth > _DEEPEST:
        return
    elif isinstance(value, list):
        yield from _of_list(value, role, at, depth)
    elif isinstance(value, dict):
        found = list(_of_message(value, role, at))
        yield from found or _of_object(value, role, at, depth)


def _of_list(items: list[Any], role: str, at: str, depth: int) -> Iterator[Normal]:
    if _is_pair(items):
        yield {"@": at, "role": _role(items[0]), "content": items[1]}
        return
    if items and isinstance(items[0], list) and not _is_pair(items[0]):
        yield from _messages(items[0], role, f"{at}/0", depth + 1)
        return
    if items and all(isinstance(item, dict) and _is_part(item) for item in items):
        yield from with_parts({"@": at, "role": role, "content": items})
        return
    for index, item in enumerate(items):
        yield from _messages(item, role, f"{at}/{index}", depth + 1)


def _of_message(value: dict[str, Any], role: str, at: str) -> Iterator[Normal]:
    message = langchain_message(value, at)
    if message is not None:
        yield message
    elif isinstance(value.get("role"), str) and _role(value["role"]) in ROLES:
        yield from with_parts(value | {"@": at, "role": _role(value["role"])})
    elif value.get("type") == "function_call" and isinstance(value.get("name"), str):
        call = value | {"id": value.get("call_id"), "@": at}
        yield {"@": at, "role": "assistant", "content": None, "tool_calls": [call]}
    elif value.get("type") == "function_call_output":
        output = value.get("output")
        yield {"@": at, "role": "tool", "content": output, "tool_call_id": value.get("call_id")}
    elif isinstance(value.get("tool_calls"), list) and value["tool_calls"]:
        yield value | {"@": at, "role": role}


def _of_object(value: dict[str, Any], role: str, at: str, depth: int) -> Iterator[Normal]:
    for key in _KEYS:
        if value.get(key) not in (None, "", [], {}):
            found = list(_messages(value[key], role, f"{at}/{key}", depth + 1))
            if found:
                _add_finish(found, value)
                yield from found
                return


def _add_finish(found: list[Normal], holder: dict[str, Any]) -> None:
    """A choice or a generation tells beside its message why the reply ended."""
    places = (holder, *(holder[key] for key in _INFO if isinstance(holder.get(key), dict)))
    for place in places:
        for name in ("finish_reason", "stop_reason"):
            if isinstance(place.get(name), str):
                found[-1].setdefault("finish_reason", place[name])


def _is_pair(items: list[Any]) -> bool:
    return (
        len(items) == 2
        and all(isinstance(item, str) for item in items)
        and _role(items[0]) in ROLES
    )


def _is_part(item: dict[str, Any]) -> bool:
    return isinstance(item.get("type"), str) and item["type"] in (
        "text", "output_text", "input_text", "tool_use", "tool_result", "thinking", "image_url",
    )  # fmt: skip


def _role(role: str) -> str:
    return _ROLE_NAMES.get(role, role)
