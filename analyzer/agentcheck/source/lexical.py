"""What can be told of a text without parsing it: brackets and crowded statements."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Strings and comments are passed over. On text that is not Python the answer is a guess, good
# enough to decide what is worth a process of its own.
_TOKEN = re.compile(
    r'(?P<skip>"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'|\#[^\n\r]*|\\\r?\n|[ \t\f]+)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[\r\n]+)|(?P<token>\w+|.)",
    re.DOTALL,
)
_FOUR_OPEN = re.compile(r"\(\s*\(\s*\(\s*\(")
_SCORE_OPEN = re.compile(r"(?:\(\s*){20}")
_ELIF = re.compile(r"^[ \t]*elif\b", re.MULTILINE)

_CROWDED = 3_000
_MANY_BRANCHES = 500


def wraps_deeply(text: str) -> bool:
    """Whether a score of parentheses open in a row: no tree of CPython shows them."""
    return _FOUR_OPEN.search(text) is not None and _SCORE_OPEN.search(text) is not None


def deepest_brackets(text: str) -> int:
    """How deep brackets nest."""
    deepest = depth = 0
    for kind in _kinds(text):
        depth = max(depth + (kind == "open") - (kind == "close"), 0)
        deepest = max(deepest, depth)
    return deepest


def crowded_statement(text: str) -> bool:
    """Whether one logical line holds thousands of tokens, or the text hundreds of `elif`."""
    if len(_ELIF.findall(text)) > _MANY_BRANCHES:
        return True
    depth = tokens = 0
    for kind in _kinds(text):
        depth = max(depth + (kind == "open") - (kind == "close"), 0)
        tokens = 0 if kind == "end" and not depth else tokens + (kind not in ("skip", "end"))
        if tokens > _CROWDED:
            return True
    return False


def _kinds(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or ""
