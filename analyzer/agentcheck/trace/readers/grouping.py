"""Records of interleaved runs, brought together without holding the file.

A first pass notes which records belong to which run: eight bytes each. Then the records of each
run are fetched, in the order in which the runs begin. So memory is bounded by the largest run
and that index, however the runs are mixed, and no run is given before it is whole.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.records import BROKEN, Buffer, Records

KEPT = 4
"""Decoded records kept at hand, for one record may hold parts of several runs."""

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
    `decode` then gives all that the record holds, and `key_of` the run of each thing.
    """

    keys: Callable[[Buffer], Iterable[str]]
    decode: Callable[[Buffer], Sequence[T]]
    key_of: Callable[[T], object]

    def find(self, records: Records) -> Iterator[Spots | Skipped]:
        """What of the file could not be read, then where each run stands."""
        spots: dict[str, array[int]] = {}
        broken: list[int] = []
        yield from _index(records, self.keys, spots, broken)
        for key, mine in spots.items():
            lost = max(bisect_left(broken, mine[-1]) - bisect_right(broken, mine[0]), 0)
            yield Spots(key, mine, lost, bool(broken) and broken[-1] > mine[-1])

    def fetch(self, records: Records, found: Iterable[Spots]) -> Iterator[Group[T]]:
        """The records of runs."""
        load = lru_cache(KEPT)(lambda spot: _decoded(records.fetch(spot), self.decode))
        for each in found:
            records_of = [load(spot) for spot in each.spots]
            held = [i for record in records_of for i in record or () if self.key_of(i) == each.key]
            yield Group(each.key, held, each.lost + records_of.count(None), each.torn)


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
    for each in gather.find(records):
        if isinstance(each, Skipped):
            yield each
        else:
            found.append(each)
    yield from gather.fetch(records, found)


def _decoded(raw: Buffer, decode: Callable[[Buffer], Sequence[T]]) -> Sequence[T] | None:
    """What a record holds; None where only its ids could be read."""
    try:
        return decode(raw)
    except BROKEN:
        return None


def _index(
    records: Records,
    keys: Callable[[Buffer], Iterable[str]],
    spots: dict[str, array[int]],
    broken: list[int],
) -> Iterator[Skipped]:
    losses = Losses(records.name, records.unit)
    for record in records:
        try:
            for key in keys(record.raw):
                mine = spots.get(key)
                if mine is None:
                    mine = spots[key] = array("Q")
                mine.append(record.spot)
        except BROKEN as error:
            broken.append(record.spot)
            yield from losses.broken(record.number, error)
    yield from losses.rest()
