"""Screens for secrets: one pass over a text tells whether any of a kind may be in it.

They are made from the shapes themselves, loosened to what Rust's regex crate takes: without
boundaries and looks around, which only refuse matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from agentcheck.model.pattern import lazy_re
from agentcheck.trace.screen import Screen, screen
from agentcheck.trace.shapes import ISSUED, LIKELY, SURE, Shape

_LOOK = lazy_re(r"\(\?<?[=!]")
_CLASS = lazy_re(r"\[\^?(?:\\.|[^\]\\])+\]|\\.", re.DOTALL)
# Letters, digits and blanks of other scripts are many; any character beyond ASCII may be one.
_BEYOND = r"\x{80}-\x{10FFFF}"
_ASCII = {"\\w": "0-9A-Za-z_", "\\d": "0-9", "\\s": r"\t-\r\x1c-\x20"}
_WIDER = {key: f"{kept}{_BEYOND}" for key, kept in _ASCII.items()}
_COUNT = lazy_re(r"\{(\d+)(,?)(\d*)\}")
_MOST = 12
"""The largest count that a screen keeps; larger ones make it large and tell little more."""
# Some characters of a pattern that are rare together, for one that begins with any letter or digit
# is slow: around the sign of an address, around the first gap in the number of a card.
_CORES: dict[str | bytes, str] = {
    "@": r"[\w.+-]@[A-Za-z0-9-]+\.[A-Za-z0-9]",
    b"0000 0000 0000 0000": r"\d[ -](?:\d{4}[ -]\d{4}|\d{6}[ -]\d)",
}
_ALONE = frozenset({"phone"})
"""Kinds that are found faster each by itself: together they begin with too many characters."""
# What begins with any capital letter is slow; what is in it begins with a digit.
_INNER = {"iban": "[0-9]{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}"}


@cache
def secret_screen(kinds: frozenset[str]) -> Screen:
    """Whether a text may hold a certain secret of some kinds. False is certain."""
    shapes = [shape for shape in (*ISSUED, *SURE) if shape.kind in kinds]
    return _either(_passes(shapes), shapes)


@cache
def likely_screen() -> Screen:
    """Whether a text may hold what is likely a secret, of any kind. False is certain."""
    return _either([_screen(LIKELY)], LIKELY)


def _either(plain: Sequence[Screen], shapes: Sequence[Shape]) -> Screen:
    """The passes for an ASCII text, or one that takes any other."""
    wide = _screen(shapes, _WIDER)

    def may_hold(text: str) -> bool:
        if not text.isascii():
            return wide(text)
        for may_match in plain:  # noqa: SIM110 - a generator takes as long as a short text
            if may_match(text):
                return True
        return False

    return may_hold


def _passes(shapes: Sequence[Shape]) -> list[Screen]:
    """A pass for each shape that needs its own, and one for all other patterns: each then leaps to
    where one begins, which is ten times as fast as one pass that reads every character."""
    own = [s for s in shapes if s.hints[0] in _CORES or s.kind in _ALONE or s.kind in _INNER]
    others = [shape for shape in shapes if shape not in own]
    return [*([_screen(others)] if others else ()), *map(_pass, own)]


def _pass(shape: Shape) -> Screen:
    whole = _screen([shape])
    if shape.kind not in _INNER:
        return whole
    inner = screen(_INNER[shape.kind])
    return lambda text: inner(text) and whole(text)


def _screen(shapes: Sequence[Shape], classes: dict[str, str] = _ASCII) -> Screen:
    return screen(*(_loose(shape, classes) for shape in shapes))


def _loose(shape: Shape, classes: dict[str, str]) -> str:
    core = _CORES.get(shape.hints[0]) if shape.hints else None
    pattern = core or shape.pattern.pattern
    pattern = _COUNT.sub(_at_least, _without_looks(pattern))
    flags = "(?s)" if shape.pattern.flags & re.DOTALL else ""
    return flags + _CLASS.sub(lambda match: _widened(match[0], classes), pattern)


def _at_least(count: re.Match[str]) -> str:
    least, comma, most = count.groups()
    if int(most or least) <= _MOST and (most or not comma):
        return count[0]
    return f"{{{min(int(least), _MOST)},}}"


def _widened(part: str, classes: dict[str, str]) -> str:
    if part.startswith("[^"):
        return part
    if part.startswith("["):
        return re.sub(r"\\[wds]", lambda match: classes[match[0]], part)
    if part in classes:
        return f"[{classes[part]}]"
    return {"\\b": "", "\\Z": r"\z", "\\1": "[ -]", '\\"': '"', "\\/": "/"}.get(part, part)


def _without_looks(pattern: str) -> str:
    """A pattern without its groups that look ahead or behind."""
    parts: list[str] = []
    done = 0
    for match in _LOOK.finditer(pattern):
        if match.start() >= done:
            parts.append(pattern[done : match.start()])
            done = _end_of_group(pattern, match.start())
    return "".join((*parts, pattern[done:]))


def _end_of_group(pattern: str, start: int) -> int:
    depth = 0
    for match in re.finditer(r"\\.|\[\^?(?:\\.|[^\]\\])+\]|[()]", pattern[start:], re.DOTALL):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return start + match.end()
    return len(pattern)
