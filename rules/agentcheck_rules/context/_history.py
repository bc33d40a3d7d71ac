"""Histories that grow: what is added to them, what is sent of them, and what shortens them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentcheck.rule import AgentGraph, E, Fn, Located, S, Site, last_name, lazy_re, slot

_ADDS = ("append", "extend", "insert", "add_message", "add_messages", "appendleft")
_WHOLE = ("to_input_list", "all_messages")
KEPT = lazy_re(
    r"hist|message|msgs|conver|context|thread|transcript|items|prompt|chat|memory|contents|log",
    re.IGNORECASE,
)


def growth(at: Located) -> str | None:
    """The slot that a statement makes longer; None for any other statement."""
    match at.stmt:
        case S.Do(value=E.Call(func=E.Attr(attr=attr, value=base), args=args)) if args:
            return slot(base) if attr in _ADDS else None
        case S.AugAssign(op="+=", target=target, value=value):
            name = slot(target)
            number = isinstance(value, E.Const) and not isinstance(value.value, str)
            return name if name and KEPT.search(name) and not number else None
        case S.Assign(targets=(target,), value=value) if value is not None:
            return _reassigned(whole_slice(target), value)
        case _:
            return None


def whole_slice(target: E.Expr) -> E.Expr:
    """`x` for `x[:]`."""
    whole = isinstance(target, E.Index) and isinstance(target.index, E.Slice)
    return target.value if whole and isinstance(target, E.Index) else target


def _reassigned(target: E.Expr, value: E.Expr) -> str | None:
    """`x = x + [...]`, `x = [*x, ...]`, `x = result.to_input_list()`."""
    name = slot(target)
    if name is None:
        return None
    match value:
        case E.Binary(op="+", left=left, right=right):
            parts: Iterable[E.Expr] = (left, right)
            return name if any(slot(p) == name or _is_whole(p) for p in parts) else None
        case E.Items(kind="list", items=items):
            stars = (i.value for i in items if isinstance(i, E.Star))
            return name if any(slot(s) == name for s in stars) else None
        case _:
            return name if _is_whole(value) else None


def _is_whole(value: E.Expr) -> bool:
    """The SDKs' own word for the whole conversation so far, not cut."""
    return isinstance(value, E.Call) and last_name(value.func) in _WHOLE


def sent(graph: AgentGraph, site: Site) -> set[str]:
    """The slots whose whole value goes into a call, through local names as well."""
    found: set[str] = set()
    for arg in site.call.args:
        found |= _slots(graph, arg.value, site.fn, 3)
    return found


def _slots(graph: AgentGraph, expr: E.Expr, fn: Fn, depth: int) -> set[str]:
    found: set[str] = set()
    for part in whole_parts(expr):
        name = slot(part)
        if name is None:
            continue
        found.add(name)
        if isinstance(part, E.Name) and depth:
            for binding in graph.program.scope(fn).get(part.id, ())[:6]:
                if binding.how == "value" and binding.expr is not None:
                    found |= _slots(graph, binding.expr, fn, depth - 1)
    return found


def whole_parts(expr: E.Expr) -> Iterator[E.Expr]:
    """The parts of an expression, slices and what is measured or indexed left out."""
    match expr:
        case E.Index(index=E.Slice()):
            return
        case E.Call(func=E.Name(id="len" | "str" | "print")):
            return
        case _ if slot(expr) is not None:
            yield expr
        case E.Call(func=func, args=args):
            if isinstance(func, E.Attr):
                yield from whole_parts(func.value)
            for arg in args:
                yield from whole_parts(arg.value)
        case E.Comp(loops=loops):
            for loop in loops:
                yield from whole_parts(loop.iter)
        case E.Items() | E.Entries() | E.Binary() | E.Star() | E.Await() | E.Template():
            yield from _below(expr)
        case E.Choice(then=then, otherwise=otherwise):
            yield from (*whole_parts(then), *whole_parts(otherwise))
        case E.Logic(values=values):
            for value in values:
                yield from whole_parts(value)
        case _:
            return


def _below(
    expr: E.Items | E.Entries | E.Binary | E.Star | E.Await | E.Template,
) -> Iterator[E.Expr]:
    inner: Iterable[E.Expr]
    match expr:
        case E.Items(items=inner) | E.Template(parts=inner):
            pass
        case E.Entries(entries=entries):
            inner = [e.value for e in entries]
        case E.Binary(left=left, right=right):
            inner = (left, right)
        case _:
            inner = (expr.value,)
    for part in inner:
        yield from whole_parts(part)
