"""Targets in a work tree of git; git runs for real, apart from the developer's configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    """A new work tree in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *args: str) -> str:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        who = [
            f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
        ]
        done = subprocess.run(
            ["git", *args],
            cwd=self.folder,
            env={**os.environ, **own, **dict.fromkeys(who, "a@b.example")},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode()

    def commit(self) -> str:
        """Everything that is there as a commit; its hash."""
        self("add", "--all")
        self("commit", "--quiet", "--message", "All there is")
        return self("rev-parse", "HEAD").strip()
