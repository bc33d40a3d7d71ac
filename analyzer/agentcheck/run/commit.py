"""The commit that a folder's files are at, read from git's own files; git is not run."""

from __future__ import annotations

import re
from pathlib import Path

from agentcheck.model.pattern import lazy_re

_HASH = lazy_re(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = lazy_re(r"ref: (refs/[\w./+-]+)")


def commit_of(folder: Path) -> str | None:
    """The hash that HEAD of the enclosing work tree points at; None where that cannot be told."""
    found = enclosing(folder)
    return _resolve(found[1], read_text(found[1] / "HEAD")) if found else None


def enclosing(folder: Path) -> tuple[Path, Path] | None:
    """The top of the work tree that holds a folder, and its git folder; None outside of any."""
    for parent in (folder, *folder.parents):
        git = _git_folder(parent / ".git")
        if git is not None:
            return parent, git
    return None


def common_folder(git: Path) -> Path:
    """The git folder that linked work trees share: it holds the configuration and the refs."""
    return git / (read_text(git / "commondir") or ".")


def read_text(path: Path) -> str:
    """The text of one of git's files; "" for one that is not there."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _git_folder(path: Path) -> Path | None:
    """The git folder, also where `.git` is the file that a linked work tree has."""
    if path.is_dir():
        return path
    told = read_text(path)
    return path.parent / told.removeprefix("gitdir: ") if told.startswith("gitdir: ") else None


def _resolve(git: Path, head: str) -> str | None:
    if _HASH.fullmatch(head):
        return head
    ref = _REF.fullmatch(head)
    if ref is None or ".." in head:
        return None
    common = common_folder(git)
    loose = next((text for text in (read_text(f / ref[1]) for f in (git, common)) if text), "")
    packed = read_text(common / "packed-refs")
    listed = re.search(rf"^([0-9a-f]+) {re.escape(ref[1])}$", packed, re.M)
    found = loose or (listed[1] if listed else "")
    return found if _HASH.fullmatch(found) else None
