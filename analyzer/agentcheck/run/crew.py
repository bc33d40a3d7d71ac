"""Processes forked from this one that work beside it, and tell each other what they found.

They share by forking what this one holds, and put outcomes on a board which all of them read.
Whatever one of them did not get done is missing there, no more.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_HEAD = struct.Struct("<QQ")


def can_fork() -> bool:
    """Whether this platform forks safely."""
    return sys.platform == "linux" and hasattr(os, "memfd_create")


class Gate:
    """Opens for every process when none of them is in front of it any more, dead or alive."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()

    def pass_through(self) -> None:
        """Wait for the others."""
        os.close(self._writing)
        self._writing = -1
        os.read(self._reading, 1)

    def close(self) -> None:
        """Give the pipe back."""
        for each in (self._reading, self._writing):
            if each >= 0:
                os.close(each)


class Board:
    """What each of some processes put down for all of them, in the order in which it did."""

    def __init__(self, processes: int) -> None:
        others = processes > 1
        self._files = [os.memfd_create("agentcheck") for _ in range(processes) if others]
        self._ends = [0] * processes

    def put(self, process: int, what: object) -> None:
        """Put something down, as the process of a number."""
        if not self._files:
            return
        data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
        file, end = self._files[process], self._ends[process]
        written = memoryview(data)
        while written:  # the length comes last, so that nobody reads what is not all there
            done = os.pwrite(file, written, end + _HEAD.size + len(data) - len(written))
            written = written[done:]
        os.pwrite(file, _HEAD.pack(len(data), 0), end)
        self._ends[process] = end + _HEAD.size + len(data)

    def news(self, process: int) -> Iterator[Any]:
        """What the others put down since they were last asked, as the process of a number."""
        for other in range(len(self._files)):
            if other != process:
                yield from self._from(other)

    def _from(self, other: int) -> Iterator[Any]:
        file = self._files[other]
        while head := os.pread(file, _HEAD.size, self._ends[other]):
            size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else 0
            data = os.pread(file, size, self._ends[other] + _HEAD.size) if size else b""
            if not size or len(data) < size:
                return
            self._ends[other] += _HEAD.size + size
            yield pickle.loads(data)  # noqa: S301 - of a file without a name, from a fork of this

    def close(self) -> None:
        """Give the files back."""
        for file in self._files:
            os.close(file)


def beside(work: Callable[[int], None], processes: int) -> None:
    """Do `work` as the process of number 0 here, and in forks as those of the numbers behind it.

    Returns when all are done or dead; ends them where `work` raises here.
    """
    others = list[int]()
    try:
        others += _forks(work, range(1, processes))
        work(0)
    except BaseException:
        for other in others:
            os.kill(other, signal.SIGKILL)
        raise
    finally:
        for other in others:
            os.waitpid(other, 0)


def _forks(work: Callable[[int], None], numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        with warnings.catch_warnings():
            # The children of a fork touch nothing that other threads hold.
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            try:
                process = os.fork()
            except OSError:  # no process can be started
                return
        if process:
            yield process
            continue
        status = 1
        try:
            _settle()
            work(number)
            status = 0
        finally:
            os._exit(status)


def _settle() -> None:
    """What is inherited is not looked through for garbage, and a death leaves no gigabyte."""
    import resource

    gc.freeze()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
