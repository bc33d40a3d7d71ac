"""Which files are read: the paths a user named, and what lies below them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from agentcheck.model.report import Skipped
from agentcheck.source.errors import SourceError
from agentcheck.source.folders import is_generated_name, is_installed, is_passed_over
from agentcheck.source.gitignore import NAME as GITIGNORE
from agentcheck.source.gitignore import Ignored, Level, above

SUFFIXES = (".py", ".ipynb")
# Modules too, but nothing that is read here: stubs, Cython sources, compiled extensions.
NATIVE = (".pyi", ".pyx", ".so", ".pyd")


class SourceFile(Struct, frozen=True):
    """A file to read: its name in reports, relative to the scanned folder, and where it is.

    `place` is its absolute path as a text, which is asked for thousands of times. `named` when the
    user gave the file itself, which is then read whatever it looks like. `data` is its content
    where that does not come from there.
    """

    path: str
    place: str
    named: bool = False
    data: bytes | None = None

    @property
    def absolute(self) -> Path:
        """Where it is."""
        return Path(self.place)


class Discovery(Struct, frozen=True):
    """The scanned folder, the files in order of their names, and what could not be looked at.

    `passed_over` are files and folders (with a slash at the end) that exist but are not read:
    ignored, generated, vendored, environments, extension modules, folders without any file to
    read, and what lies beside a file that the user named. An import of one of them is no broken
    import.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    passed_over: tuple[str, ...] = ()


def discover(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    overlay: Mapping[str, bytes] | None = None,
) -> Discovery:
    """Find the Python files and notebooks to read. `exclude` has gitignore patterns.

    A folder is searched with its .gitignore files honoured; a file named by the user is always
    taken. `overlay` holds, by absolute path, what stands in the place of files on disk; of those
    that are not there yet a folder holds the ones that it would be searched for. Raises SourceError
    for a path that does not exist or cannot be opened.
    """
    absolute = [_absolute(path) for path in paths]
    for path, given in zip(absolute, paths, strict=True):
        if not overlay or str(path) not in overlay:
            _require(path, str(given))
    root = root_of(paths)
    search = _Search(root, list(exclude), overlay or {})
    for path in absolute:
        search.add(path)
    return search.result()


def name_of(path: Path, root: Path) -> str:
    """The name of a file in reports: relative, forward slashes, valid text in any case."""
    return _as_text(path.relative_to(root).as_posix())


def _as_text(name: str) -> str:
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - keeps symlinks


def _require(path: Path, given: str) -> None:
    if not path.exists():
        raise SourceError(f"{given}: no such file or folder")
    if not path.is_dir() and not path.is_file():
        raise SourceError(f"{given}: neither a file nor a folder")
    if not os.access(path, os.R_OK):
        raise SourceError(f"{given}: permission denied")


def root_of(paths: Sequence[Path]) -> Path:
    """The scanned folder: the one that all paths have in common. Raises SourceError for none."""
    absolute = map(_absolute, paths)
    folders = {path if path.is_dir() else path.parent for path in absolute}
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        raise SourceError("the paths have no folder in common; scan them one by one") from None


