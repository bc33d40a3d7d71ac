"""A process that looks at targets, seen from the one that asks it.

Each has two pipes of its own and a process group of its own: one that dies in the midst of an
answer spoils nobody else's, and git or a parser that it has started ends with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

from agentcheck.fleet.job import TRACEBACK, Job, Outcome, failed, outcome_in, pack

_TARGETS = 50  # small ones that one process looks at before another takes its place
_KILLED = 9  # SIGKILL, which Windows does not name
_GRACE = 1.0  # seconds beyond those of the target, for it to say itself what took so long


class Child:
    """One process, started when it is made."""

    def __init__(self) -> None:
        self.asked = 0
        self._ready = False
        self._process = subprocess.Popen(
            # The folder one stands in may be a target: -P keeps its modules from being imported.
            [sys.executable, "-P", "-m", "agentcheck.fleet"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get(TRACEBACK) else subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=os.name == "posix",
        )

    @property
    def spent(self) -> bool:
        """Whether its turn is over; what a process has in memory would else only grow."""
        return self.asked >= _TARGETS or self._process.poll() is not None

    def ask(self, job: Job) -> Outcome:
        """What a job comes to, also where the process dies of it or is not done in time."""
        self.asked += 1 if job.target.kind == "traces" else _TARGETS
        self._wait_until_ready()
        late = threading.Event()
        timer = threading.Timer(job.asked.seconds + _GRACE, self._too_late, [late])
        timer.start()
        try:
            line = self._answer(pack(job) + b"\n")
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            return outcome_in(line)
        code = self.end()
        if late.is_set():
            return failed(f"not done within {job.asked.seconds:g} seconds")
        return failed(_of_death(code), died=True)

    def _wait_until_ready(self) -> None:
        """Starting is no time of the target's. A process that cannot start is dead when asked."""
        if not self._ready and self._process.stdout is not None:
            self._process.stdout.readline()
            self._ready = True

    def _answer(self, line: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return b""
        try:
            stdin.write(line)
            stdin.flush()
            return stdout.readline()
        except OSError:  # it was dead before it was asked
            return b""

    def _too_late(self, late: threading.Event) -> None:
        late.set()
        self.kill()

    def end(self) -> int:
        """Let it go, with everything it has started; the code it ended with."""
        self.kill()
        with contextlib.suppress(OSError):
            self._process.communicate()
        return self._process.returncode

    def kill(self) -> None:
        """End it at once, with everything it has started."""
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


def _of_death(code: int) -> str:
    if code == -_KILLED:
        return "the worker was killed, as systems do where memory runs out"
    if code < 0:
        return f"the worker died of signal {-code}"
    return f"the worker ended with code {code} before it had an answer"
