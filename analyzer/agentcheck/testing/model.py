"""The scripted model: what answers, whichever way the request came."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from agentcheck.testing.protocol import ProtocolError
from agentcheck.testing.reply import Refused, Step
from agentcheck.testing.request import Message, Request
from agentcheck.testing.script import Part, as_script, done
from agentcheck.testing.wire import answer, gemini_read, responses_read, routes
from agentcheck.testing.wire.answer import Answer
from agentcheck.testing.wire.common import Heard, Provider, as_mapping

SAFETY_STOP = 200
# Where an unknown field of the request itself is refused; who else speaks the format has its own.
OPENAI = ("api.openai.com", "127.0.0.1", "localhost", "::1", "")


class Runaway(BaseException):
    """The run went on past the safety stop.

    No Exception, so that code which catches those and tries again is stopped as well.
    """


class Sent(NamedTuple):
    """A request as it came: the URL whole, names of headers in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes
    timeout: float | None = None


class ScriptedModel:
    """Answers every request by the script, as the provider would that the request is meant for.

    `requests` are those it got, `replies[i]` the step it took in answer to `requests[i]` and
    `asked[i]` the ids of the calls it made there; `faults` is what was wrong with any of them,
    `unknown_fields` the fields that their providers do not know, `strays` the URLs that no model
    answers under. `runaway` tells whether the safety stop was passed. Safe for use by threads.
    """

    url = ""  # of the server, while it serves

    def __init__(
        self,
        script: Part | None = None,
        *,
        safety_stop: int = SAFETY_STOP,
        refuse_unknown_fields: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        self.replies: list[Step] = []
        self.asked: list[list[str]] = []
        self.faults: list[str] = []
        self.unknown_fields: list[str] = []
        self.strays: list[str] = []
        self.runaway = False
        self.safety_stop = safety_stop
        self._script = as_script(done() if script is None else script)
        self._refuses = refuse_unknown_fields
        self._memory: dict[str, tuple[Message, ...]] = {}
        self._lock = threading.RLock()

    @property
    def unanswered(self) -> list[str]:
        """The ids of calls that no later request answers with any text."""
        answered = {
            message.call_id
            for request in self.requests
            for message in request.messages
            if message.role == "tool" and message.text
        }
        return [call for calls in self.asked for call in calls if call not in answered]

    def verify(self, *, fields: bool = False) -> None:
        """Raise ProtocolError if any request was faulty; with `fields`, also for unknown fields."""
        __tracebackhide__ = True
        strange = [f"unknown field {name}" for name in self.unknown_fields] if fields else []
        if self.faults or strange:
            raise ProtocolError("; ".join(dict.fromkeys([*self.faults, *strange])))

    @contextmanager
    def install(self) -> Iterator[ScriptedModel]:
        """Answer what this process asks over httpx, httpx2, requests and aiohttp."""
        from agentcheck.testing.inprocess import installed

        with installed(self):
            yield self

    @contextmanager
    def serve(self) -> Iterator[ScriptedModel]:
        """Answer on this machine's loopback, at `url`; the environment leads SDKs there."""
        from agentcheck.testing.server import served

        with served(self):
            yield self

    def answers(self, url: str) -> bool:
        """Whether a model is asked under the URL."""
        path = urlsplit(url).path
        return routes.provider_of(path) is not None or routes.beside(path, {}) is not None

    def answer(self, sent: Sent) -> Answer:
        """The answer to a request; raises Runaway past the safety stop."""
        __tracebackhide__ = True
        with self._lock:
            return self._answer(sent)

    def refusal(self, path: str, message: str) -> Answer:
        """An answer with status 400 that says why, in the words of the path's provider."""
        provider = routes.provider_of(path) or routes.CHAT
        return answer.plain(400, provider.error(400, message))

    def stop_if_runaway(self) -> None:
        """Raise Runaway if the safety stop was passed."""
        __tracebackhide__ = True
        if self.runaway:
            raise Runaway(f"the model was asked more than {self.safety_stop} times")

    def _answer(self, sent: Sent) -> Answer:
        __tracebackhide__ = True
        path = urlsplit(sent.url).path
        provider = routes.provider_of(path)
        body = _json(sent.content)
        if provider is None or sent.method.upper() != "POST":
            return self._beside(sent, path, body)
        if len(self.requests) >= self.safety_stop:
            self.runaway = True
            self.stop_if_runaway()
        request = self._heard(sent, provider, body)
        step = self._step(request)
        self._keep(request, step)
        return answer.written(step, request, provider, sse=_sse(sent.url, provider))

    def _beside(self, sent: Sent, path: str, body: Mapping[str, Any]) -> Answer:
        found = routes.beside(path, body)
        if found is not None:
            return answer.plain(200, found)
        self.strays.append(f"{sent.method} {sent.url}")
        text = f"The scripted model answers nothing at {path}."
        return answer.plain(404, routes.CHAT.error(404, text))

    def _heard(self, sent: Sent, provider: Provider, body: Mapping[str, Any]) -> Request:
        place = urlsplit(sent.url)
        heard = provider.read(body, place.path, self._memory)
        faults = [*heard.faults, *self._refused(heard, provider, place.hostname or "")]
        known = {name: getattr(heard, name) for name in SHARED}
        return Request(
            **known,
            number=len(self.requests) + 1,
            provider=provider.name,
            path=place.path,
            host=place.hostname or "",
            body=body,
            headers=sent.headers,
            timeout=sent.timeout,
            faults=tuple(faults),
            unknown_fields=heard.refused_fields + heard.unknown_fields,
        )

    def _refused(self, heard: Heard, provider: Provider, host: str) -> list[str]:
        lenient = provider.name.startswith("openai") and host not in OPENAI
        refused = () if lenient else heard.refused_fields
        if self._refuses:
            refused = heard.refused_fields + heard.unknown_fields
        return [f"unknown field {name}" for name in refused]

    def _step(self, request: Request) -> Step:
        faults = list(request.faults)
        if not faults:
            step = answer.possible(self._script(request), request)
            if not isinstance(step, Refused):
                return step
            faults = [step.message]
        self.faults += [f"request {request.number}: {fault}" for fault in faults]
        return Refused("; ".join(faults))

    def _keep(self, request: Request, step: Step) -> None:
        reply = answer.reply_of(step)
        calls = answer.calls_of(reply, request) if reply is not None else ()
        self.requests.append(request)
        self.replies.append(step)
        self.asked.append([call.id for call in calls])
        self.unknown_fields += [
            f"{name} (request {request.number})" for name in request.unknown_fields
        ]
        if reply is not None:
            self._remember(request, Message("assistant", reply.text or "", calls))

    def _remember(self, request: Request, said: Message) -> None:
        """Keep what later requests may refer to by an id, or without one."""
        before = self._memory.get(gemini_read.MADE, ())
        self._memory[gemini_read.MADE] = (*before, said)
        if request.provider == "openai-responses":
            whole = (*request.messages, said)
            kept = tuple(message for message in whole if message.role != "system")
            ids = [f"resp_scripted_{request.number}", responses_read.conversation_of(request.body)]
            self._memory.update({key: kept for key in ids if key is not None})


SHARED = ("model", "messages", "tools", "stream", "parallel", "tool_choice", "schema")


def _json(content: bytes) -> Mapping[str, Any]:
    try:
        return as_mapping(json.loads(content or b"{}"))
    except (ValueError, RecursionError):
        return {}


def _sse(url: str, provider: Provider) -> bool:
    """Whether a stream is one of Server-Sent Events; Gemini's is an array unless asked for them."""
    return provider is not routes.GEMINI or parse_qs(urlsplit(url).query).get("alt") == ["sse"]
