"""What a list or a mapping holds, also what is added to it later and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.graph.handles import Fn
from agentcheck.graph.meanings import meanings
from agentcheck.graph.origins import MANY, Tracer
from agentcheck.graph.text import dotted, last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

# Calls that hand on the elements of their arguments.
_SAME = frozenset({"list", "tuple", "set", "sorted", "frozenset", "iter", "chain", "reversed"})
_ADDS = frozenset({"append", "add", "appendleft"})


class Element(Struct, frozen=True, eq=False):
    """One thing in a container: its expression and the function it is written in."""

    expr: E.Expr
    fn: Fn


def elements(tracer: Tracer, expr: E.Expr, fn: Fn, depth: int = 6) -> list[Element]:
    """The elements of a list, tuple or set: displays, sums, names, appends; bounded in depth.

    Parameters are what callers pass; what registering functions and decorators of the target put
    into it counts.
    """
    once = {id(e.expr): e for e in _elements(tracer, expr, fn, depth)}
    return list(once.values())[: 4 * MANY]


def values(tracer: Tracer, expr: E.Expr, fn: Fn, key: str | None = None) -> list[Element]:
    """What a mapping holds, or what it may hold under a key."""
    once = {id(e.expr): e for e in _values(tracer, expr, fn, 4, key)}
    return list(once.values())[: 4 * MANY]


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
        case E.Binary(op="+" | "|"):
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
        case E.Await() | E.Walrus():
            yield from _elements(tracer, expr.value, fn, depth - 1)
        case E.Call():
            yield from _called(tracer, expr, fn, depth)
        case _:
            return


def _named(tracer: Tracer, expr: E.Name | E.Attr, fn: Fn, depth: int) -> Iterator[Element]:
    known = meanings(tracer, expr, fn)
    for given, host in known:
        yield from _elements(tracer, given, host, depth - 1)
    for origin in tracer.local(expr, fn) if not known else ():
        if origin.kind == "display" and not origin.steps and isinstance(origin.expr, E.Items):
            yield from _elements(tracer, origin.expr, origin.fn, depth - 1)
    yield from added(tracer, expr, fn)
    if tracer.registered is not None:
        yield from tracer.registered(expr, fn, None)


def _called(tracer: Tracer, call: E.Call, fn: Fn, depth: int) -> Iterator[Element]:
    callees = [c for c in tracer.calls.callees(tracer.site(call, fn)) if c.name != "__init__"]
    name = last_name(call.func) or ""
    if callees:
        for callee in callees[:4]:
            for result in tracer.results(callee):
                if callee.facts.is_generator:
                    yield Element(result, callee)
                else:
                    yield from _elements(tracer, result, callee, depth - 1)
    elif isinstance(call.func, E.Attr) and name == "values":
        yield from _values(tracer, call.func.value, fn, depth - 1, None)
    elif isinstance(call.func, E.Attr) and name == "copy":
        yield from _elements(tracer, call.func.value, fn, depth - 1)
    elif name in _SAME:
        for arg in call.args:
            yield from _elements(tracer, arg.value, fn, depth - 1)


def _values(tracer: Tracer, expr: E.Expr, fn: Fn, depth: int, key: str | None) -> Iterator[Element]:
    if depth < 0:
        return
    match expr:
        case E.Entries(entries=entries):
            for entry in entries:
                if entry.key is None:
                    yield from _values(tracer, entry.value, fn, depth - 1, key)
                elif key is None or string(entry.key) in (None, key):
                    yield Element(entry.value, fn)
        case E.Comp(kind="dict", value=value) if value is not None:
            yield Element(value, fn)
        case E.Name() | E.Attr():
            for given, host in meanings(tracer, expr, fn):
                yield from _values(tracer, given, host, depth - 1, key)
            if tracer.registered is not None:
                yield from tracer.registered(expr, fn, key)
        case E.Binary(op="|", left=left, right=right):
            yield from _values(tracer, left, fn, depth - 1, key)
            yield from _values(tracer, right, fn, depth - 1, key)
        case _:
            return


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
    if attr in _ADDS:
        yield Element(args[0].value, fn)
    elif attr == "insert" and len(args) > 1:
        yield Element(args[1].value, fn)
    elif attr in ("extend", "update"):
        yield from _elements(tracer, args[0].value, fn, 3)
