"""Where something stands in a file."""

from msgspec import Struct


class Span(Struct, frozen=True, array_like=True, gc=False, order=True):
    """A stretch of source: 1-based lines and columns in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Place(Struct, frozen=True, gc=False, order=True):
    """A span in a file, with the text of its first line.

    `file` is relative to the scanned folder and has forward slashes. In a notebook `cell` is the
    1-based code cell and the span counts from that cell's first line; elsewhere it is None.
    """

    file: str
    span: Span
    text: str
    cell: int | None = None
