"""What a report for a terminal is drawn on: styled lines of a known width, with rich below."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TypeAlias

from agentcheck.report.escape import cells_of, one_line, visible
from agentcheck.report.options import Options

Piece: TypeAlias = tuple[str, str]
"""A text without line ends, and the name of its style in rich's words, empty for plain."""

_PIPED_WIDTH = 100
_LEAST = 40


class Canvas:
    """Collects lines; `width` is in terminal cells, `piped` says that no terminal is known."""

    def __init__(self, options: Options) -> None:
        self.piped = options.width is None and not sys.stdout.isatty()
        self.width = max(options.width or _terminal_width(), _LEAST)
        self._color = _wants_color(options)
        self._pieces: list[Piece] = []

    def line(self, *pieces: Piece) -> None:
        """One line as it is, however long. Nothing that drives a terminal gets past here."""
        self._pieces += [(visible(text), style) for text, style in pieces]
        self._pieces.append(("\n", ""))

    def flow(self, pieces: Iterable[Piece], under: Piece = ("", ""), hang: int = 0) -> None:
        """Text broken at blanks; further lines start with `under` and `hang` blanks."""
        *fixed, (text, style) = pieces
        used = sum(map(cells_of, (piece for piece, _ in fixed)))
        indent = min(hang, self.width - 20)
        room = self.width - cells_of(under[0]) - indent
        for number, part in enumerate(wrap(text, self.width - used, room)):
            lead = fixed if number == 0 else [under, (" " * indent, "")]
            self.line(*lead, (part, style))

    def groups(self, found: Iterable[tuple[str, Sequence[str], int]]) -> None:
        """Lists under their titles, each with how many more there are."""
        for title, texts, more in found:
            self.line((f"  {title}", ""))
            for text in texts:
                self.flow((("  - ", ""), (one_line(text), "")), hang=4)
            if more:
                self.line((f"    and {more:,} more", "dim"))

    def text(self) -> str:
        """All lines, with colour codes if they were wanted."""
        if not self._color:
            return "".join(text for text, _ in self._pieces)
        return _painted(self._pieces)


def wrap(text: str, first: int, rest: int) -> list[str]:
    """The text in lines of at most `first`, then `rest` cells; only longer words are cut."""
    if not text.startswith(" ") and cells_of(text) <= first:
        return [text]
    lines, room = [""], first
    width = len if text.isascii() else cells_of
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= room:
            lines[-1] = joined
            continue
        kept = [] if lines == [""] and first >= rest else lines
        lines = kept + _chop(word, max(rest, 8))
        room = rest
    return lines


def clipped(text: str, width: int) -> str:
    """The text in at most `width` cells, an ellipsis at its end where it is longer."""
    from rich.cells import set_cell_size

    if cells_of(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def ending(text: str, width: int) -> str:
    """The end of a text in at most `width` cells, an ellipsis before it where it is longer."""
    if cells_of(text) <= width:
        return text
    while text and cells_of(text) >= width:
        text = text[1:]
    return "\N{HORIZONTAL ELLIPSIS}" + text


def filled(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells, blanks after it or before it."""
    shown = clipped(text, width)
    blanks = " " * (width - cells_of(shown))
    return blanks + shown if right else shown + blanks


def _chop(word: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(word, width) if cells_of(word) > width else [word]


def _painted(pieces: list[Piece]) -> str:
    from rich.console import Console
    from rich.segment import Segment, Segments
    from rich.style import Style

    styles = {name: Style.parse(name) if name else None for _, name in pieces}
    out = StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
        width=_PIPED_WIDTH,
    )
    drawn = Segments([Segment(text, styles[name]) for text, name in pieces])
    console.print(drawn, end="", soft_wrap=True, markup=False, highlight=False, emoji=False)
    return out.getvalue()


def _terminal_width() -> int:
    if sys.stdout.isatty():
        return shutil.get_terminal_size((_PIPED_WIDTH, 25)).columns
    return _PIPED_WIDTH


def _wants_color(options: Options) -> bool:
    """NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org) count when they are not empty."""
    if options.color != "auto":
        return options.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
