"""The one place that knows how work is spread over processes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pebble import ProcessPool


@contextmanager
def executor(jobs: int) -> Iterator[ProcessPool]:
    """A pool of processes each of which may die or be killed at the cost of its task.

    An exception inside, an interrupt among them, drops what is still waiting. Linux forks, which
    shares the modules already loaded; elsewhere forking is not safe and processes are spawned.
    What it needs is imported here: a small target is read without any of it.
    """
    import multiprocessing

    from pebble import ProcessPool

    method = "fork" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(method)
    with warnings.catch_warnings():
        # The children of a fork touch nothing that the pool's own threads hold.
        warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
        pool = ProcessPool(max_workers=jobs, initializer=_no_core_dump, context=context)
        try:
            yield pool
        finally:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def available_jobs() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _no_core_dump() -> None:
    """A worker that dies by design leaves no gigabyte behind."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
