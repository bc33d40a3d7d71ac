"""Statements that fit on one line: assignments, returns, raises, jumps."""

from __future__ import annotations

import libcst as cst

from agentcheck.facts.context import Context, ToStmt
from agentcheck.facts.operators import AUGMENTED
from agentcheck.model.stmt import (
    Assert,
    Assign,
    AugAssign,
    Delete,
    Do,
    Jump,
    Raise,
    Return,
    Scope,
    Stmt,
)


def assign(context: Context, node: cst.Assign) -> Stmt:
    targets = tuple(context.expr(target.target) for target in node.targets)
    return Assign(context.where(node), targets, context.expr(node.value), None)


def annotated(context: Context, node: cst.AnnAssign) -> Stmt:
    target, annotation = context.expr(node.target), context.expr(node.annotation.annotation)
    return Assign(context.where(node), (target,), context.maybe(node.value), annotation)


def type_alias(context: Context, node: cst.TypeAlias) -> Stmt:
    return Assign(context.where(node), (context.expr(node.name),), context.expr(node.value), None)


def augmented(context: Context, node: cst.AugAssign) -> Stmt:
    op = AUGMENTED[type(node.operator)]
    return AugAssign(context.where(node), context.expr(node.target), op, context.expr(node.value))


def do(context: Context, node: cst.Expr) -> Stmt:
    return Do(context.where(node), context.expr(node.value))


def return_(context: Context, node: cst.Return) -> Stmt:
    return Return(context.where(node), context.maybe(node.value))


def raise_(context: Context, node: cst.Raise) -> Stmt:
    cause = None if node.cause is None else context.expr(node.cause.item)
    return Raise(context.where(node), context.maybe(node.exc), cause)


def assert_(context: Context, node: cst.Assert) -> Stmt:
    return Assert(context.where(node), context.expr(node.test), context.maybe(node.msg))


def delete(context: Context, node: cst.Del) -> Stmt:
    """`del a, b` and `del (a, b)` both delete two targets."""
    if isinstance(node.target, cst.Tuple):
        targets = tuple(context.expr(element.value) for element in node.target.elements)
        return Delete(context.where(node), targets)
    return Delete(context.where(node), (context.expr(node.target),))


def global_(context: Context, node: cst.Global) -> Stmt:
    return Scope(context.where(node), "global", tuple(item.name.value for item in node.names))


def nonlocal_(context: Context, node: cst.Nonlocal) -> Stmt:
    return Scope(context.where(node), "nonlocal", tuple(item.name.value for item in node.names))


def pass_(context: Context, node: cst.Pass) -> Stmt:
    return Jump(context.where(node), "pass")


def break_(context: Context, node: cst.Break) -> Stmt:
    return Jump(context.where(node), "break")


def continue_(context: Context, node: cst.Continue) -> Stmt:
    return Jump(context.where(node), "continue")


TABLE: dict[type[cst.CSTNode], ToStmt] = {
    cst.Assign: assign,
    cst.AnnAssign: annotated,
    cst.TypeAlias: type_alias,
    cst.AugAssign: augmented,
    cst.Expr: do,
    cst.Return: return_,
    cst.Raise: raise_,
    cst.Assert: assert_,
    cst.Del: delete,
    cst.Global: global_,
    cst.Nonlocal: nonlocal_,
    cst.Pass: pass_,
    cst.Break: break_,
    cst.Continue: continue_,
}
