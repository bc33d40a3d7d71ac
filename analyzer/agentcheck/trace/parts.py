"""A trace file in parts that are read each by itself, as by several processes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.report import Skipped
from agentcheck.trace.opening import open_records
from agentcheck.trace.outline import Recorded
from agentcheck.trace.read import SAMPLE, read_outlines, recognise
from agentcheck.trace.readers import FORMATS
from agentcheck.trace.readers.base import Gathered, NotApartError
from agentcheck.trace.readers.grouping import Spots
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.reasoned import is_blank_outline
from agentcheck.trace.records import WHOLE, Lines, Stretch, stretches


class Part(Struct, frozen=True):
    """A file of recorded runs, or a stretch of one.

    `form` names the format that a stretch is in, `learnt` what its reader knows of the others.
    Where records have to be brought together, `spots` say where those of some runs stand, which
    are then numbered from 0; `skipped` was found out on the way. `reading` says what a whole file
    is offered.
    """

    path: str
    name: str
    stretch: Stretch = WHOLE
    form: str | None = None
    learnt: str = ""
    spots: tuple[Spots, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    reading: Reading = ANY

    def outlines(self) -> Iterator[Recorded | Skipped]:
        """The runs of the part by their outlines.

        Raises NotApartError where the file has to be read in one piece after all.
        """
        if self.form is None:
            return read_outlines(Path(self.path), self.name, self.reading)
        return _none_blank(self._stretched())

    def _stretched(self) -> Iterator[Recorded | Skipped]:
        form = next(each for each in FORMATS if each.name == self.form)
        records = Lines(Path(self.path), self.name, self.stretch)
        try:
            if form.apart is not None:
                yield from form.apart.outlines(records, self.learnt)
            elif form.gathered is not None:
                yield from self._gathered(records, form.gathered)
        except OSError as error:
            yield Skipped(self.name, f"cannot be read: {error.strerror or error}")
        finally:
            records.close()

    def _gathered(self, records: Lines, gathered: Gathered) -> Iterator[Recorded | Skipped]:
        yield from self.skipped
        number = 0
        for group in gathered.gather.fetch(records, self.spots):
            for one in gathered.outlines(self.name, group, number):
                number += 1
                yield one


def _none_blank(told: Iterator[Recorded | Skipped]) -> Iterator[Recorded | Skipped]:
    """The runs of a stretch; were one left out, those behind it would be misnumbered."""
    for one in told:
        if not isinstance(one, Skipped) and is_blank_outline(one):
            raise NotApartError
        yield one


def parts_of(path: Path, name: str, least: int, reading: Reading = ANY) -> list[Part]:
    """A file in parts of at least `least` bytes, or whole where its runs are not lines."""
    whole = [Part(str(path), name, reading=reading)]
    if not path.is_file() or path.stat().st_size < 2 * least:
        return whole
    records = open_records(path, name)
    if isinstance(records, Skipped):
        return whole
    try:
        return _stretches(records, least, whole[0]) if isinstance(records, Lines) else whole
    except OSError:
        return whole
    finally:
        records.close()


def _stretches(records: Lines, least: int, whole: Part) -> list[Part]:
    found = recognise(records, whole.reading)
    if isinstance(found, Skipped):
        return [whole]
    if found.gathered is not None:
        mine = replace(whole, form=found.name)
        return _batches(records, mine, found.gathered, least) or [whole]
    learnt = found.apart.learn(list(islice(records, SAMPLE))) if found.apart else None
    if learnt is None:
        return [whole]
    mine = replace(whole, form=found.name, learnt=learnt)
    return [replace(mine, stretch=stretch) for stretch in stretches(records.path, least)]


def _batches(records: Lines, mine: Part, gathered: Gathered, least: int) -> list[Part]:
    """The runs of a file in batches of about `least` bytes."""
    spots: list[Spots] = []
    skipped: list[Skipped] = []
    for each in gathered.gather.find(records):
        if isinstance(each, Skipped):
            skipped.append(each)
        else:
            spots.append(each)
    total = sum(len(each.spots) for each in spots)
    room = max(total * least // max(records.path.stat().st_size, 1), 1)
    parts = [replace(mine, spots=batch) for batch in _in_batches(spots, room)]
    return [replace(part, skipped=() if n else tuple(skipped)) for n, part in enumerate(parts)]


def _in_batches(spots: list[Spots], room: int) -> Iterator[tuple[Spots, ...]]:
    batch: list[Spots] = []
    held = 0
    for each in spots:
        batch.append(each)
        held += len(each.spots)
        if held >= room:
            yield tuple(batch)
            batch, held = [], 0
    if batch:
        yield tuple(batch)
