"""Scripts: what the model answers to each request.

A script is a function from a `Request` to a step (a `Reply`, or a way to fail). It sees the tools
that the request offers and the messages so far. Wherever a script is taken, a step alone stands for
the script that always gives it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Union

from agentcheck.testing.reply import (
    Call,
    Dropped,
    Failure,
    Refused,
    Reply,
    Slow,
    Step,
    asks,
    says,
)
from agentcheck.testing.request import Request
from agentcheck.testing.schema import sample

Script = Callable[[Request], Step]
Part = Union[Step, Script]  # noqa: UP007 - a callable has no | before Python 3.11
HANDOFF_WORDS = ("transfer", "handoff", "hand_off", "delegate")


def done(text: str = "Done.") -> Script:
    """End the run: `text`, or what the request demands in its place.

    Where the request demands JSON of a schema, the least that fits it; where it demands a tool
    call, a call whose arguments fit.
    """

    def step(request: Request) -> Reply:
        if request.tool_choice == "required" and request.tools:
            return asks(request.tools[-1].name)
        if request.tool_choice in request.tool_names:
            return asks(request.tool_choice)
        if request.schema is not None:
            return says(json.dumps(sample(request.schema)))
        return says(text)

    return step


def sequence(*parts: Part, then: Part | None = None) -> Script:
    """Each part in turn, one a request, and after the last `then` (by default `done()`)."""
    rest = as_script(done() if then is None else then)
    scripts = [as_script(part) for part in parts]
    return lambda request: (
        scripts[request.number - 1](request) if request.number <= len(scripts) else rest(request)
    )


def always(tool: str | None = None, arguments: Mapping[str, Any] | str | None = None) -> Script:
    """Ask for the tool again and again (without a name: for the first that is offered).

    A tool that the first request does not offer is a fault of the test; where a later one does not
    offer it, the run is ended.
    """

    def step(request: Request) -> Step:
        if tool is None and not request.tools:
            return _missing(["any tool"], request)
        name = request.tools[0].name if tool is None else tool
        return _offered(asks(Call(name, arguments)), request)

    return step


def ping_pong(*names: str) -> Script:
    """Hand over to and fro: always call whichever of the handoff tools the request offers.

    Without names: any offered tool whose name has "transfer", "handoff" or "delegate" in it.
    """

    def step(request: Request) -> Step:
        offered = [name for name in request.tool_names if _hands_over(name, names)]
        if not offered:
            wanted = list(names) or ["a handoff"]
            return _missing(wanted, request) if request.number == 1 else done()(request)
        return asks(offered[0])

    return step


def two_handoffs(first: str, second: str, *, then: Part | None = None) -> Script:
    """Call both handoff tools in one reply, then go on with `then`."""
    return sequence(calling(first, second), then=then)


def calling(*calls: str | Call) -> Script:
    """One reply with these calls, of those that the request offers."""
    return lambda request: _offered(asks(*calls), request)


def broken_arguments(
    tool: str | None = None, arguments: str = '{"text": "cut o', *, then: Part | None = None
) -> Script:
    """Call the tool with arguments that are no JSON, once, then go on with `then`.

    Over Anthropic's wire that can happen in a stream only: an answer that is not streamed has no
    arguments at all in their place. Gemini's answer is the one it has for this, a candidate with
    finish reason MALFORMED_FUNCTION_CALL.
    """
    return sequence(always(tool, arguments), then=then)


def unknown_tool(name: str = "no_such_tool", *, then: Part | None = None) -> Script:
    """Call a tool that does not exist, once, then go on with `then`."""
    return sequence(asks(Call(name, {})), then=then)


def cut_off(text: str = "The answer is", *, calls: tuple[Call, ...] = ()) -> Script:
    """Replies that end at the token limit, in the middle of the text (or of the last call)."""
    return as_script(Reply(text=text, calls=calls, finish="length"))


def filtered(text: str = "") -> Script:
    """Replies that the provider's content filter ends."""
    return as_script(Reply(text=text, finish="content_filter"))


def refusal(text: str = "I can't help with that.") -> Script:
    """Replies in which the model refuses."""
    return as_script(Reply(text=text, finish="refusal"))


def growing_usage(tool: str | None = None, *, first: int = 1000, factor: float = 2.0) -> Script:
    """Ask for the tool again and again, each time with more input tokens used."""

    def step(request: Request) -> Step:
        reply = always(tool)(request)
        used = int(first * factor ** (request.number - 1))
        return replace(reply, usage=(used, 50)) if isinstance(reply, Reply) else reply

    return step


def rate_limited(times: int = 1, retry_after: float = 1, *, then: Part | None = None) -> Script:
    """Status 429 with a retry-after header for the first requests, then `then`."""
    return sequence(*[Failure(429, retry_after, "Rate limit reached.")] * times, then=then)


def server_error(times: int = 1, status: int = 500, *, then: Part | None = None) -> Script:
    """An error of the server for the first requests, then `then`."""
    return sequence(*[Failure(status)] * times, then=then)


def dropped(times: int = 1, after: int | None = None, *, then: Part | None = None) -> Script:
    """Connections that end early for the first requests (see `Dropped`), then `then`."""
    return sequence(*[Dropped(after)] * times, then=then)


def slow_stream(seconds: float = 1.0, text: str = "At last.") -> Script:
    """Replies whose every event takes `seconds` to come."""
    return as_script(Slow(seconds, says(text)))


def empty_last_chunk(text: str = "Done.") -> Script:
    """Replies whose stream ends with a chunk without choices (candidates)."""
    return as_script(Reply(text=text, empty_last_chunk=True))


def as_script(part: Part) -> Script:
    """A step as the script that always gives it; a script as it is."""
    if isinstance(part, Step):
        return lambda _: part
    return part


def _offered(reply: Reply, request: Request) -> Step:
    """The reply with those of its calls whose tools are offered; the end of the run if none is."""
    missing = [call.name for call in reply.calls if call.name not in request.tool_names]
    if missing and request.number == 1:
        return _missing(missing, request)
    calls = tuple(call for call in reply.calls if call.name not in missing)
    return replace(reply, calls=calls) if calls else done()(request)


def _missing(wanted: list[str], request: Request) -> Refused:
    return Refused(f"the script calls {wanted}, the request offers the tools {request.tool_names}")


def _hands_over(tool: str, names: tuple[str, ...]) -> bool:
    return tool in names if names else any(word in tool.lower() for word in HANDOFF_WORDS)
