"""Python's cycle collector, out of the way of work that makes many objects and no cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cycle collection while one file is read.

    A tree has no cycles, and the collector would visit its hundreds of thousands of nodes again
    and again: up to a third of the time of a large file.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
