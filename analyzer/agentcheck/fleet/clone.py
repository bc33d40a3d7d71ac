"""Fetching a repository: one commit of it, without submodules, hooks or questions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

_ENV = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file",
}
_SSH = "ssh -oBatchMode=yes"  # rather an error than a question that nobody answers


class CloneError(Exception):
    """A repository could not be fetched; the message says why, in one line."""


def head_of(where: str, ref: str, seconds: float) -> str | None:
    """The commit that a branch or tag, or HEAD, is at; None where there is no such reference.

    Raises CloneError.
    """
    names = [f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}"] if ref else ["HEAD"]
    told = _git(["ls-remote", "--", where, *names], seconds)
    lines = (line.partition("\t") for line in told.splitlines())
    found = {name: commit for commit, _, name in lines}
    return next((found[name] for name in names if name in found), None)


def clone(where: str, ref: str, into: Path, seconds: float) -> Path:
    """Fetch the newest commit into a folder below `into`, named as the repository is.

    Raises CloneError.
    """
    folder = into / _name(where)
    branch = ["--branch", ref] if ref else []
    shallow = ["--depth=1", "--single-branch", "--no-tags", "--template="]
    _git(["clone", "--quiet", *shallow, *branch, "--", where, str(folder)], seconds)
    return folder


def _name(where: str) -> str:
    """The last part of the path of an address, as a name that every file system takes."""
    last = urlsplit(where).path.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in last.removesuffix(".git"))
    return kept.strip(".") or "repository"


def _git(args: list[str], seconds: float) -> str:
    ssh = {} if "GIT_SSH_COMMAND" in os.environ else {"GIT_SSH_COMMAND": _SSH}
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and addresses stand behind a --
            ["git", *args],  # noqa: S607 - the user's git, as for any command
            env={**os.environ, **_ENV, **ssh},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError:
        raise CloneError("git is not installed") from None
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise CloneError(f"git {args[0]} was not done within {seconds:g} seconds") from None
    if process.returncode:
        raise CloneError(_why(err.decode("utf-8", "replace"), args[0]))
    return out.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git; a helper that it has started ends with the pipes, or with this worker's group."""
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _why(err: str, command: str) -> str:
    """The line of git's that says most: the first that tells of an error."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    return (told or lines or [f"git {command} failed"])[0].removeprefix("fatal: ")
