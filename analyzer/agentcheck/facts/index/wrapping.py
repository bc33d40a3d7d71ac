"""Parentheses around tuples and sequences, which CPython counts as their own."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from agentcheck.facts.index.lowering import Lowering
from agentcheck.model.location import Where


def is_wrapped(low: Lowering, node: ast.AST, elements: Sequence[ast.AST]) -> bool:
    """Whether the whole stands in parentheses, and not only its first element."""
    if not elements:
        return True
    text, first = low.text, elements[0]
    start, inner = text.start(node), text.start(first)
    if start == inner:
        return False
    following = text.start(elements[1]) if len(elements) > 1 else text.end(node)
    of_first = text.code(text.end(first), following).partition(",")[0].count(")")
    return text.opened(start, inner) > of_first


def inside(low: Lowering, node: ast.AST, elements: Sequence[ast.AST]) -> Where:
    """What stands in the parentheses: the elements and a comma behind the last."""
    text = low.text
    start, end = text.next(text.start(node) + 1), text.end(node)
    if not elements:
        return text.between(start, start)
    last = text.end(elements[-1])
    tail = text.code(last, end)
    if "," in tail:
        return text.between(start, last + tail.index(",") + 1)
    return text.between(start, text.closed(last, tail.count(")") - 1))
