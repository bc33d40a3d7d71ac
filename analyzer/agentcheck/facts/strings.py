"""Numbers and strings: literals, implicit concatenation, f-strings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import libcst as cst

from agentcheck.facts.context import Context, ToExpr
from agentcheck.facts.escapes import literal
from agentcheck.facts.literals import MAX_INT, MAX_INT_CHARS
from agentcheck.facts.merging import merged
from agentcheck.model.expr import Const, Expr, Template


def integer(context: Context, node: cst.Integer) -> Expr:
    """An int of at most 64 bits, else its text."""
    digits = node.value.replace("_", "")
    value = int(digits, 0) if len(digits) <= MAX_INT_CHARS else MAX_INT + 1
    return Const(context.where(node), value) if value <= MAX_INT else context.other(node)


def floating(context: Context, node: cst.Float) -> Expr:
    """A finite float, else its text."""
    value = float(node.value.replace("_", ""))
    return Const(context.where(node), value) if math.isfinite(value) else context.other(node)


def simple(context: Context, node: cst.SimpleString) -> Expr:
    """A str literal; bytes stay text."""
    value = value_of(node)
    return context.other(node) if value is None else Const(context.where(node), value)


def value_of(node: cst.SimpleString) -> str | None:
    """What a str literal means, or None for bytes."""
    written = node.value
    start = min(i for i in (written.find("'"), written.find('"')) if i >= 0)
    prefix = written[:start].lower()
    if "b" in prefix:
        return None
    quote = 3 if written[start : start + 3] == written[start] * 3 else 1
    return literal(written[start + quote : -quote], escapes="r" not in prefix)


def concatenated(context: Context, node: cst.ConcatenatedString) -> Expr:
    """Neighbouring literals as one; text when one of them is bytes or a template of 3.14."""
    pieces = list(pieces_of(node))
    if not all(_is_text(piece) for piece in pieces):
        return context.other(node)
    if all(isinstance(piece, cst.SimpleString) for piece in pieces):
        values = [value_of(piece) or "" for piece in pieces if isinstance(piece, cst.SimpleString)]
        return Const(context.where(node), "".join(values))
    parts = [part for piece in pieces for part in _piece_parts(context, piece)]
    return Template(context.where(node), merged(parts))


def pieces_of(node: cst.ConcatenatedString) -> Iterator[cst.BaseString]:
    """The literals that stand next to each other, in order."""
    waiting: list[cst.BaseString] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, cst.ConcatenatedString):
            waiting += (current.right, current.left)
        else:
            yield current


def _is_text(piece: cst.BaseString) -> bool:
    if isinstance(piece, cst.SimpleString):
        return "b" not in piece.prefix
    return isinstance(piece, cst.FormattedString)


def formatted(context: Context, node: cst.FormattedString) -> Expr:
    return Template(context.where(node), merged(_piece_parts(context, node)))


def _piece_parts(context: Context, piece: cst.BaseString) -> list[Expr]:
    if isinstance(piece, cst.SimpleString):
        return [Const(context.where(piece), value_of(piece) or "")]
    if isinstance(piece, cst.FormattedString):
        raw = "r" in piece.start.lower()
        return _parts(context, piece.parts, raw=raw)
    return [context.other(piece)]


def _parts(
    context: Context, nodes: Sequence[cst.BaseFormattedStringContent], *, raw: bool
) -> list[Expr]:
    found: list[Expr] = []
    for node in nodes:
        if isinstance(node, cst.FormattedStringText):
            body = node.value.replace("{{", "{").replace("}}", "}")
            found.append(Const(context.where(node), literal(body, escapes=not raw)))
        elif isinstance(node, cst.FormattedStringExpression):
            found.extend(_interpolated(context, node))
    return found


def _interpolated(context: Context, node: cst.FormattedStringExpression) -> list[Expr]:
    """The expression; in front of it its own text for `{x=}`, behind it those of its format."""
    value = context.expr(node.expression)
    found: list[Expr] = [value]
    if node.equal is not None:
        shown = f"{context.positions.text(node.expression)}="
        found.insert(0, Const(value.where, shown))
    spec = _parts(context, node.format_spec or (), raw=False)
    return found + [part for part in spec if not isinstance(part, Const)]


TABLE: dict[type[cst.CSTNode], ToExpr] = {
    cst.Integer: integer,
    cst.Float: floating,
    cst.SimpleString: simple,
    cst.ConcatenatedString: concatenated,
    cst.FormattedString: formatted,
}
