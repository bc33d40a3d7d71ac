"""Gemini generateContent: what is answered.

Fields as in `GenerateContentResponse`, `Candidate`, `FinishReason` and `FunctionCall` of
`google/genai/types.py` in google-genai, 3.6.1, in the spelling of its wire. A refusal is a prompt
that was blocked and has no candidates; a filtered reply ends with SAFETY; a call whose arguments
are no JSON ends with MALFORMED_FUNCTION_CALL and never arrives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.testing.reply import Reply
from agentcheck.testing.wire.common import Event, Head, arguments, halves, is_broken

FINISHES = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
MALFORMED = "MALFORMED_FUNCTION_CALL"
# The statuses of google.rpc.Code, by the HTTP status they come with.
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def whole(reply: Reply, head: Head) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    if reply.ends == "refusal":
        return _blocked(reply, head)
    finish = _finish(reply)
    said = [{"text": reply.text}] if reply.text else []
    calls = [] if finish == MALFORMED else _calls(reply, head)
    return _body(head, [_candidate([*said, *calls], finish)])


def events(reply: Reply, head: Head) -> Iterator[Event]:
    """The events of a streamed answer; the finish reason comes with the last parts."""
    if reply.ends == "refusal":
        yield Event(_blocked(reply, head))
        return
    finish = _finish(reply)
    parts: list[dict[str, Any]] = [{"text": piece} for piece in halves(reply.text or "")]
    parts += [] if finish == MALFORMED else _calls(reply, head)
    for part in parts[:-1]:
        yield Event(_body(head, [_candidate([part], None)]))
    yield Event(_body(head, [_candidate(parts[-1:], finish)]))
    if reply.empty_last_chunk:
        yield Event(_body(head, []))


def error(status: int, message: str) -> dict[str, Any]:
    """The body of a failure, as `google/genai/errors.py` reads it."""
    name = STATUSES.get(status, "INTERNAL" if status >= 500 else "FAILED_PRECONDITION")
    return {"error": {"code": status, "message": message, "status": name}}


def _finish(reply: Reply) -> str:
    cut = reply.ends == "length"
    return MALFORMED if not cut and any(map(is_broken, reply.calls)) else FINISHES[reply.ends]


def _calls(reply: Reply, head: Head) -> list[dict[str, Any]]:
    """The calls as parts; one that was cut before its arguments were whole never arrives."""
    return [
        {"functionCall": {"id": head.call_id(i), "name": call.name, "args": arguments(call)}}
        for i, call in enumerate(reply.calls)
        if not is_broken(call)
    ]


def _candidate(parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    content = {"content": {"role": "model", **({"parts": parts} if parts else {})}}
    return {**content, **({"finishReason": finish} if finish else {}), "index": 0}


def _blocked(reply: Reply, head: Head) -> dict[str, Any]:
    feedback = {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": reply.text or ""}
    return {"promptFeedback": feedback, **_body(head, [])}


def _body(head: Head, candidates: list[dict[str, Any]]) -> dict[str, Any]:
    sent, made = head.usage
    used = {"promptTokenCount": sent, "candidatesTokenCount": made, "totalTokenCount": sent + made}
    known = {"usageMetadata": used, "modelVersion": head.model}
    return {
        **({"candidates": candidates} if candidates else {}),
        **known,
        "responseId": f"scripted-{head.number}",
    }
