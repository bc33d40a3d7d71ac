"""A whole file lowered from CPython's tree."""

from __future__ import annotations

import ast
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
from agentcheck.facts.index.odd_names import has_odd_names
from agentcheck.facts.index.text import Text
from agentcheck.model.location import Where

_EXPRESSIONS = {**expressions.TABLE, **containers.TABLE, **pieces.TABLE}
_STATEMENTS = {**statements.TABLE, **definitions.TABLE, **patterns.TABLE}


def indexed(tree: ast.Module, text: str, lines: Sequence[str], where: Where) -> Lowering:
    """What a file holds; `where` is that of the whole.

    Raises Unindexed for a file that has to be read by LibCST as a whole.
    """
    if has_odd_names(text):
        raise Unindexed
    low = Lowering(Text(text, lines), _EXPRESSIONS, _STATEMENTS)
    definitions.module(low, tree, where)
    return low
