"""What a reply or an input of a model holds, in the two shapes that the OpenAI APIs have.

An output is a list of chat messages with `tool_calls`, or of items (`message`, `function_call`);
an input is a list of chat messages, or of items with `function_call_output`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentcheck.trace.readers.chat_message import asked_call
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of


class Given(NamedTuple):
    """A message or a tool's result in the input of a model; `at` is its index or path there.

    `call_id` is set for a result and only there, empty where the result names no call; `failed`
    says whether it is an error, where it has a field for that.
    """

    at: int | str
    role: str
    text: str
    call_id: str | None
    failed: bool | None = None


def calls_in(output: Any) -> Iterator[tuple[str, Asked]]:
    """Every tool call of an output, with the JSON pointer to it from there."""
    for index, item in enumerate(output if isinstance(output, list) else []):
        if not isinstance(item, dict):
            continue
        if item.get("type") == "function_call":
            yield from _asked(f"/{index}", item | {"id": item.get("call_id")})
        calls = item.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            yield from _asked(f"/{index}/tool_calls/{number}", call)


def texts_in(output: Any) -> str:
    """What an output says, without its tool calls."""
    items = output if isinstance(output, list) else []
    said = (text_of(item.get("content")) for item in items if isinstance(item, dict))
    return "\n".join(filter(None, said))


def given_in(items: Any, start: int) -> Iterator[Given]:
    """The messages and results of an input from index `start` on; not what the model said."""
    for index in range(start, len(items) if isinstance(items, list) else 0):
        item = items[index]
        if not isinstance(item, dict):
            continue
        if item.get("type") == "function_call_output":
            yield from _result(index, item.get("call_id"), item.get("output"))
        elif item.get("role") == "tool":
            yield from _result(index, item.get("tool_call_id"), item.get("content"))
        elif isinstance(item.get("role"), str) and item["role"] != "assistant":
            yield Given(index, item["role"], text_of(item.get("content")), None)


def fresh_from(items: Any, before: Any) -> int:
    """The index from which an input holds what an earlier one did not, 0 where it was rewritten."""
    if not isinstance(items, list) or not isinstance(before, list):
        return 0
    return len(before) if items[: len(before)] == before else 0


def _asked(pointer: str, call: Any) -> Iterator[tuple[str, Asked]]:
    asked = asked_call(call)
    if asked is not None:
        yield pointer, asked


def _result(index: int, call_id: Any, content: Any) -> Iterator[Given]:
    if isinstance(call_id, str):
        yield Given(index, "tool", text_of(content), call_id)
