"""A trace file in parts that are read each by itself, as by several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Recorded
from agentcheck.trace.read import read_outlines
from agentcheck.trace.readers import FORMATS, Format
from agentcheck.trace.readers.base import Gathered, NotApartError
from agentcheck.trace.readers.gleaning import Gleaning
from agentcheck.trace.readers.grouping import Group, Spots
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.reasoned import is_blank_outline
from agentcheck.trace.records import WHOLE, Lines, Stretch


class Gleaned(NamedTuple):
    """What was gleaned of a run, and what gives its outline where that is not enough."""

    told: Any
    again: Callable[[], Iterator[Recorded]]


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

    def outlines(
        self, gleaning: Gleaning[Any, Any] | None = None
    ) -> Iterator[Recorded | Gleaned | Skipped]:
        """The runs of the part by their outlines, or by what was gleaned of them.

        Raises NotApartError where the file has to be read in one piece after all.
        """
        if self.form is None:
            return read_outlines(Path(self.path), self.name, self.reading)
        return _none_blank(self._stretched(gleaning))

    def _stretched(
        self, gleaning: Gleaning[Any, Any] | None
    ) -> Iterator[Recorded | Gleaned | Skipped]:
        form = form_of(self)
        records = Lines(Path(self.path), self.name, self.stretch)
        try:
            if form.apart is not None:
                yield from form.apart.outlines(records, self.learnt)
            elif form.gathered is not None:
                yield from self.skipped
                yield from self._gathered(records, form.gathered, gleaning)
        except OSError as error:
            yield Skipped(self.name, f"cannot be read: {error.strerror or error}")
        finally:
            records.close()

    def _gathered(
        self, records: Lines, gathered: Gathered, gleaning: Gleaning[Any, Any] | None
    ) -> Iterator[Recorded | Gleaned]:
        number, fetch = 0, gathered.gather.fetch(records)
        for each in self.spots or ():
            whole = gleaning is not None and not each.lost and not each.torn
            told = gleaning.of(each.key, len(each.spots)) if gleaning and whole else None
            again = partial(self._run, gathered, fetch, each, number)
            if told is not None:
                number += 1
                yield Gleaned(told, again)
                continue
            for one in again():
                number += 1
                yield one

    def _run(
        self,
        gathered: Gathered,
        fetch: Callable[[Spots], Group[Any]],
        spots: Spots,
        number: int,
    ) -> Iterator[Recorded]:
        return gathered.outlines(self.name, fetch(spots), number)


def form_of(part: Part) -> Format:
    """The format of a stretch."""
    return next(each for each in FORMATS if each.name == part.form)


def _none_blank(
    told: Iterator[Recorded | Gleaned | Skipped],
) -> Iterator[Recorded | Gleaned | Skipped]:
    """The runs of a stretch; were one left out, those behind it would be misnumbered."""
    for one in told:
        if isinstance(one, Recorded) and is_blank_outline(one):
            raise NotApartError
        yield one