class _Search:
    """Walks folders and gathers what is found, each file once."""

    def __init__(self, root: Path, exclude: list[str], overlay: Mapping[str, bytes]) -> None:
        self._root = root
        self._overlay = overlay
        self._exclude = Level(str(root), exclude) if exclude else None
        self._files: dict[str, SourceFile] = {}
        self._skipped: set[Skipped] = set()
        self._passed_over: set[str] = set()

    def result(self) -> Discovery:
        files = tuple(self._files[name] for name in sorted(self._files))
        for folder in sorted({file.absolute.parent for file in files if file.named}):
            self._beside(folder)
        passed_over = self._passed_over - set(self._files) - _folders_of(self._files)
        return Discovery(
            self._root, files, tuple(sorted(self._skipped)), tuple(sorted(passed_over))
        )

    def add(self, path: Path) -> None:
        """Take a file or folder that the user named."""
        name = name_of(path, self._root)
        if path.is_dir():
            self._folder(str(path), name, above(path))
            for unsaved in self._overlay:
                self._unsaved(path, Path(unsaved), above(path))
        else:
            data = self._overlay.get(str(path))
            self._files[name] = SourceFile(name, str(path), named=True, data=data)

    def _beside(self, folder: Path) -> None:
        """Note the names beside a file that the user named: they can be imported, unread."""
        here = name_of(folder, self._root)
        for entry in self._entries(str(folder), here):
            name = _joined(here, entry.name)
            if Path(entry.path).is_dir():  # the entry's own question fails on links in a circle
                self._passed_over.add(f"{name}/")
            elif entry.name.endswith((*SUFFIXES, *NATIVE)):
                self._passed_over.add(name)

    def _folder(self, folder: str, name: str, ignored: Ignored) -> None:
        waiting = [(folder, name, ignored)]
        while waiting:
            current, here, patterns = waiting.pop()
            self._passed_over.add(f"{here}/")
            entries = self._entries(current, here)
            inside = {entry.name for entry in entries}
            if current != folder and is_installed(Path(current).name, inside):
                continue
            patterns = patterns.enter(current) if GITIGNORE in inside else patterns
            for entry in entries:
                below = _joined(here, entry.name)
                if not entry.is_dir(follow_symlinks=False):
                    self._file(entry, below, patterns)
                elif is_passed_over(entry.name) or self._is_left_out(
                    entry.path, patterns, folder=True
                ):
                    self._passed_over.add(f"{below}/")
                else:
                    waiting.append((entry.path, below, patterns))

    def _unsaved(self, folder: Path, path: Path, ignored: Ignored) -> None:
        """Take a file that is not on disk yet, if the folder would be searched for it."""
        if not path.is_relative_to(folder) or not path.name.endswith(SUFFIXES) or path.exists():
            return
        here = folder
        for part in path.relative_to(folder).parts[:-1]:
            ignored, here = ignored.enter(str(here)), here / part
            inside = set(os.listdir(here)) if here.is_dir() else ()  # noqa: PTH208 - names alone
            if is_passed_over(part) or is_installed(part, inside):
                return
            if self._is_left_out(str(here), ignored, folder=True):
                return
        left_out = self._is_left_out(str(path), ignored.enter(str(here)), folder=False)
        if not left_out and not is_generated_name(path.name):
            name = name_of(path, self._root)
            self._files[name] = SourceFile(name, str(path), data=self._overlay[str(path)])

    def _entries(self, folder: str, name: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self._skip(name, f"cannot be opened: {error.strerror}")
            return []

    def _file(self, entry: os.DirEntry[str], name: str, ignored: Ignored) -> None:
        """Take a file. Links to folders are not followed: inside, the folder itself is walked."""
        if not entry.name.endswith((*SUFFIXES, *NATIVE)) or (
            entry.is_symlink() and Path(entry.path).is_dir()
        ):
            return
        unread = entry.name.endswith(NATIVE) or is_generated_name(entry.name)
        if unread or self._is_left_out(entry.path, ignored, folder=False):
            self._passed_over.add(name)
        elif entry.is_symlink():
            self._link(Path(entry.path), name)
        elif not entry.is_file():
            self._skip(name, "not a regular file")
        else:
            data = self._overlay.get(entry.path)
            self._files.setdefault(name, SourceFile(name, entry.path, data=data))

    def _link(self, path: Path, name: str) -> None:
        """A link to a file: inside the folder the file itself is read, outside nothing is."""
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            self._skip(name, "a symbolic link that leads nowhere")
            return
        if target.is_relative_to(self._root.resolve()):
            self._passed_over.add(name)
        else:
            self._skip(name, "a symbolic link that leads out of the scanned folder")

    def _is_left_out(self, path: str, ignored: Ignored, *, folder: bool) -> bool:
        if self._exclude and self._exclude.verdict(path, is_folder=folder):
            return True
        return ignored(path, is_folder=folder)

    def _skip(self, name: str, why: str) -> None:
        self._skipped.add(Skipped(name, why))


def _joined(folder: str, name: str) -> str:
    """The name in reports of something in a folder; "." is the scanned folder itself."""
    shown = _as_text(name)
    return shown if folder == "." else f"{folder}/{shown}"


def _folders_of(names: Collection[str]) -> set[str]:
    """Every folder on the way to the files of these names, with a slash at the end."""
    found = {"./"} if names else set[str]()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and f"{folder}/" not in found:
            found.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return found
