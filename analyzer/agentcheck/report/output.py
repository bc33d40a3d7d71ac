"""Writing a report to a file, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from agentcheck.source.replace import replace


class WriteError(Exception):
    """A report could not be written; the message is one line: where, why, how to mend it."""


def write(text: str, path: Path | str) -> None:
    """Write text as UTF-8 so that a reader sees the old file or the new one, never a part.

    A link is followed. What is no regular file (a pipe, /dev/stdout) is written to as it is.
    Raises WriteError.
    """
    goal = Path(path)
    data = text.encode("utf-8", "backslashreplace")
    try:
        if goal.exists() and not goal.is_file() and not goal.is_dir():
            goal.write_bytes(data)
        else:
            replace(Path(os.path.realpath(goal)), data)
    except (OSError, ValueError) as error:
        raise WriteError(f"cannot write the report to {goal}: {_advice(goal, error)}") from error


def _advice(goal: Path, error: Exception) -> str:
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a file in it"
    if isinstance(error, FileNotFoundError) and not goal.parent.is_dir():
        return f"there is no folder {goal.parent}; create it or name another"
    if isinstance(error, PermissionError):
        return "permission denied; choose a folder you may write to"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{reason or error}; choose another place"
