"""A step of the script as the bytes of an answer, for whatever carries them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from agentcheck.testing.reply import Call, Dropped, Failure, Refused, Reply, Slow, Step
from agentcheck.testing.request import Asked, Request, estimate
from agentcheck.testing.schema import sample
from agentcheck.testing.wire.common import Head, Provider, is_broken


class Answer(NamedTuple):
    """What goes back: `pieces` are the body, of a stream an event each.

    `pause` is seconds before each piece. Where `lost`, the connection ends after the pieces, and
    with status 0 before there was any answer.
    """

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    pause: float = 0.0
    lost: bool = False


def plain(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
    """An answer in one piece."""
    content = json.dumps(body).encode()
    kind = {"content-type": "application/json", "content-length": str(len(content))}
    return Answer(status, {**kind, **(headers or {})}, (content,))


def possible(step: Step, request: Request) -> Step:
    """The step as a model could take it for this request.

    Arguments that are not given fit the tool that is offered; there is one call where the request
    wants no more at a time, and none where it wants none; of a reply that is cut, the last call's
    arguments are.
    """
    reply = reply_of(step)
    if reply is None or not reply.calls:
        return step
    if request.tool_choice == "none":
        return _with(step, replace(reply, calls=(), finish="stop", text=reply.text or "Done."))
    calls = [_filled(call, request) for call in reply.calls]
    calls = calls if request.parallel else calls[:1]
    if reply.ends == "length":
        calls[-1] = calls[-1]._replace(arguments=calls[-1].text[: len(calls[-1].text) // 2])
    return _with(step, replace(reply, calls=tuple(calls)))


def reply_of(step: Step) -> Reply | None:
    """The reply that a step gives, if it gives one whole."""
    return step if isinstance(step, Reply) else step.reply if isinstance(step, Slow) else None


def calls_of(reply: Reply, request: Request) -> tuple[Asked, ...]:
    """The calls of a reply that arrive, with the ids that the answer gives them.

    Gemini's arguments are objects: a call with broken ones never arrives.
    """
    head = _head(reply, request)
    arrive = [
        (head.call_id(i), call)
        for i, call in enumerate(reply.calls)
        if not (request.provider == "gemini" and is_broken(call))
    ]
    return tuple(Asked(call_id, call.name, call.text) for call_id, call in arrive)


def written(step: Step, request: Request, provider: Provider, *, sse: bool) -> Answer:
    """The bytes of a step, in the provider's form."""
    if isinstance(step, Refused):
        return plain(400, provider.error(400, step.message))
    if isinstance(step, Failure):
        return _failed(step, provider)
    if isinstance(step, Dropped):
        return _dropped(step, request, provider, sse=sse)
    if isinstance(step, Slow):
        return _said(step.reply, request, provider, sse=sse)._replace(pause=step.seconds)
    return _said(step, request, provider, sse=sse)


def _said(reply: Reply, request: Request, provider: Provider, *, sse: bool) -> Answer:
    head = _head(reply, request)
    if not request.stream:
        return plain(200, provider.whole(reply, head))
    events = list(provider.events(reply, head))
    if sse:
        kind = {"content-type": "text/event-stream; charset=utf-8"}
        return Answer(200, kind, tuple(event.encoded() for event in events))
    texts = [json.dumps(event.data) for event in events]
    opened = [("[" if i == 0 else ",\n") + text for i, text in enumerate(texts)]
    opened[-1] += "]"
    return Answer(
        200, {"content-type": "application/json"}, tuple(text.encode() for text in opened)
    )


def _failed(failure: Failure, provider: Provider) -> Answer:
    headers = {}
    if failure.retry_after is not None:
        headers["retry-after"] = f"{failure.retry_after:g}"
    return plain(failure.status, provider.error(failure.status, failure.message), headers)


def _dropped(step: Dropped, request: Request, provider: Provider, *, sse: bool) -> Answer:
    if step.after is None:
        return Answer(0, {}, (), lost=True)
    whole = _said(step.reply, request, provider, sse=sse)
    if request.stream:
        return whole._replace(pieces=whole.pieces[: step.after], lost=True)
    content = b"".join(whole.pieces)
    return whole._replace(pieces=(content[: len(content) // 2],), lost=True)


def _head(reply: Reply, request: Request) -> Head:
    used = reply.usage
    if used is None:
        said = (reply.text or "") + "".join(call.name + call.text for call in reply.calls)
        used = (request.tokens, estimate(said))
    return Head(request.number, request.model, request.body, used)


def _filled(call: Call, request: Request) -> Call:
    if call.arguments is not None:
        return call
    tool = request.tool(call.name)
    fitting = sample(tool.parameters) if tool is not None else {}
    return call._replace(arguments=fitting if isinstance(fitting, dict) else {})


def _with(step: Step, reply: Reply) -> Step:
    return replace(step, reply=reply) if isinstance(step, Slow) else reply
