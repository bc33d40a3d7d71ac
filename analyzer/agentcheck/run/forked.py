"""Work in processes that share by forking what this one holds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from agentcheck.facts.executor import available_jobs, executor
from agentcheck.run.ask import TRACEBACK

if TYPE_CHECKING:
    from concurrent.futures import Future

Work: TypeAlias = Callable[[int], bytes]
_TAKEN = msgspec.msgpack.Encoder()
_PAIRS = msgspec.msgpack.Decoder(list[tuple[int, bytes]])
# What the processes inherit: it is there before they are forked, one for each pool.
_shared: dict[int, Work] = {}


def processes(jobs: int | None) -> int:
    """How many processes work is worth spreading over: one where they could not share."""
    if sys.platform != "linux" or os.environ.get(TRACEBACK):
        return 1
    return jobs or available_jobs()


@contextmanager
def forked(work: Work, count: int, jobs: int) -> Iterator[Callable[[int], bytes | None]]:
    """Do `work` of the numbers below `count` in so many processes.

    Gives what waits for the outcome of one number: None where its process died.
    """
    name = id(work)
    _shared[name] = work
    try:
        with executor(min(jobs, count)) as pool:
            futures = [pool.schedule(_done, args=(name, number)) for number in range(count)]
            yield lambda number: _result(futures[number])
    finally:
        del _shared[name]


def in_turns(work: Work, count: int, jobs: int) -> list[bytes | None]:
    """The outcomes of `work` of the numbers below `count`, at most 256, done in this process too.

    It and `jobs - 1` others each take the next number when they are free. None for what a process
    had taken that died.
    """
    reading, writing = os.pipe()  # unlike a lock, it is no trouble when a process dies
    os.write(writing, bytes(range(count)))
    os.close(writing)

    def taken(_: int) -> bytes:
        return _TAKEN.encode([(n[0], work(n[0])) for n in iter(partial(os.read, reading, 1), b"")])

    try:
        with forked(taken, jobs - 1, jobs - 1) as others:
            told = [taken(jobs), *(others(number) for number in range(jobs - 1))]
    finally:
        os.close(reading)
    done = dict(pair for data in told if data is not None for pair in _PAIRS.decode(data))
    return [done.get(number) for number in range(count)]


def _done(name: int, number: int) -> bytes:
    """Raises KeyError in a process that was not forked from one that has the work."""
    return _shared[name](number)


def _result(future: Future[bytes]) -> bytes | None:
    try:
        return future.result()
    except Exception:  # noqa: BLE001 - whatever became of the process, the work is done again
        return None
