"""One message of LangChain, in the three shapes in which it is written.

`messages_to_dict` gives `{"type": "ai", "data": {..}}`, `dumpd` gives `{"lc": 1, "type":
"constructor", "id": [.., "AIMessage"], "kwargs": {..}}`, `model_dump` gives the fields alone. Read
in langchain-core 1.8.3. Arguments of calls are objects; what the model wrote that is none is kept
as text in `invalid_tool_calls`.
"""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.chat_message import ROLES

Normal = dict[str, Any]
"""A message as chat completions write it, plus: `@` a JSON pointer to it, `failed` whether a
result is an error, `finish_reason`, `usage`, `model`, `ts`; absent where the source has none."""
_KINDS = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "developer": "developer",
}
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
}
_FINISH = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_USAGE = ("token_usage", "usage", "tokenUsage")


def langchain_message(value: Any, at: str = "") -> Normal | None:
    """A message, with the JSON pointer `at` to it; None for what is none."""
    if not isinstance(value, dict):
        return None
    kind, inner, below = _opened(value)
    if not isinstance(inner, dict) or "content" not in inner:
        return None
    role = _role(kind, inner)
    if role is None:
        return None
    message: Normal = {"@": at + below, "role": role, "content": inner["content"]}
    name = inner.get("name") or (inner.get("role") if kind == "chat" else None)
    if isinstance(name, str):
        message["name"] = name
    if role == "assistant":
        _reply(message, inner)
    elif role == "tool":
        _result(message, inner)
    return message


def is_langchain(value: Any) -> bool:
    """Whether a value is a message of LangChain."""
    return langchain_message(value) is not None


def is_removal(value: Any) -> bool:
    """Whether a value takes messages out of a state, as `RemoveMessage` does."""
    return isinstance(value, dict) and _opened(value)[0] == "remove"


def message_id(value: dict[str, Any]) -> str | None:
    """The id of a message, which stays the same in every copy of it."""
    inner = _opened(value)[1]
    found = inner.get("id") if isinstance(inner, dict) else None
    return found if isinstance(found, str) and found else None


def _opened(value: dict[str, Any]) -> tuple[Any, Any, str]:
    """The kind of a message, its fields, and the pointer to them."""
    if "lc" in value:
        names = value.get("id")
        name = names[-1] if isinstance(names, list) and names else None
        kind = _CLASSES.get(name.removesuffix("Chunk")) if isinstance(name, str) else None
        return kind, value.get("kwargs"), "/kwargs"
    if isinstance(value.get("data"), dict):
        return _kind(value), value["data"], "/data"
    return _kind(value), value, ""


def _kind(value: dict[str, Any]) -> str | None:
    kind = value.get("type")
    if not isinstance(kind, str):
        return None
    return _CLASSES.get(kind.removesuffix("Chunk"), kind)


def _role(kind: Any, inner: dict[str, Any]) -> str | None:
    if kind == "chat":
        role = inner.get("role")
        return role if isinstance(role, str) and role in ROLES else "assistant"
    return _KINDS.get(kind) if isinstance(kind, str) else None


def _reply(message: Normal, inner: dict[str, Any]) -> None:
    message["tool_calls"] = list(_calls(message["@"], inner))
    facts = inner.get("response_metadata")
    facts = facts if isinstance(facts, dict) else {}
    finish = next((facts[key] for key in _FINISH if isinstance(facts.get(key), str)), None)
    if finish is not None:
        message["finish_reason"] = finish
    usage = inner.get("usage_metadata") or next((facts[k] for k in _USAGE if k in facts), None)
    if isinstance(usage, dict):
        message["usage"] = usage
    model = facts.get("model_name") or facts.get("model")
    if isinstance(model, str):
        message["model"] = model


def _calls(at: str, inner: dict[str, Any]) -> list[Any]:
    more = inner.get("additional_kwargs")
    more = more if isinstance(more, dict) else {}
    good = _under(inner.get("tool_calls"), f"{at}/tool_calls")
    bad = _under(inner.get("invalid_tool_calls"), f"{at}/invalid_tool_calls")
    raw = _under(more.get("tool_calls"), f"{at}/additional_kwargs/tool_calls")
    return [*good, *bad] or raw


def _under(calls: Any, at: str) -> list[Any]:
    items = calls if isinstance(calls, list) else []
    return [c | {"@": f"{at}/{n}"} if isinstance(c, dict) else c for n, c in enumerate(items)]


def _result(message: Normal, inner: dict[str, Any]) -> None:
    if isinstance(inner.get("tool_call_id"), str):
        message["tool_call_id"] = inner["tool_call_id"]
    if isinstance(inner.get("status"), str):
        message["failed"] = inner["status"] == "error"
