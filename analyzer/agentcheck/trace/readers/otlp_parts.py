"""Messages in the shape of the GenAI semantic conventions: `[{"role", "parts": [{"type", ..}]}]`.

Parts are `text`, `tool_call` {id, name, arguments} and `tool_call_response` {id, response}, the
result of which pydantic-ai calls `result`. Other parts carry no text. Messages in the shape of
OpenAI's chat completions, which some instrumentations put there, are read as well. A message or
call that was translated from another shape holds a JSON pointer to where it stood, under `@`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.trace.readers.chat_message import asked_call
from agentcheck.trace.readers.fields import no_objects
from agentcheck.trace.readers.items import Given
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of


def part_calls(messages: Any) -> Iterator[tuple[str, Asked]]:
    """Every tool call of some messages, with the JSON pointer to it from there."""
    for number, message in enumerate(_messages(messages)):
        at = place_of(message, f"/{number}")
        for index, part in enumerate(_list(message.get("parts"))):
            if part.get("type") == "tool_call":
                yield from _asked(f"{at}/parts/{index}", part)
        for index, call in enumerate(_list(message.get("tool_calls"))):
            yield from _asked(call.get("@") or f"{at}/tool_calls/{index}", call)


def part_texts(messages: Any) -> str:
    """What some messages say, without tool calls and results."""
    return "\n".join(filter(None, map(_said, _messages(messages))))


def strange(messages: Any) -> int:
    """How many messages, and parts and calls of messages, are no objects."""
    listed = messages if isinstance(messages, list) else []
    inner = (m.get(key) for m in _messages(messages) for key in ("parts", "tool_calls"))
    return no_objects(listed) + sum(map(no_objects, inner))


def part_given(messages: Any, start: int) -> Iterator[Given]:
    """The messages and results of an input from index `start` on; not what the model said."""
    for index, message in enumerate(_messages(messages)):
        if index < start:
            continue
        role = message.get("role")
        for part in _list(message.get("parts")):
            if part.get("type") == "tool_call_response":
                yield from _response(index, part)
        said = _said(message)
        call_id = _answers(message)
        at = place_of(message, f"/{index}")[1:]
        if call_id is not None:
            yield Given(at, "tool", said, call_id, message.get("failed"))
        elif said and isinstance(role, str) and role != "assistant":
            yield Given(at, role, said, None)


def _answers(message: dict[str, Any]) -> str | None:
    """The id of the call that a message is the result of, empty where it names none."""
    call_id = message.get("tool_call_id")
    if isinstance(call_id, str):
        return call_id
    return "" if message.get("role") == "tool" and "parts" not in message else None


def finish_of(messages: Any) -> str | None:
    """The finish reason that a message of an output carries."""
    reasons = (m.get("finish_reason") for m in _messages(messages))
    return next((r for r in reasons if isinstance(r, str) and r), None)


def has_finish(messages: Any) -> bool:
    """Whether an output has a place for a finish reason."""
    return any("finish_reason" in m for m in _messages(messages))


def place_of(item: dict[str, Any], otherwise: str) -> str:
    """The JSON pointer to a message or call, from the attribute that holds it."""
    place = item.get("@")
    return place if isinstance(place, str) else otherwise


def _response(index: int, part: dict[str, Any]) -> Iterator[Given]:
    if isinstance(part.get("id"), str):
        content = next((part[key] for key in ("response", "result", "content") if key in part), "")
        yield Given(index, "tool", text_of(content), part["id"])


def _said(message: dict[str, Any]) -> str:
    if "parts" not in message:
        return text_of(message.get("content"))
    texts = (p.get("content") for p in _list(message["parts"]) if p.get("type") == "text")
    return "\n".join(t for t in texts if isinstance(t, str) and t)


def _asked(pointer: str, call: dict[str, Any]) -> Iterator[tuple[str, Asked]]:
    asked = asked_call(call)
    if asked is not None:
        yield pointer, asked


def _messages(value: Any) -> list[dict[str, Any]]:
    return [m for m in value if isinstance(m, dict)] if isinstance(value, list) else []


def _list(value: Any) -> list[dict[str, Any]]:
    return _messages(value)
