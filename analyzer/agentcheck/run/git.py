"""Asking git, with fixed arguments; whatever names files is read NUL-separated."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

_SECONDS = 120
# Neither a pager, a colour, an external diff nor a file watcher of the user's is wanted.
_PLAIN = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "color.ui=false")
_DIFF = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all",
    "--src-prefix=a/", "--dst-prefix=b/", "-M",
)  # fmt: skip


class GitError(Exception):
    """Git is not there or could not answer; the message says why, in one line."""


def work_tree(folder: Path) -> Path:
    """The top of the work tree that holds a folder. Raises GitError."""
    top = ask(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    return Path(os.fsdecode(top))


def commit_called(folder: Path, name: str) -> str | None:
    """The hash of the commit that a revision names; None where there is none. Raises GitError."""
    if not name or name.startswith("-") or not name.isprintable():
        return None
    wanted = f"{name}^{{commit}}"
    try:
        found = ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    except GitError:
        return None
    return found.decode("ascii", "replace").strip() or None


class Changed(NamedTuple):
    """A changed file: its path, the path before, and the part of the patch that is about it.

    Paths start at the work tree's top.
    """

    path: str
    old: str
    patch: bytes | None


def changed_since(folder: Path, commit: str, *, patch: bool = True) -> list[Changed]:
    """The tracked files that differ from a commit, renames followed.

    With `patch`, each has its part of the patch, without context, or None where git tells of a
    file in another way, as of one in the midst of a merge. Raises GitError.
    """
    also = ("--patch", "--unified=0") if patch else ()
    told = ask(folder, "diff", *_DIFF, "--raw", "-z", *also, commit, "--")
    entries, rest = _entries(told)
    # No line of a file's content can begin so: each has a sign before it.
    blocks: list[bytes | None] = list(re.split(rb"(?m)^diff --git ", rest)[1:])
    if len(blocks) != len(entries):
        blocks = [None] * len(entries)
    return [Changed(new, old, block) for (new, old), block in zip(entries, blocks, strict=True)]


def _entries(told: bytes) -> tuple[list[tuple[str, str]], bytes]:
    """New and old path of each entry of `--raw -z`, and what follows the last one."""
    found = []
    while told.startswith(b":"):
        head, _, told = told.partition(b"\0")
        status = head.rpartition(b" ")[2][:1]
        old, _, told = told.partition(b"\0")
        new = old
        if status in (b"R", b"C"):
            new, _, told = told.partition(b"\0")
        if status != b"U":  # told of once more, as changed
            found.append((os.fsdecode(new), os.fsdecode(old)))
    return found, told.removeprefix(b"\0")


def tracked(folder: Path) -> frozenset[str]:
    """Every file that git tracks, from the work tree's top. Raises GitError."""
    told = ask(folder, "ls-files", "-z", "--full-name", "--", ":/")
    return frozenset(os.fsdecode(name) for name in told.split(b"\0") if name)


def ask(folder: Path, *args: str) -> bytes:
    """What git writes to stdout. Raises GitError."""
    env = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments and no shell
            ["git", *_PLAIN, *args],  # noqa: S607 - the user's git, as for any command
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git could not be run: {error}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(lines[0] if lines else f"git {args[0]} failed")
    return done.stdout
