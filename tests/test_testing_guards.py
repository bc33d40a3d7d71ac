"""Guards: functions with side effects are recorded, and sockets stay on this machine."""

from __future__ import annotations

import asyncio
import inspect
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests import effect_targets as targets

from agentcheck.testing.recorders import Recorder, replace
from agentcheck.testing.sockets import NetworkRefusedError, guarded

HERE = "tests.effect_targets"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    targets.HAPPENED.clear()
    with ExitStack() as stack:
        yield stack


def given(recorder: Recorder) -> list[dict[str, Any]]:
    return [dict(call.arguments) for call in recorder.calls]


def test_a_function_is_recorded_where_a_list_of_tools_holds_it(stack: ExitStack) -> None:
    recorder = replace(f"{HERE}:send_mail", stack)
    assert targets.TOOLS[0]("a@example.com", urgent=True) == "ok"
    assert given(recorder) == [{"to": "a@example.com", "subject": "Hello", "urgent": True}]
    assert targets.HAPPENED == []
    stack.close()
    assert targets.send_mail("b@example.com") == "really sent"
    assert targets.HAPPENED == ["mail to b@example.com, Hello, False"]
    assert len(recorder.calls) == 1


def test_a_recorded_function_looks_as_it_did(stack: ExitStack) -> None:
    before = inspect.signature(targets.send_mail), targets.send_mail.__doc__
    replace(f"{HERE}:send_mail", stack)
    assert (inspect.signature(targets.send_mail), targets.send_mail.__doc__) == before
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'to'"):
        targets.TOOLS[0]()  # type: ignore[call-arg]


def test_a_function_is_recorded_inside_the_tool_that_a_decorator_made(stack: ExitStack) -> None:
    recorder = replace(f"{HERE}:refund", stack, returns=lambda order, amount: order > amount)
    assert targets.refund.invoke(order=7, amount=2.5) == [True]
    assert given(recorder) == [{"order": 7, "amount": 2.5}]


def test_what_a_decorator_adds_still_runs(stack: ExitStack) -> None:
    recorder = replace(f"{HERE}:pay", stack)
    assert targets.pay(1.0, 2.0, why="rent") == {}
    assert targets.HAPPENED == ["logged"]
    assert given(recorder) == [{"amounts": (1.0, 2.0), "notes": {"why": "rent"}}]


def test_methods_coroutines_and_generators_are_recorded_too(stack: ExitStack) -> None:
    store = targets.Store()
    deleted = replace(f"{HERE}:Store.delete", stack)
    posted = replace(f"{HERE}:post", stack, returns="posted")
    replace(f"{HERE}:rows", stack, returns="a row")
    replace(f"{HERE}:pages", stack, returns="a page")

    async def read() -> list[str]:
        await targets.post("text")
        return [page async for page in targets.pages("site")]

    assert store.delete("key") == "ok"
    assert (asyncio.run(read()), list(targets.rows("table"))) == (["a page"], ["a row"])
    assert given(deleted) == [{"self": store, "key": "key"}]
    assert given(posted) == [{"text": "text"}]
    assert targets.HAPPENED == []


def test_a_recorder_may_raise(stack: ExitStack) -> None:
    recorder = replace(f"{HERE}:send_mail", stack, returns=ConnectionError("the server is down"))
    with pytest.raises(ConnectionError, match="the server is down"):
        targets.send_mail("a@example.com")
    assert len(recorder.calls) == 1


@pytest.mark.parametrize("name", [f"{HERE}:nothing", f"{HERE}:HAPPENED", "send_mail"])
def test_a_name_that_is_no_function_is_an_error(stack: ExitStack, name: str) -> None:
    with pytest.raises(LookupError, match=name.rpartition(":")[2]):
        replace(name, stack)


@pytest.mark.parametrize("host", ["example.com", "192.0.2.1", "2001:db8::1"])
def test_other_machines_are_refused_and_the_attempt_is_kept(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with guarded() as refused:
        with pytest.raises(NetworkRefusedError, match=host), socket.socket(family) as one:
            one.connect((host, 443))
        with pytest.raises(OSError, match=host):
            socket.create_connection((host, 443), timeout=1)
        with pytest.raises(OSError, match=host):
            socket.getaddrinfo(host, 443)
        with pytest.raises(OSError, match=host), socket.socket(family, socket.SOCK_DGRAM) as one:
            one.sendto(b"x", (host, 53))
        with pytest.raises(OSError, match=host):
            asyncio.run(asyncio.open_connection(host, 443))
    assert refused == [host] * 5


def test_this_machine_and_what_is_allowed_are_reached() -> None:
    with guarded({"192.0.2.1"}) as refused, socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        socket.create_connection(("localhost", port), timeout=5).close()
        server.accept()[0].close()
        assert socket.getaddrinfo("192.0.2.1", 443)
        left, right = socket.socketpair()
        left.close()
        right.close()
    assert refused == []


def test_the_guard_leaves_sockets_as_they_were() -> None:
    before = socket.create_connection, socket.getaddrinfo, "connect" in vars(socket.socket)
    with guarded():
        assert socket.create_connection is not before[0]
    after = socket.create_connection, socket.getaddrinfo, "connect" in vars(socket.socket)
    assert after == before
