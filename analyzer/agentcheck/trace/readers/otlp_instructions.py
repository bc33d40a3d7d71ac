"""The instructions that requests were sent with, apart from their messages."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import Node
from agentcheck.trace.readers.otlp_parts import part_texts

SYSTEM = "gen_ai.system_instructions"
"""A list of parts, as GenAI's conventions have it."""


class Instructions:
    """The instructions of each loop so far; most requests of a loop have the same."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before: dict[str | None, tuple[Any, str]] = {}

    def of(self, node: Node, loop: str | None, given: Any) -> tuple[str | None, bool]:
        """The instructions of a request, None where it tells of none, and whether they are new.

        Some instrumentations have them among the messages as well; then they are not new.
        """
        raw = node.attributes.get(SYSTEM)
        if raw is None:
            return None, False
        before = self._before.get(loop)
        if before is not None and before[0] == raw:
            return before[1], False
        text = _text(node.parsed(SYSTEM))
        self._before[loop] = raw, text
        return text or None, text not in _told(given)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return part_texts([{"role": "system", "parts": value}])


def _told(given: Any) -> list[str]:
    """The system prompts among the messages of a request."""
    listed = given if isinstance(given, list) else []
    system = (m for m in listed if isinstance(m, dict) and m.get("role") == "system")
    return [part_texts([message]) for message in system]
