"""What a chat-completions provider demands of the messages it is sent.

Source: OpenAI's API reference for chat completions; a request that breaks these rules is refused
there with status 400 ("tool_call_ids did not have response messages").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def field(message: object, name: str) -> object:
    """A field of a message or of a part of one, sent as a mapping or as an SDK object."""
    if isinstance(message, Mapping):
        return message.get(name)
    return getattr(message, name, None)


def items(message: object, name: str) -> list[object]:
    """A field that holds a list; the empty list where it is absent or None."""
    value = field(message, name)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []


def call_ids(message: object) -> list[str]:
    """The ids of the tool calls of an assistant message, in order."""
    return [str(field(call, "id")) for call in items(message, "tool_calls")]


def text_of(message: object) -> str:
    """The text of a message; of a list of parts, the text parts joined."""
    content = field(message, "content")
    if isinstance(content, str):
        return content
    return "".join(str(field(part, "text") or "") for part in items(message, "content"))


def faults(messages: Sequence[object]) -> list[str]:
    """What the provider would refuse, a sentence each; empty when the messages are in order.

    Checked: every role is known; each tool call is answered by exactly one tool message before
    the next message of another role; no tool message answers a call that waits for none.
    """
    found: list[str] = []
    waiting: list[str] = []
    for index, message in enumerate(messages):
        role = field(message, "role")
        if role not in ROLES:
            found.append(f"message {index} has the unknown role {role!r}")
        if role == "tool":
            found += _answered(index, field(message, "tool_call_id"), waiting)
            continue
        found += [f"message {index} ({role}) comes before an answer to {i!r}" for i in waiting]
        waiting = call_ids(message) if role == "assistant" else []
    return found + [f"tool call {i!r} is never answered" for i in waiting]


def _answered(index: int, call_id: object, waiting: list[str]) -> list[str]:
    if call_id in waiting:
        waiting.remove(str(call_id))
        return []
    return [f"message {index} answers {call_id!r}, a call that waits for no answer"]
