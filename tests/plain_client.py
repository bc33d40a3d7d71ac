"""A scripted model on the loopback, asked over plain HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from agentcheck.testing import ScriptedModel

CHAT = "/v1/chat/completions"


def tool(name: str, parameters: Any = None) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters or {}}}


def post(model: ScriptedModel, *tools: Any, path: str = CHAT, **params: Any) -> Any:
    """The answer of a chat completion over plain HTTP."""
    sent = {"model": "m", "messages": [{"role": "user", "content": "Hello."}], **params}
    sent |= {"tools": [tool(t) if isinstance(t, str) else t for t in tools]} if tools else {}
    request = urllib.request.Request(  # noqa: S310 - the loopback
        model.url + path, json.dumps(sent).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
        return json.load(answer)


def names(model: ScriptedModel, *tools: str) -> list[str]:
    message = post(model, *tools)["choices"][0]["message"]
    return [call["function"]["name"] for call in message.get("tool_calls", [])]


def serving() -> Iterator[Any]:
    """What a fixture yields to start models on the loopback; they end with the test."""
    started = []

    def start(script: Any, **options: Any) -> ScriptedModel:
        model = ScriptedModel(script, **options)
        started.append(model.serve())
        return started[-1].__enter__()

    yield start
    for model in started:
        model.__exit__(None, None, None)
