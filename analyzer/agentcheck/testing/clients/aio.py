"""aiohttp: what is asked of a model is led to a server on the loopback (`aiohttp/client.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from agentcheck.testing.hosts import Patch, stays

if TYPE_CHECKING:
    from agentcheck.testing.model import ScriptedModel

MEANT_FOR = "x-scripted-origin"  # tells the server where the request was to go
Bridge = Callable[[], str]


@contextmanager
def bridge(model: ScriptedModel) -> Iterator[Bridge]:
    """What gives the URL of a server for the model, started when it is first wanted."""
    from contextlib import ExitStack

    from agentcheck.testing.server import listening

    with ExitStack() as stack:
        started: list[str] = []

        def url() -> str:
            if not started:
                started.append(stack.enter_context(listening(model)))
            return started[0]

        yield url


def patches(module: Any, model: ScriptedModel, url: Bridge) -> list[Patch]:
    """What to replace in the module, each with what makes the new of the old."""
    return [(module.ClientSession, "_request", lambda old: _request(model, url, old))]


def _request(model: ScriptedModel, url: Bridge, old: Any) -> Callable[..., Any]:
    async def request(self: Any, method: str, str_or_url: Any, **options: Any) -> Any:
        asked = str(self._build_url(str_or_url))
        if stays(model, asked):
            return await old(self, method, str_or_url, **options)
        place = urlsplit(asked)
        headers = {
            **dict(options.pop("headers", None) or {}),
            MEANT_FOR: f"{place.scheme}://{place.netloc}",
        }
        there = urlsplit(url())
        led = urlunsplit((there.scheme, there.netloc, place.path, place.query, ""))
        options.pop("proxy", None)
        answer = await old(
            self, method, type(self._build_url("/"))(led), headers=headers, **options
        )
        if model.runaway:
            answer.close()
        model.stop_if_runaway()
        return answer

    return request
