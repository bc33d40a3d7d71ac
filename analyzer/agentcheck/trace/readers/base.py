"""What a trace format is to the rest of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Outline, Recorded
from agentcheck.trace.readers.grouping import Gather, Group
from agentcheck.trace.records import Record, Records


class Fit(Struct, frozen=True):
    """How well a decoded record fits a format: 1 is the format, below 1 `why` says what is not.

    `sure` marks a record that decides for the whole file, although others fit its records too.
    """

    score: float
    why: str = ""
    sure: bool = False


NOT_AT_ALL = Fit(0.0, "nothing of it is there")
FITS = Fit(1.0)
SURE = Fit(1.0, sure=True)


class NotApartError(Exception):
    """A record whose meaning hangs on others: the file has to be read in one piece."""


class Apart(Struct, frozen=True):
    """How to read stretches of a file each by itself, where each record is a run of its own.

    `learn` looks at the first records, for what reading any other takes; None where they are not
    runs of their own. `outlines` is given that, and raises NotApartError where it does not hold.
    """

    learn: Callable[[list[Record]], str | None]
    outlines: Callable[[Records, str], Iterator[Recorded | Skipped]]


class Gathered(Struct, frozen=True):
    """How to read some of the runs of a file whose records have to be brought together.

    `outlines` gives the runs in a group, numbered from a number on; `plain` only their outlines,
    of a group that nothing is lost of, None where they are not told unplayed.
    """

    gather: Gather[Any]
    outlines: Callable[[str, Group[Any], int], Iterator[Recorded]]
    plain: Callable[[Group[Any]], Outline | None]


class Format(Struct, frozen=True):
    """A reader. `fit` judges one decoded record, `read` gives the runs of a file of them.

    `marks` are keys that its records have, by which a file that is almost in it is told.
    `outlines` gives the same runs by their outlines, where that is quicker than to play them;
    `apart` and `gathered` those of a part of the file.
    """

    name: str
    fit: Callable[[Any], Fit]
    read: Callable[[Records], Iterator[Run | Skipped]]
    outlines: Callable[[Records], Iterator[Recorded | Skipped]] | None = None
    apart: Apart | None = None
    gathered: Gathered | None = None
    marks: tuple[str, ...] = ()
