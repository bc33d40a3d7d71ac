"""OpenAI responses: what is answered.

Fields and events as in `openai/types/responses/response.py`, `response_usage.py`,
`response_output_message.py`, `response_function_tool_call.py` and the `*_event.py` beside them, of
the openai package, 3.57.0. A reply that is cut or filtered has status "incomplete". There are no
choices here, so that an empty last chunk has no form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentcheck.testing.reply import Call, Reply
from agentcheck.testing.wire.chat import error
from agentcheck.testing.wire.common import Event, Head, halves

__all__ = ["error", "events", "whole"]

REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}
# What a response repeats of its request.
ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
}


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    reason = REASONS.get(reply.ends)
    return {
        **_begun(head),
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "output": _output(reply, head),
        "usage": _usage(head),
    }


def response_id(head: Head) -> str:
    """The id by which a later request goes on from this response."""
    return f"resp_scripted_{head.number}"


def events(reply: Reply, head: Head) -> Iterator[Event]:
    """The events of a streamed answer, numbered."""
    ended = whole(reply, head)
    begun = {**_begun(head), "status": "in_progress", "output": [], "usage": None}
    parts = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        *(part for i, item in enumerate(ended["output"]) for part in _item_events(item, i)),
        {"type": f"response.{ended['status']}", "response": ended},
    ]
    for number, part in enumerate(parts):
        yield Event({**part, "sequence_number": number}, str(part["type"]))


def _begun(head: Head) -> dict[str, Any]:
    given = {key: head.body[key] for key in ECHOED if head.body.get(key) is not None}
    fixed = {"object": "response", "created_at": 0, "error": None, "incomplete_details": None}
    return {"id": response_id(head), **fixed, **ECHOED, **given, "model": head.model}


def _usage(head: Head) -> dict[str, Any]:
    sent, made = head.usage
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + made,
    }


def _output(reply: Reply, head: Head) -> list[dict[str, Any]]:
    status = "incomplete" if reply.ends in REASONS else "completed"
    said = [] if reply.text is None else [_message(reply, reply.text, head, status)]
    return said + [_call(call, head, index, status) for index, call in enumerate(reply.calls)]


def _message(reply: Reply, text: str, head: Head, status: str) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    if reply.ends == "refusal":
        part = {"type": "refusal", "refusal": text}
    made = {"type": "message", "role": "assistant", "status": status, "content": [part]}
    return {"id": f"msg_scripted_{head.number}", **made}


def _call(call: Call, head: Head, index: int, status: str) -> dict[str, Any]:
    return {
        "id": f"fc_scripted_{head.number}_{index}",
        "type": "function_call",
        "call_id": head.call_id(index),
        "name": call.name,
        "arguments": call.text,
        "status": status,
    }


def _item_events(item: Mapping[str, Any], index: int) -> Iterator[dict[str, Any]]:
    of_call = item["type"] == "function_call"
    empty: dict[str, Any] = {"arguments": ""} if of_call else {"content": []}
    opened = {**item, "status": "in_progress", **empty}
    yield {"type": "response.output_item.added", "output_index": index, "item": opened}
    at = {"item_id": item["id"], "output_index": index}
    yield from _call_events(item, at) if of_call else _part_events(item["content"][0], at)
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _call_events(item: Mapping[str, Any], at: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in halves(item["arguments"]):
        yield {"type": f"{kind}.delta", **at, "delta": piece}
    yield {"type": f"{kind}.done", **at, "name": item["name"], "arguments": item["arguments"]}


def _part_events(part: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    at = {**place, "content_index": 0}
    key = "refusal" if part["type"] == "refusal" else "text"
    kind = "response.refusal" if key == "refusal" else "response.output_text"
    more: dict[str, Any] = {} if key == "refusal" else {"logprobs": []}
    yield {"type": "response.content_part.added", **at, "part": {**part, key: ""}}
    for piece in halves(part[key]):
        yield {"type": f"{kind}.delta", **at, "delta": piece, **more}
    yield {"type": f"{kind}.done", **at, key: part[key], **more}
    yield {"type": "response.content_part.done", **at, "part": part}
