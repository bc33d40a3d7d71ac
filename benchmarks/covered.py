"""What a command really opened of a target: its report may say anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from contestants import last_line
from measure import measure
from rows import HERE, Place, Row

_LEFT_OUT = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, with bytecode written as it is for users."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return {**kept, **more}


def covered(row: Row, place: Place, limit: float) -> tuple[int | None, str]:
    """How many .py files of the target a row's command opens, and why it cannot be measured.

    A Python program is watched while it runs; ruff says itself what it looks at.
    """
    log, errors = place.scratch / "opened.txt", place.scratch / "errors.txt"
    log.unlink(missing_ok=True)
    below = place.second if str(place.second) in row.command else place.folder
    watched = {"PYTHONPATH": str(HERE / "covering"), "COVERING_LOG": str(log)}
    env = environment({**watched, "COVERING_BELOW": f"{below}{os.sep}", **row.env()})
    row.before()
    cost = measure(row.command, env=env, errors=errors, limit=limit)
    told = errors.read_text("utf-8", "replace")
    if cost.wall >= limit:
        return None, f"not done within {limit:g} s"
    if cost.code not in (0, 1) or "Traceback (most recent call last)" in told:
        return None, f"exit code {cost.code}: {last_line(told)}"
    if not row.python:
        return _said(row, below), ""
    opened = log.read_text("utf-8", "surrogateescape") if log.exists() else ""
    return len({path for path in opened.splitlines() if _is_of(path, below)}), ""


def _is_of(path: str, below: Path) -> bool:
    return path.endswith(".py") and Path(path).is_relative_to(below)


def _said(row: Row, below: Path) -> int:
    command = [row.command[0], "check", "--isolated", "--show-files", str(below)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sum(1 for line in done.stdout.splitlines() if line.endswith(".py"))
