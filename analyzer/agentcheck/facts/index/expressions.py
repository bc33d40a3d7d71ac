"""Expressions of CPython's tree."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from agentcheck.facts.escapes import without_surrogates
from agentcheck.facts.index.lowering import Lowering, ToExpr
from agentcheck.facts.index.parameters import params
from agentcheck.facts.literals import MAX_INT, MAX_INT_CHARS
from agentcheck.model.expr import (
    Arg,
    Attr,
    Await,
    Binary,
    Call,
    Choice,
    Compare,
    Const,
    Expr,
    Lambda,
    Logic,
    Name,
    Star,
    Unary,
    Walrus,
    Yield,
)

_UNARY = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
    ast.MatMult: "@",
}
_COMPARE = {
    ast.Lt: "<",
    ast.Gt: ">",
    ast.Eq: "==",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


def constant(low: Lowering, node: ast.Constant) -> Expr:
    """A literal; bytes, complex and huge numbers and `...` are kept as text."""
    value, where = node.value, low.where(node)
    if isinstance(value, str):
        return Const(where, value if value.isascii() else without_surrogates(value))
    if value is None or isinstance(value, bool):
        return Const(where, value)
    if isinstance(value, int) and value <= MAX_INT and _digits(low, node) <= MAX_INT_CHARS:
        return Const(where, value)
    if isinstance(value, float) and math.isfinite(value):
        return Const(where, value)
    return low.other(node, where)


def _digits(low: Lowering, node: ast.Constant) -> int:
    """How many characters a number has, its underscores left out where that may matter."""
    size = node.end_col_offset - node.col_offset if node.end_col_offset else 0
    return size if size <= MAX_INT_CHARS else len(low.text.of(node).replace("_", ""))


def name(low: Lowering, node: ast.Name) -> Expr:
    return Name(low.where(node), node.id)


def attribute(low: Lowering, node: ast.Attribute) -> Expr:
    return Attr(low.where(node), low.expr(node.value), node.attr)


def call(low: Lowering, node: ast.Call) -> Expr:
    func = low.expr(node.func)
    if not node.args and not node.keywords:
        return Call(low.where(node), func, ())
    given = in_order(node.args, node.keywords)
    return Call(low.where(node), func, arguments(low, given, low.text.end(node.func)))


def in_order(
    args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
) -> Sequence[ast.expr | ast.keyword]:
    """Arguments in the order in which they are written; only a `*` may follow a keyword."""
    if not keywords:
        return args
    together: list[ast.expr | ast.keyword] = [*args, *keywords]
    if any(isinstance(arg, ast.Starred) for arg in args):
        together.sort(key=lambda each: (each.lineno, each.col_offset))
    return together


def arguments(
    low: Lowering, given: Sequence[ast.expr | ast.keyword], before: int
) -> tuple[Arg, ...]:
    """Arguments of a call, or bases of a class; `before` is where what they are given to ends.

    Of an argument without a keyword the tree does not tell the parentheses around it.
    """
    found, owned = [], 1  # the parenthesis that opens the list of arguments
    for node in given:
        if isinstance(node, ast.keyword):
            star = "**" if node.arg is None else ""
            found.append(Arg(low.expr(node.value), node.arg, star, low.where(node)))  # type: ignore[arg-type]
        elif isinstance(node, ast.Starred):
            found.append(Arg(low.expr(node.value), None, "*", low.where(node)))
        else:
            found.append(_plain(low, node, before, owned))
        before, owned = low.text.end(node), 0
    return tuple(found)


def _plain(low: Lowering, node: ast.expr, before: int, owned: int) -> Arg:
    value, start = low.expr(node), low.text.start(node)
    wrapped = low.text.opened(before, start) - owned
    if wrapped > 0:
        return Arg(value, None, "", low.text.between(*low.text.around(node, before, wrapped)))
    # A generator alone shares its parentheses with the call: they are no longer its own.
    return Arg(value, None, "", value.where if wrapped < 0 else low.where(node))


def unary(low: Lowering, node: ast.UnaryOp) -> Expr:
    return Unary(low.where(node), _UNARY[node.op.__class__], low.expr(node.operand))


def binary(low: Lowering, node: ast.BinOp) -> Expr:
    left, right = low.expr(node.left), low.expr(node.right)
    return Binary(low.where(node), BINARY[node.op.__class__], left, right)


def logic(low: Lowering, node: ast.BoolOp) -> Expr:
    """A chain of one operator; parentheses inside the chain change nothing in Python."""
    kind = node.op.__class__
    values = tuple([low.expr(operand) for operand in _operands(node, kind)])
    return Logic(low.where(node), "and" if kind is ast.And else "or", values)


def _operands(node: ast.BoolOp, kind: type[ast.boolop]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for value in node.values:
        nested = isinstance(value, ast.BoolOp) and value.op.__class__ is kind
        found += _operands(value, kind) if nested and isinstance(value, ast.BoolOp) else [value]
    return found


def comparison(low: Lowering, node: ast.Compare) -> Expr:
    left = low.expr(node.left)
    ops = tuple([_COMPARE[op.__class__] for op in node.ops])
    return Compare(low.where(node), left, ops, tuple([low.expr(n) for n in node.comparators]))


def choice(low: Lowering, node: ast.IfExp) -> Expr:
    then, test = low.expr(node.body), low.expr(node.test)
    return Choice(low.where(node), test, then, low.expr(node.orelse))


def lambda_(low: Lowering, node: ast.Lambda) -> Expr:
    """A lambda; a `yield` in it makes no generator of the function around."""
    parameters = params(low, node.args)
    with low.within(low.scope._replace(function=-1)):
        body = low.expr(node.body)
    return Lambda(low.where(node), parameters, body)


def await_(low: Lowering, node: ast.Await) -> Expr:
    return Await(low.where(node), low.expr(node.value))


def yield_(low: Lowering, node: ast.Yield) -> Expr:
    low.generators.add(low.scope.function)
    return Yield(low.where(node), low.maybe(node.value), many=False)


def yield_from(low: Lowering, node: ast.YieldFrom) -> Expr:
    low.generators.add(low.scope.function)
    return Yield(low.where(node), low.expr(node.value), many=True)


def star(low: Lowering, node: ast.Starred) -> Expr:
    return Star(low.where(node), low.expr(node.value))


def walrus(low: Lowering, node: ast.NamedExpr) -> Expr:
    value = low.expr(node.value)
    return Walrus(low.where(node), node.target.id, value)


TABLE: dict[type[ast.AST], ToExpr] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Call: call,
    ast.UnaryOp: unary,
    ast.BinOp: binary,
    ast.BoolOp: logic,
    ast.Compare: comparison,
    ast.IfExp: choice,
    ast.Lambda: lambda_,
    ast.Await: await_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.Starred: star,
    ast.NamedExpr: walrus,
}
