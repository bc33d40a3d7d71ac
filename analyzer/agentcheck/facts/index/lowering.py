"""The state of one file's lowering from CPython's tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from agentcheck.facts.index.text import Text
from agentcheck.facts.scope import Gathering
from agentcheck.model.expr import Expr, Other
from agentcheck.model.location import Where, joined
from agentcheck.model.stmt import Stmt

ToExpr: TypeAlias = "Callable[[Lowering, Any], Expr]"
ToStmt: TypeAlias = "Callable[[Lowering, Any], Stmt]"


class Unindexed(Exception):  # noqa: N818 - what a file is, not a fault of ours
    """The file holds something that has to be read by LibCST, all of it."""


class Lowering(Gathering):
    """What every lowerer needs: the text, the tables, the current scope, what was found so far."""

    def __init__(
        self,
        text: Text,
        expressions: Mapping[type[ast.AST], ToExpr],
        statements: Mapping[type[ast.AST], ToStmt],
    ) -> None:
        super().__init__()
        self.text = text
        self.where = text.where
        self._expressions = expressions
        self._statements = statements

    def expr(self, node: ast.expr) -> Expr:
        """The expression a node stands for."""
        lower = self._expressions.get(node.__class__)
        if lower is None:
            raise Unindexed
        return lower(self, node)

    def maybe(self, node: ast.expr | None) -> Expr | None:
        """`expr` of a node that may be absent."""
        return None if node is None else self.expr(node)

    def other(self, node: ast.AST, where: Where) -> Other:
        """The node as text."""
        return Other(where, self.text.of(node))

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
        """The statements of a body."""
        return tuple([self.stmt(node) for node in nodes])

    def stmt(self, node: ast.stmt) -> Stmt:
        """The statement a node stands for."""
        lower = self._statements.get(node.__class__)
        if lower is None:
            raise Unindexed
        return lower(self, node)

    def until(self, node: ast.AST, last: tuple[Stmt, ...]) -> Where:
        """The span of what has a body: to the end of its last statement, semicolons left out."""
        return joined(self.where(node), last[-1].where)
