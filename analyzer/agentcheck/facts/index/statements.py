"""Statements of CPython's tree: assignments, jumps, imports, and those with a body."""

from __future__ import annotations

import ast

from agentcheck.facts.guards import checks_types, saves_import, suppresses
from agentcheck.facts.index.expressions import BINARY
from agentcheck.facts.index.lowering import Lowering, ToStmt
from agentcheck.model.expr import Expr
from agentcheck.model.facts import Import
from agentcheck.model.stmt import (
    Assert,
    Assign,
    AugAssign,
    Bring,
    Delete,
    Do,
    For,
    Handler,
    If,
    Jump,
    Raise,
    Return,
    Scope,
    Stmt,
    Try,
    While,
    With,
    WithItem,
)


def assign(low: Lowering, node: ast.Assign) -> Stmt:
    targets = tuple([low.expr(target) for target in node.targets])
    return Assign(low.where(node), targets, low.expr(node.value), None)


def annotated(low: Lowering, node: ast.AnnAssign) -> Stmt:
    target, annotation = low.expr(node.target), low.expr(node.annotation)
    return Assign(low.where(node), (target,), low.maybe(node.value), annotation)


def augmented(low: Lowering, node: ast.AugAssign) -> Stmt:
    op = f"{BINARY[node.op.__class__]}="
    return AugAssign(low.where(node), low.expr(node.target), op, low.expr(node.value))


def do(low: Lowering, node: ast.Expr) -> Stmt:
    return Do(low.where(node), low.expr(node.value))


def return_(low: Lowering, node: ast.Return) -> Stmt:
    return Return(low.where(node), low.maybe(node.value))


def raise_(low: Lowering, node: ast.Raise) -> Stmt:
    cause = low.maybe(node.cause)
    return Raise(low.where(node), low.maybe(node.exc), cause)


def assert_(low: Lowering, node: ast.Assert) -> Stmt:
    return Assert(low.where(node), low.expr(node.test), low.maybe(node.msg))


def delete(low: Lowering, node: ast.Delete) -> Stmt:
    """`del a, b` and `del (a, b)` both delete two targets."""
    targets = node.targets
    if len(targets) == 1 and isinstance(targets[0], ast.Tuple):
        targets = targets[0].elts
    return Delete(low.where(node), tuple([low.expr(target) for target in targets]))


def global_(low: Lowering, node: ast.Global) -> Stmt:
    return Scope(low.where(node), "global", tuple(node.names))


def nonlocal_(low: Lowering, node: ast.Nonlocal) -> Stmt:
    return Scope(low.where(node), "nonlocal", tuple(node.names))


def pass_(low: Lowering, node: ast.Pass) -> Stmt:
    return Jump(low.where(node), "pass")


def break_(low: Lowering, node: ast.Break) -> Stmt:
    return Jump(low.where(node), "break")


def continue_(low: Lowering, node: ast.Continue) -> Stmt:
    return Jump(low.where(node), "continue")


def import_(low: Lowering, node: ast.Import) -> Stmt:
    """`import a.b as c, d`."""
    first = len(low.imports)
    for alias in node.names:
        _add(low, alias, alias.name, 0, None)
    return Bring(low.where(node), tuple(range(first, len(low.imports))))


def from_(low: Lowering, node: ast.ImportFrom) -> Stmt:
    """`from ..m import n as o`, also the star."""
    first = len(low.imports)
    for alias in node.names:
        _add(low, alias, node.module or "", node.level, alias.name)
    return Bring(low.where(node), tuple(range(first, len(low.imports))))


def _add(low: Lowering, alias: ast.alias, module: str, level: int, name: str | None) -> None:
    scope, where = low.scope, low.where(alias)
    found = Import(where, module, level, name, alias.asname, scope.function, scope.guarded)
    low.imports.append(found)


def if_(low: Lowering, node: ast.If) -> Stmt:
    """An `if`; an `elif` stands alone in `orelse`."""
    test = low.expr(node.test)
    with low.within(low.scope.guard(when=checks_types(test))):
        body = low.block(node.body)
    orelse = low.block(node.orelse)
    return If(low.until(node, orelse or body), test, body, orelse)


def while_(low: Lowering, node: ast.While) -> Stmt:
    test, body, orelse = low.expr(node.test), low.block(node.body), low.block(node.orelse)
    return While(low.until(node, orelse or body), test, body, orelse)


def for_(low: Lowering, node: ast.For | ast.AsyncFor) -> Stmt:
    target, source = low.expr(node.target), low.expr(node.iter)
    body, orelse = low.block(node.body), low.block(node.orelse)
    is_async = isinstance(node, ast.AsyncFor)
    return For(low.until(node, orelse or body), target, source, body, orelse, is_async)


def try_(low: Lowering, node: ast.Try) -> Stmt:
    """A `try`; imports in it count as guarded when a handler would catch their failure."""
    types = [low.maybe(handler.type) for handler in node.handlers]
    with low.within(low.scope.guard(when=any(map(saves_import, types)))):
        body = low.block(node.body)
        pairs = zip(node.handlers, types, strict=True)
        handlers = tuple([_handler(low, handler, kind) for handler, kind in pairs])
        orelse = low.block(node.orelse)
    final = low.block(node.finalbody)
    last = final or orelse or (handlers[-1].body if handlers else body)
    return Try(low.until(node, last), body, handlers, orelse, final)


def _handler(low: Lowering, node: ast.ExceptHandler, kind: Expr | None) -> Handler:
    body = low.block(node.body)
    return Handler(low.until(node, body), kind, node.name, body)


def with_(low: Lowering, node: ast.With | ast.AsyncWith) -> Stmt:
    items = tuple([_with_item(low, item) for item in node.items])
    saved = any(suppresses(item.value) for item in items)
    with low.within(low.scope.guard(when=saved)):
        body = low.block(node.body)
    return With(low.until(node, body), items, body, isinstance(node, ast.AsyncWith))


def _with_item(low: Lowering, node: ast.withitem) -> WithItem:
    target = low.maybe(node.optional_vars)
    return WithItem(low.expr(node.context_expr), target)


TABLE: dict[type[ast.AST], ToStmt] = {
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Expr: do,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.Assert: assert_,
    ast.Delete: delete,
    ast.Global: global_,
    ast.Nonlocal: nonlocal_,
    ast.Pass: pass_,
    ast.Break: break_,
    ast.Continue: continue_,
    ast.Import: import_,
    ast.ImportFrom: from_,
    ast.If: if_,
    ast.While: while_,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.Try: try_,
    ast.TryStar: try_,
    ast.With: with_,
    ast.AsyncWith: with_,
}
