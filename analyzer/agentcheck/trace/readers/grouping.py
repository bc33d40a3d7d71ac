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
from typing import Any, Generic, NamedTuple, TypeVar

from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.records import BROKEN, Buffer, Records

KEPT = 4
"""Decoded records kept at hand, for one record may hold parts of several runs."""
HELD = 24_000_000
"""Bytes of records that are held, decoded, from when they are found until they are asked for."""

T = TypeVar("T")


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


class Gather(NamedTuple, Generic[T]):
    """How to bring the records of runs together.

    `keys` tells which runs a record has parts of and raises ValueError for none of the format's;
    `decode` then gives all that the record holds, and `key_of` the run of each thing. `quick` does
    all of this at once, where each thing names its run; None where it cannot tell that `keys` and
    `decode` take the record.
    """

    keys: Callable[[Buffer], Iterable[str]]
    decode: Callable[[Buffer], Sequence[T]]
    key_of: Callable[[T], Any]
    quick: Callable[[Buffer], Sequence[T] | None] | None = None

    def find(
        self, records: Records, hold: dict[int, Sequence[T]] | None = None
    ) -> Iterator[Spots | Skipped]:
        """What of the file could not be read, then where each run stands.

        With `hold` the first records are decoded on the way and put there, by spot.
        """
        spots: dict[str, array[int]] = {}
        broken: list[int] = []
        yield from _index(records, self, spots, broken, hold)
        for key, mine in spots.items():
            lost = max(bisect_left(broken, mine[-1]) - bisect_right(broken, mine[0]), 0)
            yield Spots(key, mine, lost, bool(broken) and broken[-1] > mine[-1])

    def fetch(
        self, records: Records, found: Iterable[Spots], hold: dict[int, Sequence[T]] | None = None
    ) -> Iterator[Group[T]]:
        """The records of runs; those in `hold` are taken from there."""
        load = lru_cache(KEPT)(lambda spot: _decoded(records.fetch(spot), self.decode))
        held = {} if hold is None else hold
        for each in found:
            things: list[T] = []
            lost = each.lost
            for spot in each.spots:
                record = held.get(spot) or load(spot)
                if record is None:
                    lost += 1
                    continue
                mine = [thing for thing in record if self.key_of(thing) == each.key]
                things += mine
                if len(mine) == len(record):
                    held.pop(spot, None)
            yield Group(each.key, things, lost, each.torn)


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
    yield from gather.fetch(records, found, hold)


def _decoded(raw: Buffer, decode: Callable[[Buffer], Sequence[T]]) -> Sequence[T] | None:
    """What a record holds; None where only its ids could be read."""
    try:
        return decode(raw)
    except BROKEN:
        return None


def _index(
    records: Records,
    gather: Gather[T],
    spots: dict[str, array[int]],
    broken: list[int],
    hold: dict[int, Sequence[T]] | None,
) -> Iterator[Skipped]:
    losses = Losses(records.name, records.unit)
    quick = None if hold is None else gather.quick
    room, key_of = HELD, gather.key_of
    for number, spot, raw in records:
        try:
            things = None if quick is None or room <= 0 else quick(raw)
            keys: Iterable[str]
            if not things or hold is None:
                keys = gather.keys(raw)
            else:
                hold[spot] = things
                room -= memoryview(raw).nbytes
                keys = [key_of(thing) for thing in things]
                keys = dict.fromkeys(keys) if len(keys) > 1 else keys
            for key in keys:
                mine = spots.get(key)
                if mine is None:
                    mine = spots[key] = array("Q")
                mine.append(spot)
        except BROKEN as error:
            broken.append(spot)
            yield from losses.broken(number, error)
    yield from losses.rest()
