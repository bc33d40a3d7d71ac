"""Logs of records of which each belongs to one run: read twice, so that runs may interleave.

The first pass notes for each run where its records are, sixteen bytes a record; the second fetches
the records of one run at a time. Memory is bounded by the largest run and that index.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.records import BROKEN, Buffer, Records, value_of


class Entry(NamedTuple):
    """A record of a run: its index in the file (or in the list it stands in), and what it says.

    `at` is its time in seconds since the epoch, once it has been looked for.
    """

    number: int
    value: dict[str, Any]
    at: float | None = None


class Log(NamedTuple):
    """The records of one run in their order; `lost` counts those that could not be read."""

    key: str
    entries: list[Entry]
    lost: int


KeyOf = Callable[[Buffer], str | None]


class _Spots:
    """Where the records of one run are."""

    __slots__ = ("lost", "numbers", "spots")

    def __init__(self) -> None:
        self.numbers = array("Q")
        self.spots = array("Q")
        self.lost = 0


class _Index:
    """The first pass. A broken record counts as lost for every run whose stretch it lies in."""

    def __init__(self) -> None:
        self.runs: dict[str, _Spots] = {}
        self._last: str | None = None
        self._broken: list[tuple[int, str | None]] = []
        self._early: list[tuple[int, int]] = []

    def add(self, key: str | None, number: int, spot: int) -> None:
        """A record; without a key it belongs to the run of the record before it."""
        key = key if key is not None else self._last
        if key is None:
            self._early.append((number, spot))
            return
        run = self.runs.setdefault(key, _Spots())
        for early_number, early_spot in self._early:
            run.numbers.append(early_number)
            run.spots.append(early_spot)
        self._early.clear()
        run.numbers.append(number)
        run.spots.append(spot)
        self._last = key

    def broken(self, number: int) -> None:
        self._broken.append((number, self._last))

    def close(self) -> None:
        if self._early and not self.runs:
            self._last = ""
            early, self._early = self._early, []
            for number, spot in early:
                self.add("", number, spot)
        self._count_lost(next(iter(self.runs), None))

    def _count_lost(self, begins: str | None) -> None:
        numbers = [number for number, _ in self._broken]
        for run in self.runs.values():
            start, stop = run.numbers[0], run.numbers[-1]
            run.lost = max(bisect_left(numbers, stop) - bisect_right(numbers, start), 0)
        for number, after in self._broken:
            run_after = self.runs.get(after if after is not None else begins or "")
            if run_after and not run_after.numbers[0] < number < run_after.numbers[-1]:
                run_after.lost += 1


def logs_of(records: Records, key_of: KeyOf) -> Iterator[Log | Skipped]:
    """The runs of a file in the order in which they begin, after what of it could not be read.

    `key_of` tells the run of a record, None for the run of the record before it, and raises one of
    BROKEN for what is no record of the format.
    """
    index = _Index()
    losses = Losses(records.name, records.unit)
    for record in records:
        try:
            index.add(key_of(record.raw), record.number, record.spot)
        except BROKEN as error:
            index.broken(record.number)
            yield from losses.broken(record.number, error)
    index.close()
    yield from losses.rest()
    for key, spots in index.runs.items():
        yield _fetched(records, key, spots)


def _fetched(records: Records, key: str, spots: _Spots) -> Log:
    entries, lost = [], spots.lost
    for number, spot in zip(spots.numbers, spots.spots, strict=True):
        try:
            value = value_of(records.fetch(spot))
        except BROKEN:
            lost += 1
            continue
        if isinstance(value, dict):
            entries.append(Entry(number, value))
        else:
            lost += 1
    return Log(key, entries, lost)


def in_time(entries: list[Entry], time_of: Callable[[dict[str, Any]], float | None]) -> list[Entry]:
    """Entries by their times where each has one, else as they stand."""
    timed = [Entry(entry.number, entry.value, time_of(entry.value)) for entry in entries]
    if any(entry.at is None for entry in timed):
        return timed
    return sorted(timed, key=lambda entry: entry.at or 0.0)
