"""A scripted model: a stand-in for an OpenAI-style client that answers from a script.

    model = ScriptedModel(asks("look_up"), says("Found it."))
    Runner(client=model).run(...)
    assert len(model.requests) == 2

It needs no network and no key, answers in the SDK's shapes, keeps every request, refuses what a
provider would refuse, and ends a run that asks without end.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from agentcheck.acceptance import protocol, shapes, wire
from agentcheck.acceptance.wire import Call, Reply

__all__ = [
    "Call",
    "ProtocolError",
    "Reply",
    "Request",
    "Runaway",
    "ScriptedModel",
    "asks",
    "either",
    "says",
]

SAFETY_STOP = 200


class Runaway(BaseException):
    """The run went on past the safety stop.

    No Exception, so that code which catches those and tries again is stopped as well.
    """


class ProtocolError(AssertionError):
    """The request is one that a provider would refuse, or not one that the script is for."""


class Request:
    """One request as the model got it: `number` from 1, all `params`, a copy of `messages`.

    Messages that are as they were in the request `before` share its copies.
    """

    def __init__(self, number: int, params: dict[str, Any], before: Sequence[Any] = ()) -> None:
        self.number = number
        self.params = params
        messages = list(params.get("messages", ()))
        sent = itertools.zip_longest(messages, before[: len(messages)])
        self.messages = [old if new == old else copy.deepcopy(new) for new, old in sent]

    @property
    def tools(self) -> list[str]:
        """The names of the tools the request offers."""
        offered = protocol.items(self.params, "tools")
        return [str(protocol.field(protocol.field(tool, "function"), "name")) for tool in offered]

    @property
    def answers(self) -> dict[str, str]:
        """The texts of the tool messages since the last assistant message, by call id."""
        found: dict[str, str] = {}
        for message in reversed(self.messages):
            if protocol.field(message, "role") == "assistant":
                break
            if protocol.field(message, "role") == "tool":
                found[str(protocol.field(message, "tool_call_id"))] = protocol.text_of(message)
        return found


Step = Reply | Callable[[Request], Reply]


def says(text: str = "Done.", finish_reason: str = "stop") -> Reply:
    """A reply in words."""
    return Reply(text=text, finish_reason=finish_reason)


def asks(*calls: str | Call, finish_reason: str = "tool_calls") -> Reply:
    """A reply that calls tools, all in one batch; a bare name is called without arguments."""
    made = tuple(Call(call) if isinstance(call, str) else call for call in calls)
    return Reply(calls=made, finish_reason=finish_reason)


def either(*names: str) -> Callable[[Request], Reply]:
    """A step that calls whichever of the tools the request offers: handoffs to and fro."""
    return lambda request: asks(next((n for n in names if n in request.tools), names[0]))


class ScriptedModel:
    """Answers with `replies` in order, then with `then` to every further request.

    `requests` are those it got, `asked[i]` the ids of the calls it made in answer to
    `requests[i]`, `faults` what was wrong with any of them. `create` raises Runaway on every
    request past `safety_stop`, and ProtocolError for one that a provider would refuse or whose
    tools are not those of the script. Set `asynchronous` to have it awaited.
    """

    def __init__(
        self, *replies: Step, then: Step | None = None, safety_stop: int = SAFETY_STOP
    ) -> None:
        self.asynchronous = False
        self.requests: list[Request] = []
        self.asked: list[list[str]] = []
        self.faults: list[str] = []
        self._replies = replies
        self._then = then or says()
        self._safety_stop = safety_stop
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    @property
    def unanswered(self) -> list[str]:
        """The ids of calls that got no answer with text in the request that followed."""
        answers = [request.answers for request in self.requests[1:]] + [{}]
        pairs = zip(self.asked, answers, strict=True) if self.asked else ()
        return [i for ids, answered in pairs for i in ids if not answered.get(i)]

    def verify(self) -> None:
        """Raise ProtocolError if any request was faulty, also where the run swallowed the error."""
        if self.faults:
            raise ProtocolError("; ".join(self.faults))

    def _create(self, **params: Any) -> Any:
        if len(self.requests) >= self._safety_stop:
            raise Runaway(f"the model was asked more than {self._safety_stop} times")
        before = self.requests[-1].messages if self.requests else ()
        request = Request(len(self.requests) + 1, params, before)
        self.requests.append(request)
        self._refuse(protocol.faults(request.messages), request)
        reply = self._reply(request)
        head = wire.Head(request.number, str(params.get("model")))
        self.asked.append([head.call_id(index) for index in range(len(reply.calls))])
        return self._answer(reply, head, params)

    def _reply(self, request: Request) -> Reply:
        index = request.number - 1
        step = self._replies[index] if index < len(self._replies) else self._then
        reply = step if isinstance(step, Reply) else step(request)
        missing = [call.name for call in reply.calls if call.name not in request.tools]
        if missing and request.number == 1:
            wanted = f"the script calls {missing}, the request offers the tools {request.tools}"
            self._refuse([wanted], request)
        return _possible(reply, request)

    def _answer(self, reply: Reply, head: wire.Head, params: dict[str, Any]) -> Any:
        if not params.get("stream"):
            shaped = shapes.completion(wire.whole(reply, head))
        else:
            usage = bool(protocol.field(params.get("stream_options"), "include_usage"))
            chunks = [shapes.chunk(event) for event in wire.events(reply, head, usage=usage)]
            shaped = shapes.AsyncStream(chunks) if self.asynchronous else shapes.Stream(chunks)
        return _later(shaped) if self.asynchronous else shaped

    def _refuse(self, faults: Sequence[str], request: Request) -> None:
        if faults:
            self.asked.append([])
            self.faults += [f"request {request.number}: {fault}" for fault in faults]
            raise ProtocolError("; ".join(self.faults))


def _possible(reply: Reply, request: Request) -> Reply:
    """What a model could say to this request: only tools it offers, one call if it says so."""
    calls = [call for call in reply.calls if call.name in request.tools]
    if reply.calls and not calls:
        return says()
    one_at_a_time = request.params.get("parallel_tool_calls") is False
    return reply._replace(calls=tuple(calls[:1] if one_at_a_time else calls))


async def _later(value: Any) -> Any:
    return value
