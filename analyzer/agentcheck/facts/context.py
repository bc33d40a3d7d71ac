"""What every extractor needs while one file is lowered: positions, tables, the current scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import libcst as cst

from agentcheck.facts.scope import Gathering
from agentcheck.model.expr import Expr, Other
from agentcheck.model.stmt import Do, Stmt
from agentcheck.source.positions import Positions

ToExpr: TypeAlias = "Callable[[Context, Any], Expr]"
ToStmt: TypeAlias = "Callable[[Context, Any], Stmt]"

# Deeper trees are kept as text, so that everything that walks facts may recurse.
MAX_DEPTH = 150


class Context(Gathering):
    """The state of one file's lowering; `expr` and `block` dispatch on the node's type."""

    def __init__(
        self,
        positions: Positions,
        expressions: Mapping[type[cst.CSTNode], ToExpr],
        statements: Mapping[type[cst.CSTNode], ToStmt],
    ) -> None:
        super().__init__()
        self.positions = positions
        self.where = positions.where
        self._expressions = expressions
        self._statements = statements
        self._depth = 0

    def expr(self, node: cst.CSTNode) -> Expr:
        """The expression a node stands for; `Other` for a kind without extractor."""
        lower = self._expressions.get(type(node))
        if lower is None or self._depth > MAX_DEPTH:
            return self.other(node)
        self._depth += 1
        found = lower(self, node)
        self._depth -= 1
        return found

    def maybe(self, node: cst.CSTNode | None) -> Expr | None:
        """`expr` of a node that may be absent."""
        return None if node is None else self.expr(node)

    def other(self, node: cst.CSTNode) -> Other:
        """The node as text."""
        return Other(self.where(node), self.positions.text(node))

    def stmt(self, node: cst.CSTNode) -> Stmt:
        """The statement a node stands for; its text for a kind without extractor."""
        lower = self._statements.get(type(node))
        if lower is None or self._depth > MAX_DEPTH:
            return Do(self.where(node), self.other(node))
        self._depth += 1
        found = lower(self, node)
        self._depth -= 1
        return found

    def block(self, suite: cst.BaseSuite | cst.Module) -> tuple[Stmt, ...]:
        """The statements of a body, those that share a line apart."""
        found: list[Stmt] = []
        for node in suite.body:
            if isinstance(node, cst.SimpleStatementLine):
                found.extend(self.stmt(small) for small in node.body)
            else:
                found.append(self.stmt(node))
        return tuple(found)
