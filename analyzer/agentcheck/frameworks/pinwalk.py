"""Finds the files of a target that name dependencies, and reads their text within bounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentcheck.frameworks.pinfiles import reader_for

_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "dist"})
_FURTHER = "requirements"  # a folder of files that speak for the one above it
_MOST_ENTRIES = 200_000
_MOST_FILES = 5_000
_DEEPEST = 24
_MOST_BYTES = 512 * 1024
_MOST_LOCK_BYTES = 16 * 1024 * 1024


def walk(base: Path) -> Iterator[Path]:
    """The pin files below a folder; no links followed, no hidden or installed folders entered."""
    waiting, entries, files = [(base, 0)], 0, 0
    while waiting and entries < _MOST_ENTRIES and files < _MOST_FILES:
        folder, depth = waiting.pop()
        for entry in sorted(_entries(str(folder)), key=lambda entry: entry.name):
            entries += 1
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and _is_entered(entry.name):
                    waiting.append((Path(entry.path), depth + 1))
            elif entry.is_file(follow_symlinks=False) and reader_for(entry.path):
                files += 1
                yield Path(entry.path)


class PinFiles:
    """The files that pin releases, of a target whose files are named; each folder is listed and
    each of them read once, however often it is asked for."""

    def __init__(self) -> None:
        self._listed: dict[str, tuple[list[Path], bool]] = {}
        self._texts: dict[Path, str] = {}

    def on_the_way(self, base: Path, files: Iterable[str]) -> Iterator[Path]:
        """Those in the folders from each file up to the base, `requirements/` in them too."""
        top = str(base)
        for folder in _upwards(files):
            here = os.path.join(top, folder) if folder else top  # noqa: PTH118 - of many folders
            found, further = self._among(here)
            yield from found
            if further and os.path.basename(here) != _FURTHER:  # noqa: PTH119
                yield from self.listed(Path(here, _FURTHER))

    def all(self, root: Path, files: Iterable[str]) -> Iterator[Path]:
        """Every one that has a word on files of a target, those over its root last."""
        base = root if root.is_dir() else root.parent
        yield from self.on_the_way(base, files)
        for folder in above(base):
            yield from self.listed(folder)

    def listed(self, folder: Path) -> list[Path]:
        """Those right in a folder."""
        return self._among(str(folder))[0]

    def text(self, path: Path) -> str:
        """The text of one of them; see `text_of`."""
        if path not in self._texts:
            self._texts[path] = text_of(path)
        return self._texts[path]

    def _among(self, folder: str) -> tuple[list[Path], bool]:
        """Those right in a folder, and whether it has a folder of further ones."""
        if folder not in self._listed:
            entries = _entries(folder)
            further = any(entry.name == _FURTHER for entry in entries)
            self._listed[folder] = _pins_among(entries), further
        return self._listed[folder]


def _upwards(files: Iterable[str]) -> list[str]:
    """Every folder on the way to a file, each behind those above it; that of the base is ""."""
    found = {""}
    for file in files:
        folder = file.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found, key=lambda folder: folder.split("/"))


def _pins_among(entries: Iterable[os.DirEntry[str]]) -> list[Path]:
    found = sorted((e for e in entries if reader_for(e.path)), key=lambda entry: entry.name)
    return [Path(entry.path) for entry in found if entry.is_file(follow_symlinks=False)]


def above(base: Path) -> list[Path]:
    """The folders over the base up to the root of its repository; none without a repository."""
    here = Path(os.path.realpath(base))
    folders = [here, *here.parents][:_DEEPEST]
    tops = [n for n, folder in enumerate(folders) if os.path.exists(folder / ".git")]  # noqa: PTH110
    return folders[1 : tops[0] + 1] if tops else []


def text_of(path: Path) -> str:
    """The file's text, cut at a bound. PowerShell writes requirements as UTF-16."""
    most = _MOST_LOCK_BYTES if path.name.endswith(".lock") else _MOST_BYTES
    try:
        with path.open("rb") as file:
            data = file.read(most)
    except OSError:
        return ""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace")


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _is_entered(name: str) -> bool:
    return name not in _SKIPPED and not name.startswith(".")
