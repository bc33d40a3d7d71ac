"""Work beside the event loop: looks take seconds, and the editor goes on typing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")

_STACK = 64 * 1024 * 1024
"""Bytes of stack for a parser; a second thread has only 512 KiB on macOS."""


async def in_thread(work: Callable[[], T]) -> T:
    """What `work` gives, from a thread that does not keep the process alive. Raises what it raises.

    The threads of `concurrent.futures` are waited for at exit, and a look cannot be interrupted.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            _tell(loop, partial(done.set_exception, error))
        else:
            _tell(loop, partial(done.set_result, result))

    before = threading.stack_size(_STACK)
    try:
        threading.Thread(target=run, name="look", daemon=True).start()
    finally:
        threading.stack_size(before)
    return await done


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:  # the loop was closed meanwhile: nobody waits any more
        return
