"""Replacing a file whole: a reader sees the old one or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def replace(goal: Path, data: bytes) -> None:
    """Put data in the place of a file, with the permissions of the one that was there.

    Raises OSError, and leaves the old file then. A link is replaced, not followed.
    """
    import tempfile  # which costs a start more than the rest of this

    if goal.is_dir():
        raise IsADirectoryError
    number, name = tempfile.mkstemp(prefix=".agentcheck-", suffix=".tmp", dir=goal.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(goal))
        Path(name).replace(goal)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode(goal: Path) -> int:
    """The permissions of the file that is replaced, else those a new file would get."""
    if goal.exists():
        return goal.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
