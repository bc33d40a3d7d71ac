"""A whole file lowered from LibCST's tree."""

from __future__ import annotations

import libcst as cst

from agentcheck.facts import definitions
from agentcheck.facts.context import Context
from agentcheck.facts.tables import EXPRESSIONS, STATEMENTS
from agentcheck.model.location import Where
from agentcheck.source.errors import Unreadable
from agentcheck.source.parse import parse, room_to_recurse
from agentcheck.source.positions import Positions


def lowered(text: str, where: Where) -> Context:
    """What a text holds; `where` is that of the whole. Raises Unreadable where LibCST cannot."""
    with room_to_recurse():
        tree = parse(text)
        context = Context(_positions(tree, text), EXPRESSIONS, STATEMENTS)
        definitions.module(context, tree, where)
    return context


def _positions(tree: cst.Module, text: str) -> Positions:
    try:
        return Positions(tree, text)
    except ValueError as error:
        raise Unreadable(f"cannot tell lines and columns: {error}") from None
