"""What keeps an event loop waiting: sleeps and connections made in the thread that runs it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from agentcheck.testing.harness import NotShownError
from agentcheck.testing.tools import call, connections


def waits_in_the_loop(function: Callable[..., Any]) -> list[str]:
    """What a call of a coroutine function waits for while nothing else can run, in words.

    Nothing is slept, and connections are refused. Raises NotShownError where it waits for nothing.
    """
    held: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if _in_loop():
            held.append(f"sleeps {seconds:g} s")

    real_sleep, changed = time.sleep, _module(time)
    with connections() as waits:
        found = socket.getaddrinfo

        def look_up(host: Any, *args: Any, **more: Any) -> Any:
            if _in_loop():
                held.append(f"asks {host}")
            return found(host, *args, **more)

        _module(socket).getaddrinfo = look_up
        changed.sleep = sleep
        try:
            with suppress(Exception):  # what a refused connection becomes
                call(function)
        finally:
            changed.sleep = real_sleep
    if not (waits or slept or held):
        raise NotShownError(f"{function.__name__} waited for nothing")
    return held


def _module(module: Any) -> Any:
    """Its functions are replaced for a while."""
    return module


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
