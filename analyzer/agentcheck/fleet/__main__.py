"""`python -m agentcheck.fleet`: looks at targets, one line in, one line out, until stdin ends.

What anything else prints goes to stderr, so that it cannot be taken for an answer.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from msgspec.structs import replace

from agentcheck.fleet.job import Job, Outcome, failed, job_in, pack
from agentcheck.fleet.look import look, same_version

_LOOK = 1.0  # seconds between two looks at who is the parent


def main() -> None:
    """Say with an empty line that it is ready, then answer every job of stdin."""
    threading.Thread(target=_leave_with, args=[os.getppid()], daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(b"\n")
    answers.flush()
    for line in sys.stdin.buffer:
        job = job_in(line)
        answers.write(pack(_answer(job)) + b"\n")
        answers.flush()


def _leave_with(asker: int) -> None:
    """End this process and what it has started once the one that asks was killed: nobody is left
    who would end it when its time is over."""
    while os.name == "posix":
        if os.getppid() != asker:
            os.killpg(0, signal.SIGKILL)
        time.sleep(_LOOK)


def _answer(job: Job) -> Outcome:
    _bound(job.asked.megabytes)
    try:
        outcome = same_version(job) or look(job)
    except MemoryError:
        outcome = failed("out of memory")
    return replace(outcome, peak=_peak())


def _bound(megabytes: int) -> None:
    """Bound what this process and those it starts may ask for; no core file for one that dies."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, hard))


def _peak() -> int:
    """The most memory that this process or one it started has had, in bytes."""
    if sys.platform == "win32":
        return 0
    import resource

    most = max(resource.getrusage(who).ru_maxrss for who in _WHO)
    return most if sys.platform == "darwin" else most << 10


if sys.platform != "win32":
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF

    _WHO = (RUSAGE_SELF, RUSAGE_CHILDREN)

if __name__ == "__main__":
    main()
