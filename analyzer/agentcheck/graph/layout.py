"""The files of a whole target by name, of which a graph may hold only some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from msgspec import Struct

from agentcheck.model.facts import Import

T = TypeVar("T")


class Importing(Protocol):
    """A file as far as its imports are concerned."""

    @property
    def path(self) -> str:
        """Its path in the target."""

    @property
    def imports(self) -> Sequence[Import]:
        """What it imports, anywhere in it."""


class Imported(Struct, frozen=True, array_like=True):
    """What all files together import: the first names of modules, and what goes by a dotted name
    that begins with the name of a folder."""

    roots: frozenset[str]
    dotted: frozenset[str]


class Layout:
    """What there is in the target: its modules, its folders, and what could not be read.

    `paths` are those of all files that were read, whether a graph holds them or not. `imported` is
    given where it is known already.
    """

    def __init__(
        self,
        files: Iterable[Importing],
        unread: Iterable[str] = (),
        imported: Imported | None = None,
    ) -> None:
        self._files = list(files)
        self._known = imported
        self.paths = frozenset(file.path for file in self._files)
        self.unread = frozenset(unread)
        self.folders = _folders(self.paths)

    @property
    def dotted(self) -> frozenset[str]:
        """What the files import by a dotted name that begins with the name of a folder."""
        return self.imported.dotted

    @cached_property
    def imported(self) -> Imported:
        """What all files together import."""
        return self._known or self._imported()

    def _imported(self) -> Imported:
        names = {folder.rpartition("/")[2] for folder in self.folders}
        roots, dotted = set[str](), set[str]()
        for file in self._files:
            for given in file.imports:
                if not given.level:
                    root = given.module.partition(".")[0]
                    roots.add(root)
                    if root in names:
                        dotted.update((given.module, f"{given.module}.{given.name}"))
        return Imported(frozenset(roots), frozenset(dotted))


def _folders(paths: Iterable[str]) -> set[str]:
    """The folders of some files and all above them, "." for the top."""
    found = {"."}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


class ElsewhereError(LookupError):
    """A file of the target is needed that a graph does not hold; `path` is that of the file."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Own(dict[str, T]):
    """Something by the files that a graph holds.

    `missed` collects others of the target that are asked for, since what is then answered is not
    the whole of it. To ask for what one of those has raises ElsewhereError.
    """

    def __init__(self, held: Mapping[str, T], layout: Layout, missed: set[str]) -> None:
        super().__init__(held)
        self._paths = layout.paths
        self._missed = missed

    def __missing__(self, path: str) -> T:
        if path in self._paths:
            self._missed.add(path)
            raise ElsewhereError(path)
        raise KeyError(path)

    def near(self, path: str) -> T | None:
        """What there is of a file; None where there is none, which is noted of one not held."""
        if path in self:
            return self[path]
        if path in self._paths:
            self._missed.add(path)
        return None
