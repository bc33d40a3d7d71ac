"""httpx, and httpx2 that was made of it: the transports of both kinds of client.

The classes and their methods as in `httpx2/_transports/base.py` and `default.py`, 2.16.2; a
transport gets its timeouts, in seconds, by `request.extensions["timeout"]`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from agentcheck.testing.hosts import Patch, stays
from agentcheck.testing.wire.answer import Answer

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel, Sent

GONE = "Server disconnected without sending a response."
CUT = "peer closed connection without sending complete message body (incomplete chunked read)"
LATE = "The read operation timed out"


def patches(module: Any, model: ScriptedModel) -> list[Patch]:
    """What to replace in the module, each with what makes the new of the old."""
    return [
        (module.HTTPTransport, "handle_request", lambda old: _sync(module, model, old)),
        (module.AsyncHTTPTransport, "handle_async_request", lambda old: _async(module, model, old)),
    ]


def _sync(module: Any, model: ScriptedModel, old: Any) -> Callable[[Any, Any], Any]:
    def handle_request(self: Any, request: Any) -> Any:
        __tracebackhide__ = True
        if stays(model, str(request.url)):
            return old(self, request)
        answer = model.answer(_sent(request, request.read()))
        paced = _Paced(module, request, answer)
        if not answer.status:
            raise module.RemoteProtocolError(GONE, request=request)
        paced.wait_once()
        return module.Response(
            answer.status, headers=dict(answer.headers), stream=_stream(module, paced)
        )

    return handle_request


def _async(module: Any, model: ScriptedModel, old: Any) -> Callable[[Any, Any], Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        __tracebackhide__ = True
        if stays(model, str(request.url)):
            return await old(self, request)
        answer = model.answer(_sent(request, await request.aread()))
        paced = _Paced(module, request, answer)
        if not answer.status:
            raise module.RemoteProtocolError(GONE, request=request)
        await paced.wait_once_async()
        return module.Response(
            answer.status, headers=dict(answer.headers), stream=_async_stream(module, paced)
        )

    return handle_async_request


def _sent(request: Any, content: bytes) -> Sent:
    from agentcheck.testing.model import Sent

    headers = {name.lower(): value for name, value in request.headers.items()}
    return Sent(request.method, str(request.url), headers, content, _read_timeout(request))


def _read_timeout(request: Any) -> float | None:
    found = (request.extensions.get("timeout") or {}).get("read")
    return None if found is None else float(found)


class _Paced:
    """The pieces of an answer, each after its pause; the first pause is over with the headers."""

    def __init__(self, module: Any, request: Any, answer: Answer) -> None:
        self._module = module
        self._request = request
        self._answer = answer
        limit = _read_timeout(request)
        self._late = limit is not None and limit < answer.pause
        self._pause = min(answer.pause, limit) if limit is not None else answer.pause

    def wait_once(self) -> None:
        time.sleep(self._pause)
        self._check()

    async def wait_once_async(self) -> None:
        await asyncio.sleep(self._pause)
        self._check()

    def __iter__(self) -> Iterator[bytes]:
        for place, piece in enumerate(self._answer.pieces):
            if place:
                self.wait_once()
            yield piece
        self._end()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for place, piece in enumerate(self._answer.pieces):
            if place:
                await self.wait_once_async()
            yield piece
        self._end()

    def _check(self) -> None:
        if self._late:
            raise self._module.ReadTimeout(LATE, request=self._request)

    def _end(self) -> None:
        if self._answer.lost:
            raise self._module.RemoteProtocolError(CUT, request=self._request)


def _stream(module: Any, paced: _Paced) -> Any:
    class Stream(module.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            return iter(paced)

    return Stream()


def _async_stream(module: Any, paced: _Paced) -> Any:
    class Stream(module.AsyncByteStream):  # type: ignore[misc]
        def __aiter__(self) -> AsyncIterator[bytes]:
            return paced.__aiter__()

    return Stream()
