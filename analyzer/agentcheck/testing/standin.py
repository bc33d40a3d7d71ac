"""A client to hand to code that takes one: the SDK's own, or a stand-in where it is not installed.

The stand-in is a client of OpenAI's chat completions (`client.chat.completions.create`), for
targets that never import an SDK themselves.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from agentcheck.testing import shapes
from agentcheck.testing.model import ScriptedModel, Sent

URL = "https://api.openai.com/v1/chat/completions"
NO_KEY = "none"
# Arguments of every method of the SDK that are not fields of the request.
OPTIONS = ("timeout", "extra_headers", "extra_query", "extra_body")


class StandInError(Exception):
    """What the stand-in raises where the provider answers with an error; `status` as in HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Error code: {status} - {message}")
        self.status_code = status


def client_for(function: Callable[..., Any], model: ScriptedModel) -> Any:
    """A client for a method that is called, awaited or read, as its kind needs; it never retries.

    Whatever it asks, the scripted model answers.
    """
    awaited = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    try:
        sdk = importlib.import_module("openai")
    except ImportError:
        return stand_in(model, asynchronous=awaited)
    kind, transport = (
        (sdk.AsyncOpenAI, "DefaultAsyncHttpxClient")
        if awaited
        else (sdk.OpenAI, "DefaultHttpxClient")
    )
    made = getattr(sdk, transport, None)
    if made is None:
        return kind(api_key=NO_KEY, max_retries=0)
    # Nothing leaves the machine: to read the certificates again for every client takes long.
    return kind(api_key=NO_KEY, max_retries=0, http_client=made(verify=False))


def stand_in(model: ScriptedModel, *, asynchronous: bool = False) -> Any:
    """An object with `chat.completions.create` that the scripted model answers."""

    def create(**params: Any) -> Any:
        return _asked(model, params, asynchronous=asynchronous)

    async def acreate(**params: Any) -> Any:
        return _asked(model, params, asynchronous=asynchronous)

    completions = SimpleNamespace(create=acreate if asynchronous else create)
    return SimpleNamespace(chat=SimpleNamespace(completions=completions))


def _asked(model: ScriptedModel, params: Mapping[str, Any], *, asynchronous: bool) -> Any:
    content = json.dumps(_sent(params), default=_dumped).encode()
    answer = model.answer(Sent("POST", URL, {}, content))
    if answer.status != 200:
        raise StandInError(answer.status, b"".join(answer.pieces).decode() or "no answer")
    if not params.get("stream"):
        return shapes.completion(json.loads(b"".join(answer.pieces)))
    chunks = [shapes.chunk(event) for event in _events(answer.pieces)]
    return shapes.AsyncStream(chunks) if asynchronous else shapes.Stream(chunks)


def _sent(params: Mapping[str, Any]) -> dict[str, Any]:
    """What goes over the wire: the SDK leaves out what was not given and what is for itself."""
    sent = {name: value for name, value in params.items() if value is not None}
    own = {name: sent.pop(name) for name in OPTIONS if name in sent}
    return {**sent, **own.get("extra_body", {})}


def _dumped(value: Any) -> Any:
    """A message that is an object of the SDK, or shaped like one."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{value!r} cannot be sent to a model")
    return dump(exclude_none=True)


def _events(pieces: tuple[bytes, ...]) -> Iterator[Any]:
    for piece in pieces:
        text = piece.decode().strip().removeprefix("data: ")
        if text != "[DONE]":
            yield json.loads(text)
