"""A spinner on stderr for people who watch; nothing for anybody else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function to call with each step; it shows the step only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("starting") as status:
        yield lambda step: status.update(escape(step))


def _nothing(_step: str) -> None:
    pass
