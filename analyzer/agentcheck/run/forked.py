"""Work in processes that share by forking what this one holds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count as count_from
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from agentcheck.facts.executor import available_jobs, executor
from agentcheck.run.ask import TRACEBACK
from agentcheck.run.lane import Lane

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
    """The outcomes of `work` of the numbers below `count`, at most 16,000, done in this process
    too.

    It takes them from the first on, the `jobs - 1` others from the last on, each the next when it
    is free: neighbours, which have most in common, are mostly done by the same process. None for
    what a process had taken that died.
    """
    with ExitStack() as stack:
        left = iter(stack.enter_context(closing(Lane(range(count)))))
        ends = stack.enter_context(closing(Lane(reversed(range(count)))))
        starts = count_from(0)

        def taken(_: int) -> bytes:
            numbers = starts if os.getpid() == here else ends
            return _TAKEN.encode([(n, work(n)) for _, n in zip(left, numbers, strict=False)])

        here = os.getpid()
        with forked(taken, jobs - 1, jobs - 1) as others:
            told = [taken(jobs), *(others(number) for number in range(jobs - 1))]
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
