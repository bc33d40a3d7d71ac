"""What parts of trace files told, for those behind them: of what is told often, less is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agentcheck.run.fold import Kept, Key


class Place(NamedTuple):
    """Where a part stands: the number of its file, and its number there."""

    file: int = 0
    part: int = 0


class Heard:
    """What is known of the parts of the file that is read, whoever read them."""

    def __init__(self) -> None:
        self._known: dict[Place, Mapping[Key, Kept]] = {}
        self._to: Place | None = None
        self._sums: dict[Key, Kept] = {}

    def add(self, place: Place, kept: Mapping[Key, Kept]) -> None:
        """Take in what a part told."""
        short = {key: Kept(one.worst, size=one.size) for key, one in kept.items()}
        if self._to is not None and place.file == self._to.file and place < self._to:
            self._sum(short)
        self._known[place] = short

    def before(self, place: Place) -> Mapping[Key, Kept]:
        """What is known to be told in front of a part, in its file."""
        last = self._to
        if last is None or last.file != place.file or place < last:
            self._known = {at: kept for at, kept in self._known.items() if at.file >= place.file}
            self._sums, last = {}, Place(place.file, -1)
        for at in sorted(self._known):
            if at.file == place.file and last <= at < place:
                self._sum(self._known[at])
        self._to = place
        return self._sums

    def _sum(self, more: Mapping[Key, Kept]) -> None:
        for key, one in more.items():
            known = self._sums.setdefault(key, Kept(one.worst))
            known.size += one.size
