"""Answers to "what if": figures over recorded runs, each with the records it is computed from.

One shape serves every question, so that one renderer per output format serves them all, and so
that a figure can be computed again by whoever doubts it. What quotes a run is of kind "trace", so
that reports mask it as they mask evidence.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.model.event import Source
from agentcheck.model.runs import Open

Topic = Literal["policy", "approval", "redaction", "routing", "compaction", "cache"]
Way = Literal["count", "sum", "share", "difference", "mean", "median", "highest", "lowest", "given"]


class RunSpan(Struct, frozen=True):
    """The runs of a file from number `first` to number `last`, both included."""

    file: str
    first: int
    last: int


class Figure(Struct, frozen=True):
    """A number, and how to come to it again.

    `value` is None where the records do not tell, and `unknown` says why; where `at_least` is
    set, some of it is not known, and `unknown` says what. `unit` is "usd", "share" (0 to 1),
    "ratio", "seconds", "points" (of risk, 0 to 100), or the singular of what is counted, such as
    "call", "token" or "message".

    `by` is what was done and `how` says it in words:

    - "count": `of` are the records counted, one each;
    - "sum", "mean", "median", "highest", "lowest": over `amounts`, one for each record of `of`,
      in their order;
    - "share": the first of `terms` divided by the second; "difference": less the second. Terms
      are names of other figures of the same answer;
    - "given": taken from elsewhere, as `how` says.

    Where records are too many to name, `of` and `amounts` are empty and `runs` are the runs that
    hold them: what `how` says is then to be done over these runs.
    """

    name: str
    value: int | float | None
    unit: str
    by: Way
    how: str
    of: tuple[Source, ...] = ()
    amounts: tuple[float, ...] = ()
    runs: tuple[RunSpan, ...] = ()
    terms: tuple[str, ...] = ()
    at_least: bool = False
    unknown: str = ""


Cell: TypeAlias = str | int | float | Figure | None


class Column(Struct, frozen=True):
    """A column of a table. `unit` is "text", or as that of a figure; `how` says how a number in it
    is computed from the records of its row, unless the cell is a figure of its own."""

    name: str
    unit: str = "text"
    how: str = ""


class Row(Struct, frozen=True):
    """A row: one cell for each column, None where nothing is known or nothing applies.

    `of` are the records that it tells of, `runs` the runs where they are too many to name.
    """

    cells: tuple[Cell, ...]
    of: tuple[Source, ...] = ()
    runs: tuple[RunSpan, ...] = ()


class Table(Struct, frozen=True):
    """Rows of one shape. `more` counts the rows that are left out; `says` introduces them."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    more: int = 0
    says: str = ""


class Answer(Struct, frozen=True, kw_only=True, tag_field="kind", tag="trace"):
    """What the runs say to one question.

    `figures` have different names. `settings` are what it was computed with: thresholds, maps,
    the date of prices. `open` is what the formats could not carry or the runs do not tell.
    """

    topic: Topic
    title: str
    question: str
    runs: int
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    settings: dict[str, str | int | float] = {}
    notes: tuple[str, ...] = ()
    open: tuple[Open, ...] = ()


class PolicyCase(Struct, frozen=True):
    """How a golden case of a policy came out; `missed` says what is not as expected."""

    id: str
    decision: str
    score: int
    missed: tuple[str, ...] = ()
