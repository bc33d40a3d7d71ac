"""How a trace file falls into parts, found out in stretches that are looked through at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.report import Skipped
from agentcheck.trace.opening import open_records
from agentcheck.trace.parts import Part, form_of
from agentcheck.trace.read import SAMPLE, recognise
from agentcheck.trace.readers.base import Gathered
from agentcheck.trace.readers.gleaning import Gleaning
from agentcheck.trace.readers.grouping import Index, lost_in, merged
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.records import Lines, Stretch
from agentcheck.trace.stretches import count_lines, stretches

Survey: TypeAlias = Index | int
"""What is found out about a stretch: where records of runs stand, or the number of its lines."""


class Layout(Struct, frozen=True):
    """The parts of a file: what all of them have in common, how many there are, and each."""

    mine: Part
    count: int
    part: Callable[[int], Part]


class Plan(Struct, frozen=True):
    """A file, and the stretches that it falls into; none where it is read in one piece.

    `mine` is what all of its parts have in common.
    """

    mine: Part
    stretches: tuple[Stretch, ...] = ()

    def __len__(self) -> int:
        """The number of parts."""
        return len(self.stretches) or 1

    def in_one_piece(self) -> Plan:
        """The same file as one part."""
        return Plan(Part(self.mine.path, self.mine.name, reading=self.mine.reading))

    @property
    def gathered(self) -> Gathered | None:
        """How the records of runs are brought together, where they have to be."""
        return form_of(self.mine).gathered if self.gathers else None

    @property
    def gathers(self) -> bool:
        """Whether the records of runs have to be brought together."""
        return self.mine.spots is not None

    def survey(self, number: int, gleaning: Gleaning[Any, Any] | None = None) -> Survey:
        """Look through a stretch, and tell on the way what can be gleaned. Raises OSError."""
        path, stretch = Path(self.mine.path), self.stretches[number]
        gathered = self.gathered
        if gathered is None:
            return count_lines(path, stretch.start, stretch.stop or 0)
        records = Lines(path, self.mine.name, stretch)
        try:
            gather = gathered.gather
            return gather.locate(records) if gleaning is None else gather.glean(records, gleaning)
        finally:
            records.close()

    def layout(self, surveys: Sequence[Survey] = ()) -> Layout:
        """The parts, once all stretches were looked through. Raises OSError."""
        if not self.stretches:
            return Layout(self.mine, 1, lambda _: self.mine)
        if self.gathers:
            part = self._gathered([each for each in surveys if isinstance(each, Index)])
        else:
            part = self._apart([each for each in surveys if isinstance(each, int)])
        return Layout(self.mine, len(self.stretches), part)

    def _apart(self, lines: Sequence[int]) -> Callable[[int], Part]:
        first = list(accumulate(lines, initial=0))
        return lambda number: replace(
            self.mine, stretch=self.stretches[number]._replace(number=first[number])
        )

    def _gathered(self, indexes: Sequence[Index]) -> Callable[[int], Part]:
        skipped = tuple(lost_in(self._numbered(indexes), self.mine.name, Lines.unit))
        found = merged(indexes)
        return lambda number: replace(
            self.mine, spots=tuple(found.of(number)), skipped=() if number else skipped
        )

    def _numbered(self, indexes: Sequence[Index]) -> Iterator[tuple[Index, int]]:
        """The indexes with the numbers of their first lines, where these are told."""
        for index, stretch in zip(indexes, self.stretches, strict=True):
            told = bool(index.whys) and stretch.start > 0
            yield index, count_lines(Path(self.mine.path), 0, stretch.start) if told else 0


def plan_of(path: Path, name: str, least: int, reading: Reading = ANY) -> Plan:
    """A file in stretches of at least `least` bytes, or whole where its runs are not lines."""
    whole = Plan(Part(str(path), name, reading=reading))
    if not path.is_file() or path.stat().st_size < 2 * least:
        return whole
    records = open_records(path, name)
    if isinstance(records, Skipped):
        return whole
    try:
        return _stretched(records, least, whole) if isinstance(records, Lines) else whole
    except OSError:
        return whole
    finally:
        records.close()


def _stretched(records: Lines, least: int, whole: Plan) -> Plan:
    found = recognise(records, whole.mine.reading)
    if isinstance(found, Skipped):
        return whole
    if found.gathered is not None:
        mine = replace(whole.mine, form=found.name, spots=())
    else:
        learnt = found.apart.learn(list(islice(records, SAMPLE))) if found.apart else None
        if learnt is None:
            return whole
        mine = replace(whole.mine, form=found.name, learnt=learnt)
    return Plan(mine, tuple(stretches(records.path, least)))


def laid_out(plan: Plan, surveys: Mapping[int, Survey] | None = None) -> Layout:
    """The parts of a file; what was not looked through is looked through here."""
    known = surveys or {}
    try:
        numbers = range(len(plan.stretches))
        return plan.layout([known[n] if n in known else plan.survey(n) for n in numbers])
    except OSError:
        return plan.in_one_piece().layout()
