"""Displays, subscripts and comprehensions of CPython's tree."""

from __future__ import annotations

import ast

from agentcheck.facts.index.lowering import Lowering, ToExpr
from agentcheck.facts.index.wrapping import inside, is_wrapped
from agentcheck.model.expr import Comp, CompFor, Entries, Entry, Expr, Index, Items, Slice


def list_(low: Lowering, node: ast.List) -> Expr:
    return Items(low.where(node), "list", _items(low, node.elts))


def set_(low: Lowering, node: ast.Set) -> Expr:
    return Items(low.where(node), "set", _items(low, node.elts))


def _items(low: Lowering, nodes: list[ast.expr]) -> tuple[Expr, ...]:
    return tuple([low.expr(node) for node in nodes])


def tuple_(low: Lowering, node: ast.Tuple) -> Expr:
    """A tuple; the parentheses around it, which CPython counts as its own, are not of its span."""
    items = _items(low, node.elts)
    wrapped = is_wrapped(low, node, node.elts)
    where = inside(low, node, node.elts) if wrapped else low.where(node)
    return Items(where, "tuple", items)


def dict_(low: Lowering, node: ast.Dict) -> Expr:
    pairs = zip(node.keys, node.values, strict=True)
    entries = tuple([Entry(low.maybe(key), low.expr(value)) for key, value in pairs])
    return Entries(low.where(node), entries)


def subscript(low: Lowering, node: ast.Subscript) -> Expr:
    value = low.expr(node.value)
    return Index(low.where(node), value, _index(low, node.slice))


def _index(low: Lowering, node: ast.expr) -> Expr:
    if not isinstance(node, ast.Tuple) or is_wrapped(low, node, node.elts):
        return low.expr(node)
    items, text = _items(low, node.elts), low.text
    last = node.elts[-1]
    before = text.end(node.elts[-2]) if len(node.elts) > 1 else text.start(node)
    end = text.closed(text.end(last), text.opened(before, text.start(last)))
    if isinstance(last, ast.Slice):
        end = _slice_end(low, last)
    return Items(text.between(text.start(node), end), "tuple", items)


def slice_(low: Lowering, node: ast.Slice) -> Expr:
    """`a:b:c`; the blanks behind a colon that ends it belong to it."""
    lower, upper, step = low.maybe(node.lower), low.maybe(node.upper), low.maybe(node.step)
    where = low.text.between(low.text.start(node), _slice_end(low, node))
    return Slice(where, lower, upper, step)


def _slice_end(low: Lowering, node: ast.Slice) -> int:
    end = low.text.end(node)
    return low.text.next(end) if low.text.text[end - 1] == ":" else end


def list_comp(low: Lowering, node: ast.ListComp) -> Expr:
    loops = _loops(low, node.generators)
    return Comp(low.where(node), "list", low.expr(node.elt), None, loops)


def set_comp(low: Lowering, node: ast.SetComp) -> Expr:
    loops = _loops(low, node.generators)
    return Comp(low.where(node), "set", low.expr(node.elt), None, loops)


def dict_comp(low: Lowering, node: ast.DictComp) -> Expr:
    loops = _loops(low, node.generators)
    key, value = low.expr(node.key), low.expr(node.value)
    return Comp(low.where(node), "dict", key, value, loops)


def generator(low: Lowering, node: ast.GeneratorExp) -> Expr:
    """A generator; the parentheses around it, be they those of a call, are not of its span."""
    loops = _loops(low, node.generators)
    text, last = low.text, node.generators[-1]
    end = text.end(last.ifs[-1] if last.ifs else last.iter)
    wrapped = text.code(end, text.end(node)).count(")") - 1
    where = text.between(text.next(text.start(node) + 1), text.closed(end, wrapped))
    return Comp(where, "generator", low.expr(node.elt), None, loops)


def _loops(low: Lowering, nodes: list[ast.comprehension]) -> tuple[CompFor, ...]:
    return tuple(
        [
            CompFor(low.expr(node.target), low.expr(node.iter), _items(low, node.ifs))
            for node in nodes
        ]
    )


TABLE: dict[type[ast.AST], ToExpr] = {
    ast.List: list_,
    ast.Tuple: tuple_,
    ast.Set: set_,
    ast.Dict: dict_,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.ListComp: list_comp,
    ast.SetComp: set_comp,
    ast.DictComp: dict_comp,
    ast.GeneratorExp: generator,
}
