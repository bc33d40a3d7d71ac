"""How wide text is, without the font: a little more than any usual sans-serif needs."""

from __future__ import annotations

from unicodedata import east_asian_width

# Widths in parts of the font size, for groups of characters.
_NARROW, _WIDE = (
    frozenset("iljtfrI.,:;'|!()[]{}/\\ -`\""),
    frozenset("mwMW@%&ABCDGHKNOQRUVXY_<>=+~#"),
)
_SLIM, _PLAIN, _BROAD, _FULL = 0.40, 0.60, 0.80, 1.08
_BOLD = 1.07


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """The width in pixels at a font size in pixels."""
    return sum(map(_part, text)) * size * (_BOLD if bold else 1)


def _part(char: str) -> float:
    if char in _NARROW:
        return _SLIM
    if char in _WIDE:
        return _BROAD if char.isascii() else _FULL
    if char.isascii() or east_asian_width(char) in ("N", "Na", "H", "A"):
        return _PLAIN if char.isascii() else _BROAD
    return _FULL


def shortened(text: str, most: int) -> str:
    """At most so many characters, the last one an ellipsis where something is missing."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shortened_path(text: str, most: int) -> str:
    """The same for a place in a file, where the end tells most: cut before a folder if possible."""
    if len(text) <= most:
        return text
    tail = text[len(text) - most + 1 :]
    _, slash, rest = tail.partition("/")
    return f"…/{rest}" if slash else f"…{tail}"
