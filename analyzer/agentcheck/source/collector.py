"""Python's cycle collector, out of the way of work that makes many objects and no cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cycle collection while a file is read, or files are linked and asked about.

    Trees and graphs that last as long as the scan are no garbage, and the collector would visit
    their hundreds of thousands of nodes again and again: up to a third of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # What was made meanwhile counts as old: else all of it would be visited at once.
        gc.freeze()
        gc.unfreeze()
        if collecting:
            gc.enable()
