"""Where the bytes of scanned files come from, and how changed ones are put back."""

from __future__ import annotations

import stat
from pathlib import Path

from agentcheck.fix.errors import Unfixable
from agentcheck.source import gate
from agentcheck.source.replace import replace


class Folder:
    """The files below a scanned folder, by their names in the report."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises Unfixable for one that must not or cannot be changed."""
        _refuse_notebook(name)
        path = self._path(name)
        try:
            if path.stat().st_size > gate.MAX_BYTES:
                raise Unfixable("too large to be changed")
            _refuse_read_only(path)
            return path.read_bytes()
        except OSError as error:
            raise Unfixable(f"cannot be opened: {error.strerror or error}") from None

    def write(self, name: str, before: bytes, after: bytes) -> None:
        """Put changed bytes in the place of those that were read. Raises Unfixable."""
        path = self._path(name)
        try:
            if path.read_bytes() != before:
                raise Unfixable("changed by something else meanwhile; run again")
            replace(path, after)
        except OSError as error:
            raise Unfixable(f"cannot be written: {error.strerror or error}") from None

    def _path(self, name: str) -> Path:
        try:
            root, path = self._root.resolve(strict=True), self._root / name
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise Unfixable("no longer there") from None
        if not real.is_relative_to(root):
            raise Unfixable("a symbolic link that leads out of the scanned folder")
        return real


class OneFile:
    """One file that has no place on disk; `data` is what it holds."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, name: str) -> bytes:
        """The bytes. Raises Unfixable for a notebook."""
        _refuse_notebook(name)
        return self.data

    def write(self, _name: str, _before: bytes, after: bytes) -> None:
        """Keep changed bytes."""
        self.data = after


def _refuse_notebook(name: str) -> None:
    if name.endswith(".ipynb"):
        raise Unfixable("notebooks are not changed")


def _refuse_read_only(path: Path) -> None:
    # Who may write to the folder could replace the file all the same, and root anything.
    if not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise Unfixable("read-only; make it writable first")
