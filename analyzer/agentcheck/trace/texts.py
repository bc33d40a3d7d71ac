"""The text of a message's content in the shapes that chat formats give it."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.arguments import encode_text

_TEXT_KEYS = ("text", "content", "refusal", "output")


def text_of(content: Any) -> str:
    """A string as it is, parts joined by newlines, nothing for null, other values as JSON."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_part, content)))
    return encode_text(content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") != "tool_result":
        return next((part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)), "")
    return ""
