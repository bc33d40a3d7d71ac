"""Texts as the editor has them, and what of them differs from the files on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from pygls.uris import to_fs_path

from agentcheck.source.decode import decode, encoding_of
from agentcheck.source.discover import SUFFIXES
from agentcheck.source.errors import Unreadable

_UNSAFE = re.compile(r"[^\w.-]+")


class Buffer(Struct, frozen=True):
    """An open document. `path` is where it is saved, or would stand in the current folder."""

    uri: str
    path: Path
    text: str
    version: int | None = None

    @property
    def data(self) -> bytes:
        """The text as it would be saved: in the encoding that it names, else in UTF-8."""
        plain = self.text.encode("utf-8", "replace")
        try:
            return self.text.encode(encoding_of(plain))
        except (Unreadable, UnicodeError):
            return plain


def path_of(uri: str) -> Path:
    """The absolute path of a document; one that was never saved gets a name in this folder."""
    path = to_fs_path(uri)
    if path is not None:
        return Path(os.path.abspath(path))  # noqa: PTH100 - keeps symlinks, as a scan does
    name = _UNSAFE.sub("-", unquote(urlsplit(uri).path).rpartition("/")[2]) or "untitled"
    return Path.cwd() / (name if name.endswith(SUFFIXES) else f"{name}.py")


def is_read(path: Path) -> bool:
    """Whether a scan would read a file of that name."""
    return path.name.endswith(SUFFIXES)


def overlay(buffers: Iterable[Buffer]) -> dict[str, bytes]:
    """The bytes of the buffers that differ from disk, by absolute path."""
    found = {str(buffer.path): buffer.data for buffer in buffers}
    return {path: data for path, data in found.items() if _on_disk(Path(path)) != data}


class Texts:
    """The texts of files: of a buffer where there is one, else from disk; each read once."""

    def __init__(self, buffers: Mapping[Path, Buffer]) -> None:
        self._buffers = buffers
        self._read: dict[Path, str] = {}

    def __getitem__(self, path: Path) -> str:
        """The text of a file; empty for one that cannot be read."""
        if path in self._buffers:
            return self._buffers[path].text
        if path not in self._read:
            self._read[path] = _text(path)
        return self._read[path]


def _text(path: Path) -> str:
    data = _on_disk(path)
    try:
        return decode(data) if data is not None else ""
    except Unreadable:
        return ""


def _on_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (OSError, ValueError):
        return None
