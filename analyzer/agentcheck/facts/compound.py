"""Statements with a body: if, loops, try, with, match."""

from __future__ import annotations

import libcst as cst

from agentcheck.facts.context import Context, ToStmt
from agentcheck.facts.guards import checks_types, saves_import, suppresses
from agentcheck.facts.patterns import pattern
from agentcheck.model.stmt import Case, For, Handler, If, Match, Stmt, Try, While, With, WithItem


def if_(context: Context, node: cst.If) -> Stmt:
    """An `if`; an `elif` stands alone in `orelse`."""
    test = context.expr(node.test)
    with context.within(context.scope.guard(when=checks_types(test))):
        body = context.block(node.body)
    return If(context.where(node), test, body, _orelse(context, node.orelse))


def _orelse(context: Context, node: cst.If | cst.Else | None) -> tuple[Stmt, ...]:
    if isinstance(node, cst.If):
        return (context.stmt(node),)
    return () if node is None else context.block(node.body)


def while_(context: Context, node: cst.While) -> Stmt:
    test, body = context.expr(node.test), context.block(node.body)
    return While(context.where(node), test, body, _orelse(context, node.orelse))


def for_(context: Context, node: cst.For) -> Stmt:
    target, source = context.expr(node.target), context.expr(node.iter)
    body, orelse = context.block(node.body), _orelse(context, node.orelse)
    is_async = node.asynchronous is not None
    return For(context.where(node), target, source, body, orelse, is_async)


def try_(context: Context, node: cst.Try | cst.TryStar) -> Stmt:
    """A `try`; imports in it count as guarded when a handler would catch their failure."""
    types = [context.maybe(handler.type) for handler in node.handlers]
    with context.within(context.scope.guard(when=any(map(saves_import, types)))):
        body = context.block(node.body)
        handlers = tuple(_handler(context, handler) for handler in node.handlers)
        orelse = _orelse(context, node.orelse)
    final = () if node.finalbody is None else context.block(node.finalbody.body)
    return Try(context.where(node), body, handlers, orelse, final)


def _handler(context: Context, node: cst.ExceptHandler | cst.ExceptStarHandler) -> Handler:
    name = None if node.name is None else context.positions.text(node.name.name)
    kind = context.maybe(node.type)
    return Handler(context.where(node), kind, name, context.block(node.body))


def with_(context: Context, node: cst.With) -> Stmt:
    items = tuple(_with_item(context, item) for item in node.items)
    saved = any(suppresses(item.value) for item in items)
    with context.within(context.scope.guard(when=saved)):
        body = context.block(node.body)
    return With(context.where(node), items, body, node.asynchronous is not None)


def _with_item(context: Context, node: cst.WithItem) -> WithItem:
    target = None if node.asname is None else context.expr(node.asname.name)
    return WithItem(context.expr(node.item), target)


def match(context: Context, node: cst.Match) -> Stmt:
    subject = context.expr(node.subject)
    cases = tuple(_case(context, case) for case in node.cases)
    return Match(context.where(node), subject, cases)


def _case(context: Context, node: cst.MatchCase) -> Case:
    shape, binds = pattern(context, node.pattern)
    guard, body = context.maybe(node.guard), context.block(node.body)
    return Case(context.where(node), shape, binds, guard, body)


TABLE: dict[type[cst.CSTNode], ToStmt] = {
    cst.If: if_,
    cst.While: while_,
    cst.For: for_,
    cst.Try: try_,
    cst.TryStar: try_,
    cst.With: with_,
    cst.Match: match,
}
