"""Messages whose calls and results are parts of their content, as Anthropic's API has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.trace.readers.langchain_message import Normal


def with_parts(message: Normal) -> Iterator[Normal]:
    """A message with the calls in its content among its `tool_calls`, after the results in it."""
    content = message.get("content")
    if not isinstance(content, list):
        yield message
        return
    at = message["@"]
    calls: list[Any] = []
    rest: list[Any] = []
    for index, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        place = f"{at}/content/{index}"
        if kind == "tool_use":
            calls.append(part | {"@": place})
        elif kind == "tool_result":
            yield _result(part, place)
        else:
            rest.append(part)
    more = message.get("tool_calls")
    calls += more if isinstance(more, list) else []
    if rest or calls or len(rest) == len(content):
        yield message | {"content": rest, "tool_calls": calls}


def _result(part: dict[str, Any], place: str) -> Normal:
    result: Normal = {
        "@": place,
        "role": "tool",
        "tool_call_id": part.get("tool_use_id"),
        "content": part.get("content"),
    }
    return result | {"failed": part["is_error"] is True} if "is_error" in part else result
