"""Records of interleaved runs, brought together without holding the file.

A first pass notes which records belong to which run: eight bytes each. Then the records of each
run are fetched, in the order in which the runs begin. So memory is bounded by the largest run
and that index, however the runs are mixed, and no run is given before it is whole. The first
records are held instead, so that a file of usual size is read and decoded once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from agentcheck.model.report import Skipped
from agentcheck.trace.losses import SHOWN, Losses, left_out
from agentcheck.trace.readers.gleaning import HELD, Gleaning
from agentcheck.trace.records import BROKEN, Buffer, Lines, Records, bare_line

KEPT = 4
"""Decoded records kept at hand, for one record may hold parts of several runs."""

T = TypeVar("T")
Places: TypeAlias = tuple[Callable[[Any], None], Callable[[int], None]]
"""What takes the things of a record of some run, and its spot."""


class Group(NamedTuple, Generic[T]):
    """What the records of a file hold of one run.

    `lost` counts records inside its stretch that could not be read; `torn` says that some after
    it could not, so that its end may be missing.
    """

    key: str
    held: list[T]
    lost: int
    torn: bool


class Spots(NamedTuple):
    """Where the records of one run stand, before they are read; the rest as in `Group`."""

    key: str
    spots: array[int]
    lost: int
    torn: bool


class Index(NamedTuple):
    """Where the records of runs stand in a file, or in a stretch of it.

    `spots` are those of each run, `broken` those of records that could not be read; `whys` are
    the numbers and reasons of the first of these.
    """

    spots: dict[str, array[int]]
    broken: array[int]
    whys: list[tuple[int, str]]

    def lose(self, spot: int, number: int, error: Exception) -> None:
        """Note a record that could not be read."""
        self.broken.append(spot)
        if len(self.whys) < SHOWN:
            self.whys.append((number, left_out(error)))


def lost_in(indexes: Iterable[tuple[Index, int]], name: str, unit: str) -> Iterator[Skipped]:
    """What could not be read of stretches, each with the number that its first record has."""
    losses = Losses(name, unit)
    for index, first in indexes:
        for number, why in index.whys:
            yield from losses.add(first + number, why)
        losses.count += len(index.broken) - len(index.whys)
    yield from losses.rest()


class Merged(NamedTuple):
    """Where the runs of a file stand, all of the stretches of which were looked through.

    `begun` are the runs that begin in each stretch; the rest as in `Index`.
    """

    spots: dict[str, array[int]]
    broken: array[int]
    begun: list[list[str]]

    def of(self, number: int) -> Iterator[Spots]:
        """The runs that begin in a stretch."""
        broken = self.broken
        for key in self.begun[number]:
            mine = self.spots[key]
            lost = max(bisect_left(broken, mine[-1]) - bisect_right(broken, mine[0]), 0)
            yield Spots(key, mine, lost, bool(broken) and broken[-1] > mine[-1])


def merged(indexes: Iterable[Index]) -> Merged:
    """What the stretches of a file say together, in their order."""
    found = Merged({}, array("Q"), [])
    spots = found.spots
    for index in indexes:
        found.broken.extend(index.broken)
        found.begun.append([key for key in index.spots if key not in spots])
        for key, more in index.spots.items():
            known = spots.setdefault(key, more)
            if known is not more:
                known.extend(more)
    return found


class Gather(NamedTuple, Generic[T]):
    """How to bring the records of runs together.

    `keys` tells which runs a record has parts of and raises ValueError for none of the format's;
    `decode` then gives all that the record holds, and `key_of` the run of each thing. `quick` does
    all of this at once, where each thing names its run; None where it cannot tell that `keys` and
    `decode` take the record. `brief` does the same as far as outlines need it, and takes a line's
    end: it gives one thing, or a list of several, and `mark` the run of each.
    """

    keys: Callable[[Buffer], Iterable[str]]
    decode: Callable[[Buffer], Sequence[T]]
    key_of: Callable[[T], Any]
    quick: Callable[[Buffer], Sequence[T] | None] | None = None
    brief: Callable[[bytes], Any] | None = None
    mark: Callable[[Any], str] | None = None

    def find(
        self, records: Records, hold: dict[int, Sequence[T]] | None = None
    ) -> Iterator[Spots | Skipped]:
        """What of the file could not be read, then where each run stands.

        With `hold` the first records are decoded on the way and put there, by spot.
        """
        index = self.locate(records, hold)
        yield from lost_in([(index, 0)], records.name, records.unit)
        yield from merged([index]).of(0)

    def locate(
        self, records: Records, hold: dict[int, Sequence[T]] | None = None, room: int = HELD
    ) -> Index:
        """Which records belong to which run; `hold` as in `find`, of `room` bytes at most."""
        index = Index({}, array("Q"), [])
        spots, quick = index.spots, None if hold is None else self.quick
        key_of = self.key_of
        for number, spot, raw in records:
            try:
                things = None if quick is None or room <= 0 else quick(raw)
                keys: Iterable[str]
                if not things or hold is None:
                    keys = self.keys(raw)
                else:
                    hold[spot] = things
                    room -= len(raw) if type(raw) is bytes else memoryview(raw).nbytes
                    if len(things) == 1:
                        keys = (key_of(things[0]),)
                    else:
                        keys = dict.fromkeys([key_of(thing) for thing in things])
                for key in keys:
                    mine = spots.get(key)
                    if mine is None:
                        mine = spots[key] = array("Q")
                    mine.append(spot)
            except BROKEN as error:
                index.lose(spot, number, error)
        return index

    def glean(self, records: Lines, gleaning: Gleaning[T, Any]) -> Index:
        """As `locate`, for `gleaning` on the way, as long as that is worth it."""
        brief, mark = self.brief, self.mark
        index = Index({}, array("Q"), [])
        known: dict[str, Places] = {}
        left, count = gleaning.left, 0
        for number, spot, line in records.as_written():
            found = brief(line) if brief and mark and gleaning.worth else None
            if not found or not mark:
                self._locate(number, spot, line, index)
                continue
            for key, things in (
                _by_run(found, mark) if type(found) is list else ((mark(found), found),)
            ):
                mine = known.get(key)
                if mine is None:
                    places = index.spots.setdefault(key, array("Q"))
                    mine = known[key] = gleaning.room(key).append, places.append
                mine[0](things)
                mine[1](spot)
            left -= len(line)
            count += 1
            if left < 0:
                gleaning.turn(count)
                left, count, known = gleaning.left, 0, {}
        gleaning.left = left
        return index

    def _locate(self, number: int, spot: int, line: bytes, index: Index) -> None:
        raw = bare_line(line)
        try:
            for key in self.keys(raw) if raw else ():
                index.spots.setdefault(key, array("Q")).append(spot)
        except BROKEN as error:
            index.lose(spot, number, error)

    def fetch(
        self, records: Records, hold: dict[int, Sequence[T]] | None = None
    ) -> Callable[[Spots], Group[T]]:
        """What gives the records of a run; those in `hold` are taken from there."""
        load = lru_cache(KEPT)(lambda spot: _decoded(records.fetch(spot), self.decode))
        held = {} if hold is None else hold

        def fetched(found: Spots) -> Group[T]:
            things: list[T] = []
            lost = found.lost
            for spot in found.spots:
                record = held.get(spot) or load(spot)
                if record is None:
                    lost += 1
                    continue
                mine = [thing for thing in record if self.key_of(thing) == found.key]
                things += mine
                if len(mine) == len(record):
                    held.pop(spot, None)
            return Group(found.key, things, lost, found.torn)

        return fetched


def _by_run(things: list[T], mark: Callable[[T], str]) -> Iterable[tuple[str, list[T]]]:
    found: dict[str, list[T]] = {}
    for thing in things:
        found.setdefault(mark(thing), []).append(thing)
    return found.items()


def grouped(
    records: Records,
    keys: Callable[[Buffer], Iterable[str]],
    decode: Callable[[Buffer], Sequence[T]],
    key_of: Callable[[T], object],
) -> Iterator[Group[T] | Skipped]:
    """The groups of a file, after what of it could not be read; arguments as in `Gather`."""
    return groups_of(records, Gather(keys, decode, key_of))


def groups_of(records: Records, gather: Gather[T]) -> Iterator[Group[T] | Skipped]:
    """The groups of a file, after what of it could not be read."""
    found: list[Spots] = []
    hold: dict[int, Sequence[T]] = {}
    for each in gather.find(records, hold):
        if isinstance(each, Skipped):
            yield each
        else:
            found.append(each)
    yield from map(gather.fetch(records, hold), found)


def _decoded(raw: Buffer, decode: Callable[[Buffer], Sequence[T]]) -> Sequence[T] | None:
    """What a record holds; None where only its ids could be read."""
    try:
        return decode(raw)
    except BROKEN:
        return None
