"""Which release of each SDK the target would get, by its own requirements and lock files.

The nearest file that settles a distribution wins, so that each folder of a monorepo has its own.
Nothing of the target is run; hostile files cost a bounded read and say nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct
from packaging.utils import canonicalize_name

from agentcheck.frameworks.load import distributions
from agentcheck.frameworks.pinfiles import reader_for
from agentcheck.frameworks.settle import OPEN, Pin, locked, settle

_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "dist"})
_MOST_ENTRIES = 200_000
_MOST_FILES = 5_000
_DEEPEST = 24
_MOST_BYTES = 512 * 1024
_MOST_LOCK_BYTES = 16 * 1024 * 1024

Folder = dict[str, Pin]


class Pins(Struct, frozen=True):
    """The pins of a target, by the folder they govern ("" is the root); names are normalised.

    `above` are those of the folders over the root, nearest first.
    """

    folders: dict[str, Folder]
    above: tuple[Folder, ...] = ()

    def pins_for(self, file: str) -> dict[str, str | None]:
        """What a file of the target gets, by distribution: a release, or None for the newest.

        `file` is relative to the root, with forward slashes. A distribution that no pin file
        names is absent.
        """
        chain = [self.folders.get(folder, {}) for folder in _upwards(file)]
        return _merged([*chain, *self.above])

    def whole(self) -> dict[str, str | None]:
        """What the target as a whole gets: its root's pins, then what all its folders agree on."""
        root = self.pins_for("")
        below: dict[str, set[str | None]] = {}
        for folder in self.folders.values():
            for name, pin in folder.items():
                below.setdefault(name, set()).add(pin.version)
        agreed = {name: next(iter(v)) if len(v) == 1 else None for name, v in below.items()}
        return {**agreed, **root}


def read_pins(root: Path) -> dict[str, str | None]:
    """The pins of a target as a whole; see `Pins.whole`."""
    return collect_pins(root).whole()


def collect_pins(root: Path) -> Pins:
    """Reads every pin file of a target, a folder or one file, and those above in its repository.

    Never raises for what it finds; folders it may not enter say nothing.
    """
    base = root if root.is_dir() else root.parent
    files = _walk(base) if root.is_dir() else _listed(base)
    folders: dict[str, Folder] = {}
    for path in files:
        _note(folders.setdefault(_governed(path, base), {}), path)
    return Pins(folders, tuple(_read_folder(folder) for folder in _above(base)))


def _merged(chain: list[Folder]) -> dict[str, str | None]:
    names = {name for folder in chain for name in folder}
    return {name: _nearest([f[name] for f in chain if name in f]) for name in sorted(names)}


def _nearest(pins: list[Pin]) -> str | None:
    """The first that settles it within what nearer, open ones allow."""
    for index, pin in enumerate(pins):
        if pin.rank > OPEN and pin.version is not None:
            version = pin.version
            return version if all(p.allows(version) for p in pins[:index]) else None
    return None


def _upwards(file: str) -> list[str]:
    folders = [str(parent) for parent in PurePosixPath(file).parents]
    return ["" if folder == "." else folder for folder in folders] or [""]


def _governed(path: Path, base: Path) -> str:
    """The folder that a pin file speaks for: its own; that above for `requirements/base.txt`."""
    folder = path.parent
    if folder.name == "requirements" and folder != base:
        folder = folder.parent
    relative = folder.relative_to(base).as_posix()
    return "" if relative == "." else relative


def _note(folder: Folder, path: Path) -> None:
    for name, pin in _read_file(path):
        if name not in folder or _strength(pin) > _strength(folder[name]):
            folder[name] = pin


def _strength(pin: Pin) -> tuple[int, tuple[int, ...]]:
    numbers = [part for part in (pin.version or "").split(".") if part.isdecimal()]
    return pin.rank, tuple(map(int, numbers))


def _read_file(path: Path) -> Iterator[tuple[str, Pin]]:
    reader, known = reader_for(path.as_posix()), distributions()
    if reader is None:
        return
    for written, spec, is_lock in reader(_text(path)):
        name = canonicalize_name(written)
        if name in known:
            pin = locked(spec) if is_lock else settle(spec, known[name])
            if pin is not None:
                yield name, pin


def _read_folder(folder: Path) -> Folder:
    found: Folder = {}
    for path in _listed(folder):
        _note(found, path)
    return found


def _text(path: Path) -> str:
    """The file's text, cut at a bound. PowerShell writes requirements as UTF-16."""
    most = _MOST_LOCK_BYTES if path.name.endswith(".lock") else _MOST_BYTES
    try:
        with path.open("rb") as file:
            data = file.read(most)
    except OSError:
        return ""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace")


def _above(base: Path) -> list[Path]:
    """The folders over the base up to the root of its repository; none without a repository."""
    folders = [base.resolve(), *base.resolve().parents][:_DEEPEST]
    tops = [index for index, folder in enumerate(folders) if (folder / ".git").exists()]
    return folders[1 : tops[0] + 1] if tops else []


def _walk(base: Path) -> Iterator[Path]:
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


def _listed(folder: Path) -> list[Path]:
    found = (e for e in _entries(folder) if e.is_file(follow_symlinks=False))
    return [Path(entry.path) for entry in found if reader_for(entry.path)]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_entered(name: str) -> bool:
    return name not in _SKIPPED and not name.startswith(".")
