"""How the failures of a scripted model reach a client, and how a run that never ends is ended."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from tests.plain_client import post, serving
from tests.scripted_clients import Way, ask

from agentcheck.testing import (
    Dropped,
    Failure,
    Runaway,
    ScriptedModel,
    Slow,
    done,
    dropped,
    rate_limited,
    says,
    sequence,
    server_error,
)


def chat(mode: str = "whole") -> Way:
    return Way("openai-chat", mode)


@pytest.fixture
def serve() -> Iterator[Any]:
    yield from serving()


def test_a_rate_limit_says_when_to_come_back(serve: Any) -> None:
    model = serve(rate_limited(retry_after=2))
    with pytest.raises(urllib.error.HTTPError) as limited:
        post(model)
    assert (limited.value.code, limited.value.headers["retry-after"]) == (429, "2")
    assert json.load(limited.value)["error"]["code"] == "rate_limit_exceeded"
    assert post(model)["choices"][0]["message"]["content"] == "Done."


@pytest.mark.slow
@pytest.mark.parametrize("sdk", ["openai-chat", "openai-responses", "anthropic"])
@pytest.mark.parametrize("mode", ["whole", "streamed, async"])
def test_an_sdk_tries_again_after_failures(sdk: str, mode: str) -> None:
    script = sequence(Failure(429, 0.01), Failure(500, 0.01), Dropped(), says("At last."))
    with ScriptedModel(script).install() as model:
        assert ask(Way(sdk, mode), max_retries=3).text == "At last."
    assert len(model.requests) == 4
    assert model.asked == [[], [], [], []]


@pytest.mark.parametrize("where", ["install", "serve"])
@pytest.mark.parametrize("mode", ["whole", "streamed", "whole, async", "streamed, async"])
def test_failures_are_the_errors_of_the_sdk(where: str, mode: str) -> None:
    openai = pytest.importorskip("openai")
    script = sequence(rate_limited(), server_error(), dropped(), dropped(after=2))
    limited, failing, gone, cut = Failure(429), Failure(503), Dropped(), Dropped(2, says("So long"))
    with getattr(ScriptedModel(sequence(limited, failing, gone, cut, script)), where)():
        with pytest.raises(openai.RateLimitError):
            ask(chat(mode))
        with pytest.raises(openai.InternalServerError):
            ask(chat(mode))
        with pytest.raises(openai.APIConnectionError):
            ask(chat(mode))
        with pytest.raises(openai.APIConnectionError):
            ask(chat(mode))


@pytest.mark.parametrize("where", ["install", "serve"])
@pytest.mark.parametrize("mode", ["whole", "streamed", "whole, async", "streamed, async"])
def test_a_slow_reply_is_too_slow_for_a_short_timeout(where: str, mode: str) -> None:
    openai = pytest.importorskip("openai")
    with getattr(ScriptedModel(Slow(0.4, says("At last."))), where)() as model:
        with pytest.raises(openai.APITimeoutError):
            ask(chat(mode), timeout=0.1)
        before = time.monotonic()
        assert ask(chat(mode), timeout=20).text == "At last."
        assert time.monotonic() - before >= 0.4
    assert model.requests[-1].timeout == (20 if where == "install" else None)


def test_a_slow_stream_lets_other_tasks_run() -> None:
    openai: Any = pytest.importorskip("openai")

    async def both() -> tuple[int, str]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.ensure_future(tick())
        async with openai.AsyncOpenAI() as client:
            messages: Any = [{"role": "user", "content": "Hello."}]
            answer = await client.chat.completions.create(model="m", messages=messages)
        ticking.cancel()
        return ticks, str(answer.choices[0].message.content)

    with ScriptedModel(Slow(0.2, says("At last."))).install():
        ticks, text = asyncio.run(both())
    assert text == "At last."
    assert ticks > 1


def test_the_safety_stop_ends_a_run_that_catches_every_exception() -> None:
    pytest.importorskip("openai")
    model = ScriptedModel(server_error(times=99), safety_stop=3)

    def stubborn() -> None:
        while True:
            try:
                ask(chat())
            except Exception:  # noqa: BLE001, S112 - the code under test does this
                continue

    with model.install(), pytest.raises(Runaway, match="more than 3 times"):
        stubborn()
    assert (model.runaway, len(model.requests)) == (True, 3)


def test_the_server_refuses_what_comes_after_the_safety_stop(serve: Any) -> None:
    model = serve(done(), safety_stop=1)
    post(model)
    with pytest.raises(urllib.error.HTTPError, match="400"):
        post(model)
    assert model.runaway
