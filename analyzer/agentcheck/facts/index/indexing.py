"""A whole file lowered from CPython's tree."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Sequence

from agentcheck.facts.index import (
    containers,
    definitions,
    expressions,
    patterns,
    pieces,
    statements,
)
from agentcheck.facts.index.lowering import Lowering, Unindexed
from agentcheck.facts.index.text import Text
from agentcheck.model.location import Where

_EXPRESSIONS = {**expressions.TABLE, **containers.TABLE, **pieces.TABLE}
_STATEMENTS = {**statements.TABLE, **definitions.TABLE, **patterns.TABLE}


def indexed(tree: ast.Module, text: str, lines: Sequence[str], where: Where) -> Lowering:
    """What a file holds; `where` is that of the whole.

    Raises Unindexed for a file that has to be read by LibCST as a whole.
    """
    if _has_odd_names(text):
        raise Unindexed
    low = Lowering(Text(text, lines), _EXPRESSIONS, _STATEMENTS)
    definitions.module(low, tree, where)
    return low


def _has_odd_names(text: str) -> bool:
    """Whether a name may be written with characters that CPython's tree has in another form."""
    return not text.isascii() and any(map(_is_odd, set(text)))


def _is_odd(char: str) -> bool:
    if char.isascii() or not f"a{char}".isidentifier():
        return False
    return unicodedata.normalize("NFKC", char) != char or unicodedata.combining(char) != 0
