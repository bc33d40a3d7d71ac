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
        return self.build_response(request, _raw(module, answer, limit))

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


def _raw(module: Any, answer: Answer, limit: float | None) -> Any:
    body = io.BufferedReader(_Pieces(module, answer, limit), 1)
    return importlib.import_module("urllib3").HTTPResponse(
        body=body,
        headers=dict(answer.headers),
        status=answer.status,
        preload_content=False,
        decode_content=False,
    )


class _Pieces(io.RawIOBase):
    """The pieces of an answer as a file, each after its pause."""

    def __init__(self, module: Any, answer: Answer, limit: float | None) -> None:
        super().__init__()
        self._module = module
        self._answer = answer
        self._limit = limit
        self._rest = list(answer.pieces)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            return self._end()
        self._wait()
        piece = self._rest.pop(0)
        taken, left = piece[: len(buffer)], piece[len(buffer) :]
        buffer[: len(taken)] = taken
        if left:
            self._rest.insert(0, left)
        return len(taken)

    def _wait(self) -> None:
        limit = self._limit
        pause = self._answer.pause
        time.sleep(pause if limit is None else min(limit, pause))
        if limit is not None and limit < pause:
            raise self._module.exceptions.ReadTimeout("Read timed out.")

    def _end(self) -> int:
        if self._answer.lost:
            raise self._module.exceptions.ChunkedEncodingError("Connection broken")
        return 0
