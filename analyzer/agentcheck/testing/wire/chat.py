"""OpenAI chat completions: what is answered.

Fields as in `openai/types/chat/chat_completion.py` and `chat_completion_chunk.py` of the openai
package, 3.57.0. The order of streamed events as in OpenAI's API reference: a delta with the role
comes first; each tool call opens with its id and name and goes on with pieces of its arguments; the
finish reason comes alone; usage comes last, without choices, and only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.testing.reply import Call, Reply
from agentcheck.testing.wire.common import Event, Head, halves

DONE = Event("[DONE]")


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", **_said(reply), "annotations": []}
    if reply.calls:
        message["tool_calls"] = [_call(head, i, call) for i, call in enumerate(reply.calls)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
    return _body(head, "chat.completion", [choice], usage(head))


def events(reply: Reply, head: Head) -> Iterator[Event]:
    """The events of a streamed answer."""
    kind = "chat.completion.chunk"
    for delta in _deltas(reply, head):
        yield Event(_body(head, kind, [_streamed(delta, None)], None))
    yield Event(_body(head, kind, [_streamed({}, _finish(reply))], None))
    options = head.body.get("stream_options")
    wanted = isinstance(options, dict) and options.get("include_usage")
    if wanted or reply.empty_last_chunk:
        yield Event(_body(head, kind, [], usage(head)))
    yield DONE


def error(status: int, message: str) -> dict[str, Any]:
    """The body of a failure, as `openai/_exceptions.py` reads it."""
    kinds = {429: "rate_limit_exceeded", 400: "invalid_request_error", 401: "invalid_request_error"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    code = "rate_limit_exceeded" if status == 429 else None
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def usage(head: Head) -> dict[str, Any]:
    """Token counts."""
    sent, made = head.usage
    return {
        "prompt_tokens": sent,
        "completion_tokens": made,
        "total_tokens": sent + made,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _said(reply: Reply) -> dict[str, Any]:
    if reply.ends == "refusal":
        return {"content": None, "refusal": reply.text or ""}
    return {"content": reply.text, "refusal": None}


def _finish(reply: Reply) -> str:
    return "stop" if reply.ends == "refusal" else reply.ends


def _deltas(reply: Reply, head: Head) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if reply.calls else "", "refusal": None}
    key = "refusal" if reply.ends == "refusal" else "content"
    yield from ({key: piece} for piece in halves(reply.text or ""))
    for index, call in enumerate(reply.calls):
        opened = _call(head, index, call._replace(arguments=""))
        yield {"tool_calls": [{"index": index, **opened}]}
        for piece in halves(call.text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _call(head: Head, index: int, call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.text}
    return {"id": head.call_id(index), "type": "function", "function": function}


def _streamed(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _body(
    head: Head, kind: str, choices: list[dict[str, Any]], used: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-scripted-{head.number}",
        "object": kind,
        "created": 0,
        "model": head.model,
        "choices": choices,
        "usage": used,
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }
