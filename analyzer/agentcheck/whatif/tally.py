"""Figures that grow run by run and keep the records they come from, within bounds."""

from __future__ import annotations

import math
from statistics import median
from typing import NamedTuple

from agentcheck.model.event import Source
from agentcheck.model.whatif import Figure, RunSpan, Way

NAMED = 1_000
"""Records that a figure names; of more it names the runs."""


class Basis(NamedTuple):
    """The records behind something: themselves, else the runs that hold them."""

    of: tuple[Source, ...] = ()
    runs: tuple[RunSpan, ...] = ()


class Tally:
    """Takes in records, each with an amount. Its memory is bounded by NAMED and by how often the
    runs that it takes in are not neighbours in their file."""

    def __init__(self, named: int = NAMED) -> None:
        self._most = named
        self._of: list[Source] = []
        self._amounts: list[float] = []
        self._spans: list[RunSpan] = []
        self.count = 0
        self.total: float = 0
        self._highest, self._lowest = -math.inf, math.inf
        self.unknown = 0
        """Records whose amount is not known; they are not among the others."""

    def add(self, source: Source, amount: float | None = 1) -> None:
        """One more record; an amount of None is not known."""
        if amount is None:
            self.unknown += 1
            return
        self.count += 1
        self.total += amount
        self._highest, self._lowest = max(self._highest, amount), min(self._lowest, amount)
        if len(self._of) < self._most:
            self._of.append(source)
            self._amounts.append(amount)
        self._widen(source)

    def _widen(self, source: Source) -> None:
        last = self._spans[-1] if self._spans else None
        if (
            last is not None
            and last.file == source.file
            and last.last <= source.run <= last.last + 1
        ):
            self._spans[-1] = RunSpan(last.file, last.first, source.run)
        else:
            self._spans.append(RunSpan(source.file, source.run, source.run))

    @property
    def whole(self) -> bool:
        """Whether every record taken in is named."""
        return self.count == len(self._of)

    def basis(self) -> Basis:
        """The records, or the runs where the records are too many."""
        return Basis(of=tuple(self._of)) if self.whole else Basis(runs=tuple(self._spans))

    def counted(self, name: str, unit: str, how: str) -> Figure:
        """How many records there are."""
        of, runs = self.basis()
        return Figure(name, self.count, unit, "count", how, of, runs=runs)

    def summed(self, name: str, unit: str, how: str, lacking: str = "") -> Figure:
        """What the amounts come to. `lacking` says why some are not known, where some are not."""
        if self.unknown and not self.count:
            return Figure(name, None, unit, "sum", how, unknown=lacking)
        of, runs = self.basis()
        named = tuple(self._amounts) if self.whole else ()
        value = math.fsum(named) if named and isinstance(self.total, float) else self.total
        partly = bool(self.unknown)
        return Figure(
            name, value, unit, "sum", how, of, named, runs, (), partly, lacking if partly else ""
        )

    def typical(self, name: str, unit: str, by: Way, how: str, lacking: str = "") -> Figure:
        """The "mean", "highest", "lowest" or "median" of the amounts.

        The median needs every amount, so it is not known of more records than are named.
        """
        if not self.count:
            return Figure(name, None, unit, by, how, unknown=lacking or "there is none")
        of, runs = self.basis()
        named = tuple(self._amounts) if self.whole else ()
        value = self._typical(by)
        why = "" if value is not None else f"the median of more than {self._most:,} is not kept"
        return Figure(name, value, unit, by, how, of, named, runs, unknown=why)

    def _typical(self, by: Way) -> float | None:
        match by:
            case "mean":
                return self.total / self.count
            case "highest":
                return self._highest
            case "lowest":
                return self._lowest
        return median(self._amounts) if self.whole else None


def share(name: str, part: Figure, whole: Figure, how: str) -> Figure:
    """One figure as a share of another, None where that is nothing or not known."""
    terms = (part.name, whole.name)
    if part.value is None or not whole.value:
        why = part.unknown or whole.unknown or f"there is no {whole.unit} to compare with"
        return Figure(name, None, "share", "share", how, terms=terms, unknown=why)
    return Figure(name, part.value / whole.value, "share", "share", how, terms=terms)


def difference(name: str, whole: Figure, less: Figure, how: str) -> Figure:
    """One figure less another of the same unit, None where one is not known."""
    terms = (whole.name, less.name)
    if whole.value is None or less.value is None:
        why = whole.unknown or less.unknown
        return Figure(name, None, whole.unit, "difference", how, terms=terms, unknown=why)
    value = whole.value - less.value
    return Figure(name, value, whole.unit, "difference", how, terms=terms)
