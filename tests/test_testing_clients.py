"""Whatever HTTP client asks, and under whatever base URL, the scripted model answers in process."""

from __future__ import annotations

import asyncio
import http.server
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from agentcheck.testing import (
    Dropped,
    Failure,
    Runaway,
    ScriptedModel,
    Slow,
    dropped,
    says,
    sequence,
)

URL = "https://models.example.com/openai/v1/chat/completions"
BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


def _requests(url: str, body: Any, timeout: float) -> Got:
    requests: Any = pytest.importorskip("requests")
    answer = requests.post(url, json=body, timeout=timeout, stream=bool(body.get("stream")))
    text = "".join(f"{line}\n" for line in answer.iter_lines(decode_unicode=True))
    return Got(answer.status_code, dict(answer.headers), text)


def _plain(name: str) -> Callable[..., Got]:
    def post(url: str, body: Any, timeout: float) -> Got:
        module: Any = pytest.importorskip(name)
        with module.Client(timeout=timeout) as client:
            answer = client.post(url, json=body)
        return Got(answer.status_code, dict(answer.headers), answer.text)

    return post


def _awaited(name: str) -> Callable[..., Got]:
    def post(url: str, body: Any, timeout: float) -> Got:
        module: Any = pytest.importorskip(name)

        async def posted() -> Got:
            async with module.AsyncClient(timeout=timeout) as client:
                answer = await client.post(url, json=body)
            return Got(answer.status_code, dict(answer.headers), answer.text)

        return asyncio.run(posted())

    return post


def _aiohttp(url: str, body: Any, timeout: float) -> Got:
    aiohttp: Any = pytest.importorskip("aiohttp")

    async def posted() -> Got:
        limit = aiohttp.ClientTimeout(sock_read=timeout)
        async with (
            aiohttp.ClientSession(timeout=limit) as session,
            session.post(url, json=body) as answer,
        ):
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return Got(answer.status, headers, await answer.text())

    return asyncio.run(posted())


POSTS = [
    pytest.param(_plain("httpx"), id="httpx"),
    pytest.param(_awaited("httpx"), id="httpx, async"),
    pytest.param(_plain("httpx2"), id="httpx2"),
    pytest.param(_awaited("httpx2"), id="httpx2, async"),
    pytest.param(_requests, id="requests"),
    pytest.param(_aiohttp, id="aiohttp"),
]
every_client = pytest.mark.parametrize("post", POSTS)


@every_client
def test_a_client_gets_replies_failures_and_streams(post: Any) -> None:
    with ScriptedModel(sequence(says("Hi there."), Failure(429, 3))).install() as model:
        first, limited = [post(URL, BODY, 20) for _ in range(2)]
        stream = post(URL, {**BODY, "stream": True}, 20)
    assert (first.status, '"content": "Hi there."' in first.text) == (200, True)
    assert (limited.status, limited.headers["retry-after"]) == (429, "3")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.text.strip().endswith("data: [DONE]")
    assert [request.host for request in model.requests] == ["models.example.com"] * 3
    assert model.requests[0].path == "/openai/v1/chat/completions"


@every_client
@pytest.mark.parametrize("after", [None, 2], ids=["at once", "amid the stream"])
def test_a_connection_that_ends_early_is_an_error_of_the_client(post: Any, after: Any) -> None:
    with (
        ScriptedModel(dropped(after=after)).install() as model,
        pytest.raises(Exception, match=r"(?i)disconnected|closed|broken|not completed"),
    ):
        post(URL, {**BODY, "stream": True}, 20)
    assert [type(step) for step in model.replies] == [Dropped]


@every_client
def test_a_reply_that_is_too_slow_is_a_timeout_of_the_client(post: Any) -> None:
    with ScriptedModel(Slow(0.4)).install(), pytest.raises(Exception, match=r"(?i)time") as late:
        post(URL, BODY, 0.1)
    assert "timeout" in type(late.value).__name__.lower()


@every_client
def test_the_safety_stop_reaches_through_the_client(post: Any) -> None:
    with ScriptedModel(safety_stop=1).install():
        assert post(URL, BODY, 20).status == 200
        with pytest.raises(Runaway):
            post(URL, BODY, 20)


@pytest.fixture
def neighbour() -> Iterator[str]:
    """The URL of another server on this machine, which is no model."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(418)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@every_client
def test_other_hosts_get_nothing_and_this_machine_is_reached(post: Any, neighbour: str) -> None:
    with ScriptedModel().install() as model:
        assert post("https://example.com/traces", {}, 20).status == 404
        assert post(f"{neighbour}/tool", {}, 20).status == 418
        assert post(f"{neighbour}/v1/chat/completions", BODY, 20).status == 200
    assert model.strays == ["POST https://example.com/traces"]
    assert len(model.requests) == 1
    assert post(f"{neighbour}/v1/chat/completions", BODY, 20).status == 418


def test_the_innermost_model_answers_and_keys_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    post = _plain("httpx2")
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with ScriptedModel(says("Outer.")).install():
        with ScriptedModel(says("Inner.")).install():
            assert "Inner." in post(URL, BODY, 20).text
        assert "Outer." in post(URL, BODY, 20).text
        assert os.environ["OPENAI_API_KEY"] == os.environ["ANTHROPIC_API_KEY"] == "scripted"
    assert os.environ["OPENAI_API_KEY"] == "real"
    assert "ANTHROPIC_API_KEY" not in os.environ
