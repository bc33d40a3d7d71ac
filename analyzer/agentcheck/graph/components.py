"""Files in groups: those that are joined by anything, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable


class Groups:
    """Disjoint sets of files; each is named by the first of its files in the given order."""

    def __init__(self, files: Iterable[str]) -> None:
        self._above = {file: file for file in files}
        self._rank = {file: number for number, file in enumerate(self._above)}

    def first(self, file: str) -> str:
        """The first file of the group that a file is in."""
        above = self._above
        while above[file] != file:
            above[file] = above[above[file]]
            file = above[file]
        return file

    def join(self, file: str, *others: str) -> None:
        """Put a file and some others into one group."""
        one = self.first(file)
        for other in others:
            two = self.first(other)
            first, second = sorted((one, two), key=self._rank.__getitem__)
            self._above[second] = one = first

    def all(self) -> dict[str, list[str]]:
        """The files of each group in order, by the first of them."""
        found: dict[str, list[str]] = {}
        for file in self._above:
            found.setdefault(self.first(file), []).append(file)
        return found
