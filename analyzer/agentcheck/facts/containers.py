"""Displays, subscripts and comprehensions."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from agentcheck.facts.context import Context, ToExpr
from agentcheck.model.expr import (
    Comp,
    CompFor,
    Entries,
    Entry,
    Expr,
    Index,
    Items,
    Slice,
    Star,
)


def list_(context: Context, node: cst.List) -> Expr:
    return Items(context.where(node), "list", _elements(context, node.elements))


def tuple_(context: Context, node: cst.Tuple) -> Expr:
    return Items(context.where(node), "tuple", _elements(context, node.elements))


def set_(context: Context, node: cst.Set) -> Expr:
    return Items(context.where(node), "set", _elements(context, node.elements))


def _elements(context: Context, nodes: Sequence[cst.BaseElement]) -> tuple[Expr, ...]:
    return tuple(
        context.expr(node if isinstance(node, cst.StarredElement) else node.value) for node in nodes
    )


def dict_(context: Context, node: cst.Dict) -> Expr:
    return Entries(context.where(node), tuple(_entry(context, entry) for entry in node.elements))


def _entry(context: Context, node: cst.BaseDictElement) -> Entry:
    key = context.expr(node.key) if isinstance(node, cst.DictElement) else None
    return Entry(key, context.expr(node.value))


def subscript(context: Context, node: cst.Subscript) -> Expr:
    value = context.expr(node.value)
    return Index(context.where(node), value, _index(context, node.slice))


def _index(context: Context, nodes: Sequence[cst.SubscriptElement]) -> Expr:
    items = tuple(_slice(context, node.slice) for node in nodes)
    lone = len(nodes) == 1 and nodes[0].comma is cst.MaybeSentinel.DEFAULT
    if lone and not isinstance(items[0], Star):
        return items[0]
    where = context.positions.between(nodes[0].slice, nodes[-1].slice)
    return Items(where, "tuple", items)


def _slice(context: Context, node: cst.BaseSlice) -> Expr:
    if isinstance(node, cst.Slice):
        lower, upper = context.maybe(node.lower), context.maybe(node.upper)
        return Slice(context.where(node), lower, upper, context.maybe(node.step))
    if not isinstance(node, cst.Index):
        return context.other(node)
    value = context.expr(node.value)
    return Star(context.where(node), value) if node.star else value


def list_comp(context: Context, node: cst.ListComp) -> Expr:
    loops = _loops(context, node.for_in)
    return Comp(context.where(node), "list", context.expr(node.elt), None, loops)


def set_comp(context: Context, node: cst.SetComp) -> Expr:
    loops = _loops(context, node.for_in)
    return Comp(context.where(node), "set", context.expr(node.elt), None, loops)


def generator(context: Context, node: cst.GeneratorExp) -> Expr:
    loops = _loops(context, node.for_in)
    return Comp(context.where(node), "generator", context.expr(node.elt), None, loops)


def dict_comp(context: Context, node: cst.DictComp) -> Expr:
    loops = _loops(context, node.for_in)
    key, value = context.expr(node.key), context.expr(node.value)
    return Comp(context.where(node), "dict", key, value, loops)


def _loops(context: Context, node: cst.CompFor) -> tuple[CompFor, ...]:
    loops = []
    current: cst.CompFor | None = node
    while current is not None:
        conditions = tuple(context.expr(condition.test) for condition in current.ifs)
        target, source = context.expr(current.target), context.expr(current.iter)
        loops.append(CompFor(target, source, conditions))
        current = current.inner_for_in
    return tuple(loops)


TABLE: dict[type[cst.CSTNode], ToExpr] = {
    cst.List: list_,
    cst.Tuple: tuple_,
    cst.Set: set_,
    cst.Dict: dict_,
    cst.Subscript: subscript,
    cst.ListComp: list_comp,
    cst.SetComp: set_comp,
    cst.GeneratorExp: generator,
    cst.DictComp: dict_comp,
}
