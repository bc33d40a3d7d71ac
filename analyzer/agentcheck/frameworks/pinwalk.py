"""Finds the files of a target that name dependencies, and reads their text within bounds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentcheck.frameworks.pinfiles import reader_for

_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "dist"})
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
        for entry in _entries(folder):
            entries += 1
            if entry.is_dir(follow_symlinks=False):
                if depth < _DEEPEST and _is_entered(entry.name):
                    waiting.append((Path(entry.path), depth + 1))
            elif entry.is_file(follow_symlinks=False) and reader_for(entry.path):
                files += 1
                yield Path(entry.path)


def on_the_way(base: Path, files: Iterable[str]) -> Iterator[Path]:
    """The pin files in the folders from each file up to the base, `requirements/` in them too."""
    for folder in _upwards(files):
        here = base.joinpath(*folder)
        entries = _entries(here)
        yield from _pins_among(entries)
        if here.name != "requirements" and any(e.name == "requirements" for e in entries):
            yield from listed(here / "requirements")


def pin_files(root: Path, files: Iterable[str]) -> Iterator[Path]:
    """Every pin file that has a word on files of a target, those over its root last."""
    base = root if root.is_dir() else root.parent
    yield from on_the_way(base, files)
    for folder in above(base):
        yield from listed(folder)


def _upwards(files: Iterable[str]) -> list[tuple[str, ...]]:
    """The parts of every folder on the way to a file, in order; that of the base has none."""
    found = {""}
    for file in files:
        folder = file.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(tuple(folder.split("/")) if folder else () for folder in found)


def listed(folder: Path) -> list[Path]:
    """The pin files right in a folder."""
    return _pins_among(_entries(folder))


def _pins_among(entries: Iterable[os.DirEntry[str]]) -> list[Path]:
    found = (entry for entry in entries if reader_for(entry.path))
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


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_entered(name: str) -> bool:
    return name not in _SKIPPED and not name.startswith(".")
