"""What providers demand of the messages they are sent.

A request that breaks these rules is refused with status 400, whichever provider: OpenAI says
"tool_call_ids did not have response messages", Anthropic "tool_use ids were found without
tool_result blocks immediately after", Gemini that the number of function response parts must equal
the number of function call parts.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from agentcheck.testing.request import Message


class ProtocolError(AssertionError):
    """The code under test sent what a provider refuses, or what the script is not for."""


def pairing(messages: Sequence[Message]) -> list[str]:
    """What is wrong with the order of calls and answers, a sentence each.

    Checked: each tool call is answered exactly once before the next message of another role; no
    tool message answers a call that waits for none.
    """
    found: list[str] = []
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            found += _answered(index, message.call_id, waiting)
            continue
        found += [
            f"message {index} ({message.role}) comes before an answer to {i!r}" for i in waiting
        ]
        waiting = [call.id for call in message.calls]
    return found + [f"tool call {i!r} is never answered" for i in waiting]


def pairing_anywhere(messages: Sequence[Message]) -> list[str]:
    """As `pairing`, for a provider that takes the answers in any place after the calls."""
    found: list[str] = []
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.role == "tool":
            found += _answered(index, message.call_id, waiting)
        waiting += [call.id for call in message.calls]
    return found + [f"tool call {i!r} is never answered" for i in waiting]


def roles(messages: Iterable[Mapping[str, Any]], known: Collection[str | None]) -> list[str]:
    """The messages whose role the provider does not know."""
    return [
        f"message {index} has the unknown role {message.get('role')!r}"
        for index, message in enumerate(messages)
        if message.get("role") not in list(known)  # a role may be a list, which no set takes
    ]


def unknown(
    part: Mapping[str, Any], known: Iterable[str], at: str, sdk: Sequence[str] = ()
) -> list[str]:
    """The paths of the fields that are not among the known ones.

    `sdk` names typed dictionaries of the provider's package, as `module:Class`: where the package
    is installed, its fields are known as well, so that a newer one than we have read is no fault.
    """
    strange = [name for name in part if name not in set(known)]
    if strange:
        newer = {name for place in sdk for name in _fields(place)}
        strange = [name for name in strange if name not in newer]
    return [f"{at}.{name}" if at else name for name in strange]


def _answered(index: int, call_id: str | None, waiting: list[str]) -> list[str]:
    if call_id in waiting:
        waiting.remove(call_id)
        return []
    return [f"message {index} answers {call_id!r}, a call that waits for no answer"]


def _fields(place: str) -> list[str]:
    module, _, name = place.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return []
    return [key for kind in found.__mro__ for key in getattr(kind, "__annotations__", ())] + list(
        getattr(found, "__annotations__", ())
    )
