"""Pieces of a file, parsed by LibCST and lowered among what comes from CPython's tree."""

from __future__ import annotations

import ast

import libcst as cst

from agentcheck.facts.context import Context
from agentcheck.facts.index.lowering import Lowering, Unindexed
from agentcheck.facts.tables import EXPRESSIONS, STATEMENTS
from agentcheck.model.expr import Expr
from agentcheck.source.errors import Unreadable
from agentcheck.source.parse import parse
from agentcheck.source.positions import Positions


def expression(low: Lowering, node: ast.expr) -> Expr:
    """An expression. Raises Unindexed where LibCST does not understand it."""
    module, context = _read(low, low.text.start(node), low.text.end(node), "(", ")\n")
    line = module.body[0]
    if isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Expr):
        return context.expr(line.body[0].value)
    raise Unindexed


def _read(low: Lowering, start: int, end: int, head: str, tail: str) -> tuple[cst.Module, Context]:
    """A stretch of the text, parsed, and the context that lowers it into the same lists."""
    text = f"{head}{low.text.text[start:end]}{tail}"
    try:
        module = parse(text)
        positions = Positions(module, text, low.text.starts, start - len(head))
    except (Unreadable, ValueError):
        raise Unindexed from None
    context = Context(positions, EXPRESSIONS, STATEMENTS)
    context.scope, context.generators = low.scope, low.generators
    context.imports, context.functions, context.classes = low.imports, low.functions, low.classes
    return module, context
