"""The command as a user runs it: a process with arguments, two streams and an exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from agentcheck.cli import run_command


class Done(NamedTuple):
    """What a finished command left."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of the error. Fails where stderr is anything else."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("agentcheck: error: "), self.err
        return lines[0].removeprefix("agentcheck: error: ")


def agentcheck(
    *args: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Done:
    """Run `agentcheck` with these arguments in a process of its own."""
    # No variable of the developer's may change what is printed.
    inherited = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "agentcheck", *map(str, args)],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**inherited, **(env or {}), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


class Here:
    """Runs `agentcheck` inside this process: the same code, without the cost of starting it."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *args: str | Path) -> Done:
        code = run_command([str(arg) for arg in args])
        out, err = self._capture.readouterr()
        return Done(code, out, err)
