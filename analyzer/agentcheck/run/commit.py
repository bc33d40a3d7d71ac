"""The commit that a folder's files are at, read from git's own files; git is not run."""

from __future__ import annotations

import re
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"ref: (refs/[\w./+-]+)")


def commit_of(folder: Path) -> str | None:
    """The hash that HEAD of the enclosing work tree points at; None where that cannot be told."""
    for parent in (folder, *folder.parents):
        git = _git_folder(parent / ".git")
        if git is not None:
            return _resolve(git, _read(git / "HEAD"))
    return None


def _git_folder(path: Path) -> Path | None:
    """The git folder, also where `.git` is the file that a linked work tree has."""
    if path.is_dir():
        return path
    told = _read(path)
    return path.parent / told.removeprefix("gitdir: ") if told.startswith("gitdir: ") else None


def _resolve(git: Path, head: str) -> str | None:
    if _HASH.fullmatch(head):
        return head
    ref = _REF.fullmatch(head)
    if ref is None or ".." in head:
        return None
    common = git / (_read(git / "commondir") or ".")
    loose = next((text for text in (_read(f / ref[1]) for f in (git, common)) if text), "")
    packed = re.search(rf"^([0-9a-f]+) {re.escape(ref[1])}$", _read(common / "packed-refs"), re.M)
    found = loose or (packed[1] if packed else "")
    return found if _HASH.fullmatch(found) else None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
