"""The task that a worker is given, on this machine or another: a job in, an outcome out."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from pathlib import Path

from msgspec.structs import replace

from agentcheck.fleet.child import Child
from agentcheck.fleet.job import Job, Outcome, failed, job_in, pack

_SCRATCH = "agentcheck-fleet-"


class Hands:
    """The processes of this machine that look at targets, kept between targets while they may be.

    Safe to use from several threads, one target each at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._closed = False

    def do(self, job: Job) -> Outcome:
        """What a job comes to. What was fetched for it is removed, however it ends."""
        child = self._take()
        if child is None:
            return failed("interrupted", died=True)
        scratch = _scratch() if job.target.kind == "git" else ""
        try:
            return child.ask(replace(job, scratch=scratch))
        finally:
            self._give_back(child)
            if scratch:
                shutil.rmtree(scratch, ignore_errors=True)

    def close(self) -> None:
        """End every process, also one in the midst of a target."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, list(self._busy)
            self._idle = []
        for child in idle:
            child.end()
        for child in busy:  # whoever waits for it lets it go
            child.kill()

    def _take(self) -> Child | None:
        with self._lock:
            if self._closed:
                return None
            child = self._idle.pop() if self._idle else Child()
            self._busy.add(child)
            return child

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._busy.discard(child)
            keep = not self._closed and not child.spent
            if keep:
                self._idle.append(child)
        if not keep:
            child.end()


def _scratch() -> str:
    """A new folder for what is fetched, which tells whose it is."""
    return tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-")


def sweep() -> None:
    """Remove what a process that was killed has left of repositories it had fetched."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        owner = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        if owner.isdecimal() and not is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def is_running(pid: int) -> bool:
    """Whether there is a process of that number on this machine; yes where it cannot be told."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


_of_worker: list[Hands] = []
_lock = threading.Lock()


def do_packed(job: bytes) -> bytes:
    """`Hands.do` for a worker of a cluster, which is sent nothing but bytes."""
    with _lock:
        if not _of_worker:
            sweep()
            _of_worker.append(Hands())
            atexit.register(_of_worker[0].close)
    return pack(_of_worker[0].do(job_in(job)))
