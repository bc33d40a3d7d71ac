"""What a list holds, also what is added to it later and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import MANY, Tracer
from agentcheck.graph.text import dotted
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One thing in a container: its expression and the function it is written in."""

    expr: E.Expr
    fn: Fn


def elements(tracer: Tracer, expr: E.Expr, fn: Fn, depth: int = 6) -> list[Element]:
    """The elements of a list, tuple or set: displays, sums, names, appends; bounded in depth."""
    return list(_elements(tracer, expr, fn, depth))[: 4 * MANY]


def _elements(tracer: Tracer, expr: E.Expr, fn: Fn, depth: int) -> Iterator[Element]:
    if depth < 0:
        return
    match expr:
        case E.Items():
            for item in expr.items:
                if isinstance(item, E.Star):
                    yield from _elements(tracer, item.value, fn, depth - 1)
                else:
                    yield Element(item, fn)
        case E.Binary(op="+"):
            yield from _elements(tracer, expr.left, fn, depth - 1)
            yield from _elements(tracer, expr.right, fn, depth - 1)
        case E.Name() | E.Attr():
            yield from _named(tracer, expr, fn, depth)
        case E.Choice() | E.Logic():
            options = (expr.then, expr.otherwise) if isinstance(expr, E.Choice) else expr.values
            for option in options:
                yield from _elements(tracer, option, fn, depth - 1)
        case E.Comp(kind="list" | "set" | "generator"):
            yield Element(expr.element, fn)
        case E.Call(func=E.Name(id="list" | "tuple" | "set" | "sorted")) if expr.args:
            yield from _elements(tracer, expr.args[0].value, fn, depth - 1)
        case E.Call():
            for origin in tracer.local(expr, fn):
                if origin.kind == "display" and origin.expr is not None and not origin.steps:
                    yield from _elements(tracer, origin.expr, origin.fn, depth - 1)
        case _:
            return


def _named(tracer: Tracer, expr: E.Name | E.Attr, fn: Fn, depth: int) -> Iterator[Element]:
    for origin in tracer.local(expr, fn):
        if origin.kind == "display" and not origin.steps and isinstance(origin.expr, E.Items):
            yield from _elements(tracer, origin.expr, origin.fn, depth - 1)
    yield from added(tracer, expr, fn)


def added(tracer: Tracer, expr: E.Name | E.Attr, fn: Fn) -> Iterator[Element]:
    """What the same function adds to a named container: append, extend, insert, `+=`."""
    name = dotted(expr)
    for at in tracer.program.statements(fn):
        match at.stmt:
            case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=args)) if args:
                if dotted(base) == name:
                    yield from _put(tracer, attr, args, fn)
            case S.AugAssign(op="+=", target=target, value=value) if dotted(target) == name:
                yield from _elements(tracer, value, fn, 3)
            case _:
                continue


def _put(tracer: Tracer, attr: str, args: tuple[E.Arg, ...], fn: Fn) -> Iterator[Element]:
    if attr in ("append", "add", "appendleft"):
        yield Element(args[0].value, fn)
    elif attr == "insert" and len(args) > 1:
        yield Element(args[1].value, fn)
    elif attr in ("extend", "update"):
        yield from _elements(tracer, args[0].value, fn, 3)
