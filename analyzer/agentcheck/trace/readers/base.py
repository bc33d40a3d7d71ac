"""What a trace format is to the rest of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.records import Records


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


class Format(Struct, frozen=True):
    """A reader. `fit` judges one decoded record, `read` gives the runs of a file of them."""

    name: str
    fit: Callable[[Any], Fit]
    read: Callable[[Records], Iterator[Run | Skipped]]
