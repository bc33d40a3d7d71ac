"""Nodes of CPython's tree that do not tell enough: their text is given to LibCST."""

from __future__ import annotations

import ast

from agentcheck.facts.index.lowering import Lowering, ToExpr, ToStmt, Unindexed
from agentcheck.facts.index.strings import template
from agentcheck.model.expr import Expr
from agentcheck.model.stmt import Stmt


def formatted(low: Lowering, node: ast.JoinedStr) -> Expr:
    """An f-string, by LibCST where reading it ourselves will not do."""
    try:
        return template(low, node)
    except Unindexed:
        from agentcheck.facts.index.slices import expression  # LibCST takes a while to import

        return expression(low, node)


def match(low: Lowering, node: ast.Match) -> Stmt:
    """A `match`: CPython's patterns lack their parentheses, its cases their place."""
    from agentcheck.facts.index.slices import statement

    return statement(low, node)


EXPRESSIONS: dict[type[ast.AST], ToExpr] = {ast.JoinedStr: formatted}
STATEMENTS: dict[type[ast.AST], ToStmt] = {ast.Match: match}
