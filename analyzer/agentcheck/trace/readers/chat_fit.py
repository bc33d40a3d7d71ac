"""Whether a record holds chat messages, and if not, how near it came."""

from __future__ import annotations

from typing import Any

import msgspec

from agentcheck.trace.readers.base import NOT_AT_ALL, Fit
from agentcheck.trace.readers.chat_message import ROLES, decode_messages
from agentcheck.trace.records import BROKEN

_ITEMS = frozenset({"function_call", "function_call_output"})


def messages_key(fields: dict[str, msgspec.Raw]) -> str | None:
    """The key of an object under which its messages are: the longest list that holds some."""
    sizes = {key: _size(raw) for key, raw in fields.items() if is_list(raw)}
    best = max(sizes, key=lambda key: sizes[key], default=None)
    return best if best is not None and sizes[best] else None


def fit_chat(value: Any) -> Fit | None:
    """None for chat messages in any of the shapes that are read, else how near it came."""
    if isinstance(value, list):
        return _fit_list("the list", value)
    if not isinstance(value, dict):
        return NOT_AT_ALL
    if is_message(value) or _is_completion(value):
        return None
    found = [_fit_list(f"`{key}`", item) for key, item in value.items() if isinstance(item, list)]
    if None in found:
        return None
    return max((fit for fit in (*found, _fit_nested(value)) if fit), key=lambda fit: fit.score)


def _is_completion(value: dict[str, Any]) -> bool:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)


def is_message(value: Any) -> bool:
    """Whether a value is one message of a chat, or a call or its output of the Responses API."""
    if not isinstance(value, dict):
        return False
    role, kind = value.get("role"), value.get("type")
    if isinstance(role, str) and role in ROLES:
        return "content" in value or "tool_calls" in value or "tool" in value
    return isinstance(kind, str) and kind in _ITEMS and "call_id" in value


def _fit_list(where: str, items: list[Any]) -> Fit | None:
    objects = [item for item in items if isinstance(item, dict)]
    if not objects:
        return Fit(0.1, f"{where} holds no objects")
    messages = [item for item in objects if is_message(item)]
    if not messages:
        return _fit_foreign(where, objects)
    if any("action" in m for m in messages) and not any("tool_calls" in m for m in messages):
        return Fit(0.9, f"the messages of {where} keep tool calls in `action`, parsed out of text")
    if len(messages) * 2 < len(objects):
        return Fit(0.8, f"most objects of {where} are no messages")
    return None


def _fit_foreign(where: str, objects: list[dict[str, Any]]) -> Fit:
    roles = sorted({o["role"] for o in objects if isinstance(o.get("role"), str)})
    if roles:
        shown = ", ".join(repr(role[:40]) for role in roles[:3])
        return Fit(0.7, f"{where} has roles that no chat has: {shown}")
    return Fit(0.3, f"the objects of {where} have no `role`")


def _fit_nested(value: dict[str, Any]) -> Fit:
    """Messages that stand deeper than this reader looks."""
    for key, item in value.items():
        inner = item[0] if isinstance(item, list) and item else item
        if isinstance(inner, dict) and (is_message(inner) or _holds(inner)):
            return Fit(0.6, f"messages are there, but wrapped in `{key}`")
    return Fit(0.1, "no list of objects with a `role`")


def _holds(value: dict[str, Any]) -> bool:
    """Whether an object has a message, or a list that begins with one, under any key."""
    for item in value.values():
        if is_message(item[0] if isinstance(item, list) and item else item):
            return True
    return False


def is_list(raw: msgspec.Raw) -> bool:
    """Whether undecoded JSON is a list."""
    return bytes(memoryview(raw)[:1]) == b"["


def _size(raw: msgspec.Raw) -> int:
    try:
        messages = decode_messages(raw)
    except BROKEN:
        return 0
    count = sum(m is not None and isinstance(m.role, str) and m.role in ROLES for m in messages)
    return count or sum(
        m is not None and isinstance(m.type, str) and m.type in _ITEMS for m in messages
    )
