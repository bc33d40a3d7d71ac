"""What is told of runs while their records are looked through, so that these are read but once.

A run seems whole when nothing of it came for a while. It is told then, and its records are let go;
should more of it come after all, or stand elsewhere in the file, what was told does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

QUIET = 200_000
"""Bytes of other records behind which a run seems whole, at first."""
HELD = 24_000_000
"""Bytes of records that are held until their runs seem whole, about."""
TRIED = 64
"""Runs of which at least half have to be told for it to be worth the effort."""

T = TypeVar("T")
D = TypeVar("D")


class Gleaning(Generic[T, D]):
    """Runs of a file in the making; `tell` is given the key and the things of one that seems whole,
    and may tell nothing."""

    def __init__(self, tell: Callable[[str, list[T]], D | None]) -> None:
        self._tell = tell
        self._young: dict[str, list[T | list[T]]] = {}
        self._old: dict[str, list[T | list[T]]] = {}
        self._told: dict[str, tuple[int, D | None]] = {}
        self._quiet = QUIET
        self._tried = self._failed = 0
        self.left = QUIET
        self.worth = True

    def of(self, key: str, records: int) -> D | None:
        """What was told of a run that has so many records in all of the file."""
        seen, told = self._told.get(key, (0, None))
        return told if seen == records else None

    def room(self, key: str) -> list[T | list[T]]:
        """Where the things of the next record of a run belong."""
        mine = self._young.get(key)
        if mine is None:
            mine = self._old.pop(key, None)
            if mine is None:
                mine = []
                if key in self._told:
                    self._reopened(key)
            self._young[key] = mine
        return mine

    def turn(self, records: int) -> None:
        """Tell the runs that seem whole; as many records came since the last time."""
        self._tell_old()
        size = self._quiet / max(records, 1)
        if sum(map(len, self._old.values())) * size > HELD:
            self._told |= dict.fromkeys(self._old, (0, None))
            self._old = {}
        self.left = self._quiet

    def finish(self) -> None:
        """Tell the runs that are left: the records behind are not looked through here."""
        self._tell_old()
        self._tell_old()

    def _tell_old(self) -> None:
        old, self._old, self._young = self._old, self._young, {}
        for key, held in old.items():
            self._close(key, held)

    def _close(self, key: str, held: list[T | list[T]]) -> None:
        if key in self._told:
            return
        told = self._tell(key, _flat(held))
        self._told[key] = len(held), told
        self._tried += 1
        self._failed += told is None
        if self._tried > TRIED and self._failed * 2 > self._tried:
            self.worth = False

    def _reopened(self, key: str) -> None:
        self._told[key] = 0, None
        self._quiet = min(self._quiet * 2, HELD // 2)


def _flat(held: list[T | list[T]]) -> list[T]:
    things: list[T] = []
    for each in held:
        if isinstance(each, list):
            things += each
        else:
            things.append(each)
    return things
