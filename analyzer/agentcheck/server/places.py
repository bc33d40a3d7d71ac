"""Our places, 1-based lines and columns in characters, as the editor counts them.

The protocol counts lines from 0 and columns from 0 in UTF-16 code units unless client and server
agree on others (LSP 3.17, Position). A line ends at `\\n`, `\\r\\n` or `\\r`, and nowhere else.
"""

from __future__ import annotations

from itertools import pairwise

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from agentcheck.model.location import Span
from agentcheck.source.decode import LINE_END

TOP = Range(Position(0, 0), Position(0, 0))


def pieces(text: str) -> list[str]:
    """The lines with their ends; the last one may be empty."""
    ends = [0, *(end.end() for end in LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


class Lines:
    """The lines of one text, and places in it as the client counts."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self._lines = LINE_END.split(text)
        self._codec = codec

    def range(self, span: Span) -> Range:
        """A span as a range; what lies behind the text ends with it."""
        return Range(
            self._position(span.line, span.column), self._position(span.end_line, span.end_column)
        )

    def line(self, number: int) -> Range:
        """What stands on a 1-based line."""
        text = self._lines[min(number, len(self._lines)) - 1]
        start = len(text) - len(text.lstrip()) + 1
        return self.range(Span(number, start, number, len(text) + 1))

    def rest(self, number: int, column: int) -> Range:
        """From a place to the end of its line."""
        return self.range(Span(number, column, number, 1 << 30))

    def _position(self, line: int, column: int) -> Position:
        if line > len(self._lines):
            line, column = len(self._lines), 1 << 30
        before = self._lines[line - 1][: column - 1]
        return Position(line - 1, self._codec.client_num_units(before))


def contains(outer: Range, place: Position) -> bool:
    """Whether a place is in a range, its end included."""
    return _key(outer.start) <= _key(place) <= _key(outer.end)


def meet(one: Range, other: Range) -> bool:
    """Whether two ranges share a place, or touch."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(place: Position) -> tuple[int, int]:
    return place.line, place.character
