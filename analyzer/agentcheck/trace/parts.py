"""A trace file in parts that are read each by itself, as by several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Recorded
from agentcheck.trace.read import read_outlines
from agentcheck.trace.readers import FORMATS, Format
from agentcheck.trace.readers.base import Gathered, NotApartError
from agentcheck.trace.readers.grouping import Spots
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.reasoned import is_blank_outline
from agentcheck.trace.records import WHOLE, Lines, Stretch

Hold: TypeAlias = dict[int, Sequence[Any]]
"""What records hold that were decoded before they were asked for, by spot."""


class Part(Struct, frozen=True):
    """A file of recorded runs, or a stretch of one.

    `form` names the format that a stretch is in, `learnt` what its reader knows of the others.
    Where records have to be brought together, `spots` say where those of some runs stand, which
    are then numbered from 0 (None where each record is a run); `skipped` was found out on the way.
    `reading` says what a whole file is offered.
    """

    path: str
    name: str
    stretch: Stretch = WHOLE
    form: str | None = None
    learnt: str = ""
    spots: tuple[Spots, ...] | None = None
    skipped: tuple[Skipped, ...] = ()
    reading: Reading = ANY

    def outlines(self, hold: Hold | None = None) -> Iterator[Recorded | Skipped]:
        """The runs of the part by their outlines; the records in `hold` are taken from there.

        Raises NotApartError where the file has to be read in one piece after all.
        """
        if self.form is None:
            return read_outlines(Path(self.path), self.name, self.reading)
        return _none_blank(self._stretched(hold))

    def _stretched(self, hold: Hold | None) -> Iterator[Recorded | Skipped]:
        form = form_of(self)
        records = Lines(Path(self.path), self.name, self.stretch)
        try:
            if form.apart is not None:
                yield from form.apart.outlines(records, self.learnt)
            elif form.gathered is not None:
                yield from self._gathered(records, form.gathered, hold)
        except OSError as error:
            yield Skipped(self.name, f"cannot be read: {error.strerror or error}")
        finally:
            records.close()

    def _gathered(
        self, records: Lines, gathered: Gathered, hold: Hold | None
    ) -> Iterator[Recorded | Skipped]:
        yield from self.skipped
        number = 0
        for group in gathered.gather.fetch(records, self.spots or (), hold):
            for one in gathered.outlines(self.name, group, number):
                number += 1
                yield one


def form_of(part: Part) -> Format:
    """The format of a stretch."""
    return next(each for each in FORMATS if each.name == part.form)


def _none_blank(told: Iterator[Recorded | Skipped]) -> Iterator[Recorded | Skipped]:
    """The runs of a stretch; were one left out, those behind it would be misnumbered."""
    for one in told:
        if not isinstance(one, Skipped) and is_blank_outline(one):
            raise NotApartError
        yield one
