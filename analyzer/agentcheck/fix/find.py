"""The nodes that edits are about, found again by where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import libcst as cst

from agentcheck.fix.errors import Unfixable
from agentcheck.fix.tree import Tree
from agentcheck.model.fix import Edit
from agentcheck.model.location import Span
from agentcheck.source.decode import LINE_END
from agentcheck.source.parse import room_to_recurse

_Kind: TypeAlias = str
_KINDS: dict[str, _Kind] = {
    "replace": "expression",
    "keyword": "expression",
    "rename": "argument",
    "guard": "statement",
    "handler": "statement",
    "before": "statement",
}


def find(tree: Tree, edits: Iterable[Edit]) -> dict[Edit, cst.CSTNode]:
    """The node of each edit that still stands where it stood, with the text that it had."""
    wanted = list(edits)
    finder = _Finder(tree, {(_KINDS[edit.action], edit.span) for edit in wanted})
    with room_to_recurse():
        tree.module.visit(finder)
    nodes = {edit: finder.found.get((_KINDS[edit.action], edit.span)) for edit in wanted}
    return {
        edit: node
        for edit, (node, text) in ((e, n) for e, n in nodes.items() if n is not None)
        if LINE_END.sub("\n", text) == edit.was
    }


def require(found: dict[Edit, cst.CSTNode], edits: Iterable[Edit]) -> None:
    """Raise Unfixable where an edit has no node: a statement that shares its line, an `elif`."""
    for edit in edits:
        if edit not in found:
            raise Unfixable(f"line {edit.span.line} is written so that it cannot be changed there")


class _Finder(cst.CSTVisitor):
    """Notes each wanted node with its source; of several at one span the outermost."""

    def __init__(self, tree: Tree, wanted: set[tuple[_Kind, Span]]) -> None:
        self.found: dict[tuple[_Kind, Span], tuple[cst.CSTNode, str]] = {}
        self._positions = tree.positions
        self._wanted = wanted
        self._elif: set[int] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseExpression):
            self._note("expression", node, node)
        elif isinstance(node, cst.Arg):
            self._note("argument", node, node)
        elif isinstance(node, cst.SimpleStatementLine):
            if len(node.body) == 1:
                self._note("statement", node, node.body[0])
        elif isinstance(node, cst.BaseCompoundStatement):
            if isinstance(node, cst.If) and isinstance(node.orelse, cst.If):
                self._elif.add(id(node.orelse))
            if id(node) not in self._elif:
                self._note("statement", node, node)
        return True

    def _note(self, kind: _Kind, node: cst.CSTNode, at: cst.CSTNode) -> None:
        key = kind, self._positions.span(at)
        if key in self._wanted:
            self.found.setdefault(key, (node, self._positions.text(at)))
