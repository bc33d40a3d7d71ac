"""requests: the adapter that sends a prepared request (`requests/adapters.py`, 2.34)."""

from __future__ import annotations

import importlib
import io
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentcheck.testing.hosts import Patch, stays
from agentcheck.testing.wire.answer import Answer

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel


def patches(module: Any, model: ScriptedModel) -> list[Patch]:
    """What to replace in the module, each with what makes the new of the old."""
    adapter = module.adapters.HTTPAdapter
    return [(adapter, "send", lambda old: _send(module, model, old))]


def _send(module: Any, model: ScriptedModel, old: Any) -> Callable[..., Any]:
    def send(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        if stays(model, request.url):
            return old(self, request, *args, **options)
        limit = _read_timeout(options.get("timeout"))
        answer = model.answer(_sent(request, limit))
        if not answer.status:
            raise module.exceptions.ConnectionError("Remote end closed connection", request=request)
        if not _waited(answer.pause, limit):
            raise module.exceptions.ReadTimeout("Read timed out.", request=request)
        return self.build_response(request, _raw(answer, limit))

    return send


def _sent(request: Any, limit: float | None) -> Any:
    from agentcheck.testing.model import Sent

    body = request.body or b""
    content = body.encode() if isinstance(body, str) else bytes(body)
    headers = {name.lower(): str(value) for name, value in request.headers.items()}
    return Sent(request.method, request.url, headers, content, limit)


def _read_timeout(timeout: Any) -> float | None:
    found = timeout[1] if isinstance(timeout, tuple) else timeout
    return float(found) if isinstance(found, (int, float)) else None


def _waited(pause: float, limit: float | None) -> bool:
    """Let the pause go by, or the limit if that is shorter; whether it was the pause."""
    time.sleep(pause if limit is None else min(limit, pause))
    return limit is None or limit >= pause


def _raw(answer: Answer, limit: float | None) -> Any:
    body = io.BufferedReader(_Pieces(answer, limit), 1)
    return importlib.import_module("urllib3").HTTPResponse(
        body=body,
        headers=dict(answer.headers),
        status=answer.status,
        preload_content=False,
        decode_content=False,
    )


class _Pieces(io.RawIOBase):
    """The pieces of an answer as a file, each but the first after its pause."""

    def __init__(self, answer: Answer, limit: float | None) -> None:
        super().__init__()
        self._answer = answer
        self._limit = limit
        self._rest = list(answer.pieces)
        self._due = False  # whether a pause comes before the next piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            return self._end()
        if self._due and not _waited(self._answer.pause, self._limit):
            raise TimeoutError("timed out")
        piece = self._rest.pop(0)
        taken, left = piece[: len(buffer)], piece[len(buffer) :]
        buffer[: len(taken)] = taken
        self._due = not left
        if left:
            self._rest.insert(0, left)
        return len(taken)

    def _end(self) -> int:
        if self._answer.lost:
            raise ConnectionResetError("Connection reset by peer")
        return 0
