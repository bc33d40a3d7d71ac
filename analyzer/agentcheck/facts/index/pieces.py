"""F-strings, which are given to LibCST where reading them ourselves will not do."""

from __future__ import annotations

import ast

from agentcheck.facts.index.lowering import Lowering, ToExpr, Unindexed
from agentcheck.facts.index.strings import template
from agentcheck.model.expr import Expr


def formatted(low: Lowering, node: ast.JoinedStr) -> Expr:
    """An f-string with the literals that stand next to it."""
    try:
        return template(low, node)
    except Unindexed:
        from agentcheck.facts.index.slices import expression  # LibCST takes a while to import

        return expression(low, node)


TABLE: dict[type[ast.AST], ToExpr] = {ast.JoinedStr: formatted}
