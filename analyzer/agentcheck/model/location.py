"""Where something stands in a file."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct


class Span(Struct, frozen=True, array_like=True, gc=False, order=True):
    """A stretch of source: 1-based lines and columns in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


Where: TypeAlias = int | Span
"""A span in few bytes: in one int, or as it is where its columns or lines are too many for that.

Ints are in the order of their spans. Files have millions of these, and an int of up to 60 bits
takes a quarter of the memory of a span with its four numbers.
"""

_LINES, _COLUMNS = 12, 15  # bits for the lines a span goes on for, and for each of its columns
_MOST_LINES, MOST_COLUMNS = (1 << _LINES) - 1, (1 << _COLUMNS) - 1
END = _LINES + _COLUMNS
LINE = END + _COLUMNS
_WIDE = 21  # bits for a column of any file that is read


def packed(line: int, column: int, end_line: int, end_column: int) -> Where:
    """The span of these parts in few bytes."""
    if column | end_column <= MOST_COLUMNS:
        if line == end_line:
            return line << LINE | column << END | end_column
        if 0 < end_line - line <= _MOST_LINES:
            more = end_line - line
            return line << LINE | column << END | more << _COLUMNS | end_column
    return Span(line, column, end_line, end_column)


def span_of(where: Where) -> Span:
    """The span that `where` holds."""
    if not isinstance(where, int):
        return where
    line = where >> LINE
    more, column = where >> _COLUMNS & _MOST_LINES, where >> END & MOST_COLUMNS
    return Span(line, column, line + more, where & MOST_COLUMNS)


def start_of(where: Where) -> int:
    """Where it starts, as a number that compares with those of `end_of`."""
    if not isinstance(where, int):
        return where.line << _WIDE | where.column
    return where >> LINE << _WIDE | where >> END & MOST_COLUMNS


def end_of(where: Where) -> int:
    """Where it ends, as a number that compares with those of `start_of`."""
    if not isinstance(where, int):
        return where.end_line << _WIDE | where.end_column
    more = where >> _COLUMNS & _MOST_LINES
    return (where >> LINE) + more << _WIDE | where & MOST_COLUMNS


def joined(first: Where, last: Where) -> Where:
    """From the start of one to the end of another."""
    start, end = span_of(first), span_of(last)
    return packed(start.line, start.column, end.end_line, end.end_column)


START = packed(1, 1, 1, 1)


class _Placed(Protocol):
    @property
    def where(self) -> Where: ...


class Spanned(Struct, frozen=True, array_like=True, gc=False):
    """What has a field `where`, which the span can be asked for."""

    @property
    def span(self: _Placed) -> Span:
        """The stretch of source that it is."""
        return span_of(self.where)


class Place(Struct, frozen=True, gc=False, order=True):
    """A span in a file, with the text of its first line.

    `file` is relative to the scanned folder and has forward slashes. In a notebook `cell` is the
    1-based code cell and the span counts from that cell's first line; elsewhere it is None.
    """

    file: str
    span: Span
    text: str
    cell: int | None = None
