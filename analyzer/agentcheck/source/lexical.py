"""What can be told of a text without parsing it: brackets and how crowded statements are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentcheck.model.pattern import lazy_re

# Strings and comments are passed over. On text that is not Python the answer is a guess, good
# enough to decide what is worth a process of its own.
_TOKEN = lazy_re(
    r'(?P<skip>"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'|\#[^\n\r]*|\\\r?\n|[ \t\f]+)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[\r\n]+)|(?P<token>\w+|.)",
    re.DOTALL,
)
_FOUR_OPEN = lazy_re(r"\(\s*\(\s*\(\s*\(")
_SCORE_OPEN = lazy_re(r"(?:\(\s*){20}")
_ELIF = lazy_re(r"^[ \t]*elif\b", re.MULTILINE)


class Crowd(NamedTuple):
    """Deepest nesting of brackets, most tokens of one logical line, number of `elif`."""

    brackets: int
    tokens: int
    branches: int


def wraps_deeply(text: str) -> bool:
    """Whether a score of parentheses open in a row: no tree of CPython shows them."""
    return _FOUR_OPEN.search(text) is not None and _SCORE_OPEN.search(text) is not None


def crowd_of(text: str) -> Crowd:
    """Measure a text that CPython refuses to parse."""
    depth = deepest = tokens = most = 0
    for kind in _kinds(text):
        depth = max(depth + (kind == "open") - (kind == "close"), 0)
        deepest = max(deepest, depth)
        tokens = 0 if kind == "end" and not depth else tokens + (kind not in ("skip", "end"))
        most = max(most, tokens)
    return Crowd(deepest, most, len(_ELIF.findall(text)))


def _kinds(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or ""
