"""Names, calls, operators and the other plain expressions."""

from __future__ import annotations

import libcst as cst

from agentcheck.facts.context import Context, ToExpr
from agentcheck.facts.operators import BINARY, COMPARE, UNARY
from agentcheck.facts.parameters import params
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

_KEYWORD_CONSTANTS = {"None": None, "True": True, "False": False}


def name(context: Context, node: cst.Name) -> Expr:
    """A name, or one of the three constants that LibCST reads as names."""
    if node.value in _KEYWORD_CONSTANTS:
        return Const(context.where(node), _KEYWORD_CONSTANTS[node.value])
    return Name(context.where(node), node.value)


def attribute(context: Context, node: cst.Attribute) -> Expr:
    return Attr(context.where(node), context.expr(node.value), node.attr.value)


def call(context: Context, node: cst.Call) -> Expr:
    func = context.expr(node.func)
    return Call(context.where(node), func, tuple(argument(context, arg) for arg in node.args))


def argument(context: Context, node: cst.Arg) -> Arg:
    """An argument of a call or a base of a class."""
    keyword = None if node.keyword is None else node.keyword.value
    return Arg(context.expr(node.value), keyword, node.star, context.where(node))


def unary(context: Context, node: cst.UnaryOperation) -> Expr:
    return Unary(context.where(node), UNARY[type(node.operator)], context.expr(node.expression))


def binary(context: Context, node: cst.BinaryOperation) -> Expr:
    left, right = context.expr(node.left), context.expr(node.right)
    return Binary(context.where(node), BINARY[type(node.operator)], left, right)


def logic(context: Context, node: cst.BooleanOperation) -> Expr:
    """A chain of one operator; parentheses inside the chain change nothing in Python."""
    kind = type(node.operator)
    values = tuple(context.expr(operand) for operand in _operands(node, kind))
    return Logic(context.where(node), "and" if kind is cst.And else "or", values)


def _operands(
    node: cst.BooleanOperation, kind: type[cst.BaseBooleanOp]
) -> list[cst.BaseExpression]:
    waiting: list[cst.BaseExpression] = [node]
    operands = []
    while waiting:
        current = waiting.pop()
        if isinstance(current, cst.BooleanOperation) and type(current.operator) is kind:
            waiting += (current.right, current.left)
        else:
            operands.append(current)
    return operands


def comparison(context: Context, node: cst.Comparison) -> Expr:
    left = context.expr(node.left)
    ops = tuple(COMPARE[type(target.operator)] for target in node.comparisons)
    rights = tuple(context.expr(target.comparator) for target in node.comparisons)
    return Compare(context.where(node), left, ops, rights)


def choice(context: Context, node: cst.IfExp) -> Expr:
    then, test = context.expr(node.body), context.expr(node.test)
    return Choice(context.where(node), test, then, context.expr(node.orelse))


def lambda_(context: Context, node: cst.Lambda) -> Expr:
    """A lambda; a `yield` in it makes no generator of the function around."""
    parameters = params(context, node.params)
    with context.within(context.scope._replace(function=-1)):
        body = context.expr(node.body)
    return Lambda(context.where(node), parameters, body)


def await_(context: Context, node: cst.Await) -> Expr:
    return Await(context.where(node), context.expr(node.expression))


def yield_(context: Context, node: cst.Yield) -> Expr:
    context.generators.add(context.scope.function)
    if isinstance(node.value, cst.From):
        return Yield(context.where(node), context.expr(node.value.item), many=True)
    return Yield(context.where(node), context.maybe(node.value), many=False)


def star(context: Context, node: cst.StarredElement) -> Expr:
    return Star(context.where(node), context.expr(node.value))


def walrus(context: Context, node: cst.NamedExpr) -> Expr:
    value = context.expr(node.value)
    return Walrus(context.where(node), context.positions.text(node.target), value)


TABLE: dict[type[cst.CSTNode], ToExpr] = {
    cst.Name: name,
    cst.Attribute: attribute,
    cst.Call: call,
    cst.UnaryOperation: unary,
    cst.BinaryOperation: binary,
    cst.BooleanOperation: logic,
    cst.Comparison: comparison,
    cst.IfExp: choice,
    cst.Lambda: lambda_,
    cst.Await: await_,
    cst.Yield: yield_,
    cst.StarredElement: star,
    cst.NamedExpr: walrus,
}
