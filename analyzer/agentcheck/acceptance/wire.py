"""A scripted reply as JSON-shaped data, whole or as a stream of events.

Field names and the order of streamed events as in OpenAI's API reference for chat completions:
each tool call opens with its id and name and goes on with pieces of its arguments; the finish
reason comes alone; usage comes last, without choices, and only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A tool call the scripted model makes; `arguments` is JSON text, broken if you like."""

    name: str
    arguments: str = "{}"


class Reply(NamedTuple):
    """What the scripted model says to one request; tokens are counts."""

    text: str | None = None
    calls: tuple[Call, ...] = ()
    finish_reason: str = "stop"
    prompt_tokens: int = 10
    completion_tokens: int = 5


class Head(NamedTuple):
    """What is not the script's: the number of the request (from 1) and the model asked for."""

    number: int
    model: str

    def call_id(self, index: int) -> str:
        """The id of the index-th call of the reply."""
        return f"call_{self.number}_{index}"


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    calls = [_call(head, index, call) for index, call in enumerate(reply.calls)]
    said = {"role": "assistant", "content": reply.text, "refusal": None}
    message = {**said, "tool_calls": calls} if calls else said
    choice = {"index": 0, "finish_reason": reply.finish_reason, "logprobs": None}
    return _body(head, "chat.completion", [{**choice, "message": message}], _usage(reply))


def events(reply: Reply, head: Head, *, usage: bool) -> Iterator[dict[str, Any]]:
    """The events of a streamed answer; `usage` is the request's `include_usage`."""
    for delta in _deltas(reply, head):
        yield _body(head, "chat.completion.chunk", [_streamed(delta, None)], None)
    yield _body(head, "chat.completion.chunk", [_streamed({}, reply.finish_reason)], None)
    if usage:
        yield _body(head, "chat.completion.chunk", [], _usage(reply))


def _deltas(reply: Reply, head: Head) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if reply.calls else ""}
    yield from ({"content": piece} for piece in _halves(reply.text or ""))
    for index, call in enumerate(reply.calls):
        yield {"tool_calls": [{"index": index, **_call(head, index, call._replace(arguments=""))}]}
        for piece in _halves(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


def _call(head: Head, index: int, call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": head.call_id(index), "type": "function", "function": function}


def _streamed(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "finish_reason": finish_reason, "logprobs": None, "delta": delta}


def _usage(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }


def _body(
    head: Head, kind: str, choices: list[dict[str, Any]], usage: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-scripted-{head.number}",
        "object": kind,
        "created": 0,
        "model": head.model,
        "choices": choices,
        "usage": usage,
    }
