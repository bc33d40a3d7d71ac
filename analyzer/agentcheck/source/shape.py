"""How deep and how large CPython's tree of a file is, in the terms that matter to LibCST."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

# A node on one line that is this narrow cannot hold more levels than characters; it is counted as
# if it did, which saves most of the walk.
_NARROW = 80

# Characters: a smaller text cannot hold a number of nodes worth counting.
_FEW = 200_000


class Shape(NamedTuple):
    """Levels of nesting and number of nodes."""

    depth: int
    nodes: int


def shape_of(tree: ast.Module, *, enough: int, size: int) -> Shape:
    """The shape of a tree of `size` characters.

    The depth may be overstated as long as it stays within `enough`; above, it is exact. Chains
    that CPython keeps flat and LibCST nests (`a and b and c`, `for` after `for` in a
    comprehension) count one level a link.
    """
    if size <= _FEW:
        estimate = _walk(tree, narrow=_NARROW)
        if estimate.depth <= enough:
            return estimate
    return _walk(tree, narrow=0)


def _walk(tree: ast.Module, *, narrow: int) -> Shape:
    deepest = nodes = 0
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        fields = node.__dict__
        if fields.get("lineno", 0) == fields.get("end_lineno"):
            width = fields["end_col_offset"] - fields["col_offset"]
            if width < narrow:
                deepest = max(deepest, depth + width)
                continue
        deepest = max(deepest, depth)
        below = depth + 1 + _links(node, fields)
        for value in fields.values():
            if value.__class__ is list:
                waiting += [(item, below) for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:  # no `Load()` and the like
                waiting.append((value, below))
    return Shape(deepest, nodes)


def _links(node: ast.AST, fields: dict[str, Any]) -> int:
    """Levels that LibCST adds where CPython has a flat list."""
    if node.__class__ is ast.BoolOp:
        return len(fields["values"])
    return len(fields["generators"]) if "generators" in fields else 0
