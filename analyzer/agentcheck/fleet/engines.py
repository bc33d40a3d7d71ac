"""Where jobs are done: on this machine, or by the workers of a Dask cluster.

Both are executors as `concurrent.futures` has them, with a task that takes and gives bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from agentcheck.fleet.hands import Hands, do_packed, sweep
from agentcheck.fleet.job import job_in, pack
from agentcheck.model.errors import UsageError

_CONNECT = 15.0  # seconds to reach a scheduler
_ADDRESS = re.compile(r"(?:[a-z]+://)?\S+:\d+")
EXTRA = "pip install 'agentcheck-audit[fleet]'"


class Engine(NamedTuple):
    """An executor, the task to submit to it, and how many jobs it should be holding."""

    executor: Executor
    task: Callable[[bytes], bytes]
    room: Callable[[], int]

    def submit(self, job: bytes) -> Future[bytes]:
        """Have a packed job done; the result is a packed outcome."""
        return self.executor.submit(self.task, job)


@contextmanager
def here(jobs: int) -> Iterator[Engine]:
    """Threads that each wait for a process of their own: the process does the work."""
    sweep()
    hands = Hands()
    executor = ThreadPoolExecutor(jobs, thread_name_prefix="fleet")
    try:
        yield Engine(executor, lambda job: pack(hands.do(job_in(job))), lambda: jobs)
    finally:
        hands.close()
        executor.shutdown(cancel_futures=True)


@contextmanager
def cluster(address: str) -> Iterator[Engine]:
    """The workers of the Dask cluster whose scheduler is at an address.

    Raises UsageError for what is no address, where Dask is not installed, and where nothing
    answers.
    """
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f'--cluster: "{address}" is no address such as tcp://127.0.0.1:8786')
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--cluster needs Dask, which is an extra: {EXTRA}") from None
    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: {error or 'no scheduler answers'}") from None
    executor = client.get_executor(pure=False)
    try:
        yield Engine(executor, do_packed, lambda: 2 * max(sum(client.nthreads().values()), 1))
    finally:
        executor.shutdown(wait=False)
        client.close()
