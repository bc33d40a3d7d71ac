"""Screens for secrets: one pass over a text tells whether any of a kind may be in it.

They are made from the shapes themselves, loosened to what Rust's regex crate takes: without
boundaries and looks around, which only refuse matches.
"""

from __future__ import annotations

import re
from functools import cache

from agentcheck.trace.screen import Screen, screen
from agentcheck.trace.shapes import ISSUED, SURE, Shape

_LOOK = re.compile(r"\(\?<?[=!]")
_CLASS = re.compile(r"\[\^?(?:\\.|[^\]\\])+\]|\\.", re.DOTALL)
# Letters, digits and blanks of other scripts are many; any character beyond ASCII may be one.
_BEYOND = r"\x{80}-\x{10FFFF}"
_WIDER = {
    "\\w": f"0-9A-Za-z_{_BEYOND}",
    "\\d": f"0-9{_BEYOND}",
    "\\s": rf"\t-\r\x1c-\x20{_BEYOND}",
}
_COUNT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_MOST = 8
"""The largest count that a screen keeps; larger ones make it large and tell little more."""
# A pattern that may begin anywhere in a word is slow; the letters around the sign are enough.
_CORES = {"email": rf"[0-9A-Za-z_.+{_BEYOND}-]@[A-Za-z0-9-]+\.[A-Za-z0-9]"}


@cache
def secret_screen(kinds: frozenset[str]) -> Screen:
    """Whether a text may hold a certain secret of some kinds. False is certain."""
    return screen(*(_loose(shape) for shape in (*ISSUED, *SURE) if shape.kind in kinds))


def _loose(shape: Shape) -> str:
    core = _CORES.get(shape.kind)
    if core is not None:
        return core
    pattern = _COUNT.sub(_at_least, _without_looks(shape.pattern.pattern))
    flags = "(?s)" if shape.pattern.flags & re.DOTALL else ""
    return flags + _CLASS.sub(lambda match: _widened(match[0]), pattern)


def _at_least(count: re.Match[str]) -> str:
    least, comma, most = count.groups()
    if int(most or least) <= _MOST and (most or not comma):
        return count[0]
    return f"{{{min(int(least), _MOST)},}}"


def _widened(part: str) -> str:
    if part.startswith("[^"):
        return part
    if part.startswith("["):
        return re.sub(r"\\[wds]", lambda match: _WIDER[match[0]], part)
    if part in _WIDER:
        return f"[{_WIDER[part]}]"
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
