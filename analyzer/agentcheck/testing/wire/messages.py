"""Anthropic messages: what is answered.

Fields as in `anthropic/types/message.py`, `usage.py`, `stop_reason.py`, `tool_use_block.py` and the
`raw_*_event.py` beside them, of the anthropic package, 2.14.0. A stream is message_start; for each
block content_block_start, deltas and content_block_stop; message_delta with the stop reason and the
usage; message_stop; with a ping among them. Arguments are an object here and broken ones can come
in a stream alone, as pieces of JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.testing.reply import Call, Reply
from agentcheck.testing.wire.common import Event, Head, arguments, halves

STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "refusal": "refusal",
}
# The error types of `anthropic/types/shared/`, by the status they come with.
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    said = [{"type": "text", "text": reply.text, "citations": None}] if reply.text else []
    calls = [
        {**_call(call, head, index), "input": arguments(call)}
        for index, call in enumerate(reply.calls)
    ]
    stop = {"stop_reason": STOPS[reply.ends], "stop_sequence": None, **_details(reply)}
    return {**_begun(head), "content": [*said, *calls], **stop, "usage": _usage(head)}


def events(reply: Reply, head: Head) -> Iterator[Event]:
    """The events of a streamed answer."""
    for part in _parts(reply, head):
        yield Event(part, str(part["type"]))


def error(status: int, message: str) -> dict[str, Any]:
    """The body of a failure, as `anthropic/types/shared/error_response.py` has it."""
    kind = ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}


def _parts(reply: Reply, head: Head) -> Iterator[dict[str, Any]]:
    sent, made = head.usage
    begun = {**_begun(head), "content": [], "stop_reason": None, "stop_sequence": None}
    usage = {**_usage(head), "output_tokens": 1}
    yield {"type": "message_start", "message": {**begun, "usage": usage}}
    yield {"type": "ping"}
    texts = [reply.text] if reply.text else []
    for text in texts:
        yield from _block(0, {"type": "text", "text": ""}, "text_delta", "text", text)
    for index, call in enumerate(reply.calls):
        opened = {**_call(call, head, index), "input": {}}
        at = index + len(texts)
        yield from _block(at, opened, "input_json_delta", "partial_json", call.text)
    stop = {"stop_reason": STOPS[reply.ends], "stop_sequence": None, **_details(reply)}
    spent = {"input_tokens": sent, "output_tokens": made}
    yield {"type": "message_delta", "delta": stop, "usage": spent}
    yield {"type": "message_stop"}


def _block(
    at: int, opened: dict[str, Any], kind: str, key: str, text: str
) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": at, "content_block": opened}
    for piece in halves(text):
        yield {"type": "content_block_delta", "index": at, "delta": {"type": kind, key: piece}}
    yield {"type": "content_block_stop", "index": at}


def _call(call: Call, head: Head, index: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": head.call_id(index), "name": call.name}


def _details(reply: Reply) -> dict[str, Any]:
    if STOPS[reply.ends] != "refusal":
        return {}
    return {"stop_details": {"type": "refusal", "category": None, "explanation": None}}


def _begun(head: Head) -> dict[str, Any]:
    fixed = {"type": "message", "role": "assistant"}
    return {"id": f"msg_scripted_{head.number}", **fixed, "model": head.model}


def _usage(head: Head) -> dict[str, Any]:
    cache = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {"input_tokens": head.usage[0], **cache, "output_tokens": head.usage[1]}
