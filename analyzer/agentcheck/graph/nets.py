"""Nets of the target's own: context managers and decorators that may catch, and loose uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.handles import Fn, Klass, Site
from agentcheck.graph.resolve import Function, Instance
from agentcheck.graph.text import last_name
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})
_HANDING = frozenset({"to_thread", "run_in_executor", "submit", "partial"})


def manager_yields(graph: AgentGraph, value: E.Expr, fn: Fn) -> list[Site]:
    """The `yield`s of a generator of the target that a `with` statement enters."""
    func = value.func if isinstance(value, E.Call) else value
    return [
        site
        for symbol in graph.resolver.of(func, fn)
        if isinstance(symbol, Function)
        and any(_name(d) in _MANAGERS for d in symbol.fn.facts.decorators)
        for site in graph.program.shaped(symbol.fn, E.Yield)
        if isinstance(site.expr, E.Yield)
    ]


def _name(decorator: E.Expr) -> str | None:
    return last_name(decorator.func if isinstance(decorator, E.Call) else decorator)


def exit_swallows(graph: AgentGraph, value: E.Expr, fn: Fn) -> bool | None:
    """Whether `__exit__` of the target's own class stops exceptions; None when it may."""
    found: bool | None = False
    for symbol in graph.resolver.of(value, fn):
        if isinstance(symbol, Instance):
            answer = _swallows(graph, symbol.klass)
            found = answer if answer is not False else found
    return found


def _swallows(graph: AgentGraph, klass: Klass) -> bool | None:
    for name in ("__exit__", "__aexit__"):
        method = graph.resolver.method(klass, name)
        if method is None:
            continue
        returns = [
            (at.stmt.value, at.up is None)
            for at in graph.program.statements(method)
            if isinstance(at.stmt, S.Return) and at.stmt.value is not None
        ]
        if any(always and _constant(value) is True for value, always in returns):
            return True
        if any(_constant(value) not in (False, None) for value, _ in returns):
            return None
    return False


def _constant(value: E.Expr) -> object:
    """The value of a literal; the expression itself where it is none."""
    return value.value if isinstance(value, E.Const) else value


def wrapped_calls(graph: AgentGraph, decorator: E.Expr, fn: Fn) -> list[Site]:
    """Where the wrapper that a decorator of the target puts around a function calls it."""
    host = graph.program.parent(fn) or fn
    func = decorator.func if isinstance(decorator, E.Call) else decorator
    found: list[Site] = []
    for symbol in graph.resolver.of(func, host):
        if isinstance(symbol, Function) and symbol.fn is not fn:
            for inner in nested(graph, symbol.fn):
                found.extend(_calls_of_outer(graph, inner, symbol.fn))
    return found


def nested(graph: AgentGraph, fn: Fn) -> Iterator[Fn]:
    """The functions defined inside a function, at any depth."""
    for other in graph.program.functions[fn.file.path]:
        here = graph.program.parent(other)
        while here is not None and here is not fn:
            here = graph.program.parent(here)
        if here is fn:
            yield other


def _calls_of_outer(graph: AgentGraph, inner: Fn, outermost: Fn) -> Iterator[Site]:
    names = set[str]()
    here = graph.program.parent(inner)
    while here is not None:
        names |= {p.name for p in here.facts.params}
        here = graph.program.parent(here) if here is not outermost else None
    names -= set(graph.program.scope(inner))
    for site, call in graph.program.calls(inner):
        if any(isinstance(c, E.Name) and c.id in names for c in called(call)):
            yield site


def called(call: E.Call) -> Iterator[E.Expr]:
    """What a call calls: its callee, or the function that it hands to a thread."""
    yield call.func
    if last_name(call.func) in _HANDING:
        yield from (a.value for a in call.args[:2] if a.name is None and not a.star)


class Loose(Struct, frozen=True):
    """How a function is used as a value: `calls` of it through a parameter that was followed.

    `kept` when some use stores or returns it, so that nobody can say who calls it.
    """

    calls: tuple[Site, ...] = ()
    kept: bool = False


def loose_uses(graph: AgentGraph, fn: Fn) -> Loose:
    """Follow a function that is passed as a value; one handed to another package is not kept."""
    calls, kept = list[Site](), False
    for site in _values(graph, fn):
        around = [
            s
            for s in graph.program.sites(site.fn)
            if s.at.stmt is site.at.stmt
            and isinstance(s.expr, E.Call)
            and any(a.value is site.expr for a in s.expr.args)
        ]
        found = [c for s in around for c in _through_parameter(graph, s, site.expr)]
        inside = any(graph.calls.callees(s) for s in around)
        calls.extend(found)
        kept = kept or not around or (inside and not found)
    return Loose(tuple(calls), kept)


def _through_parameter(graph: AgentGraph, call: Site, given: E.Expr) -> Iterator[Site]:
    for callee in graph.calls.callees(call):
        names = {n for n, value in graph.calls.bound(call, callee).items() if value is given}
        for inner in (callee, *nested(graph, callee)):
            for site, used in graph.program.calls(inner):
                if any(isinstance(c, E.Name) and c.id in names for c in called(used)):
                    yield site


def _values(graph: AgentGraph, fn: Fn) -> Iterator[Site]:
    """The places that name a function without calling it."""
    for site in graph.program.value_index.get(fn.name, ()):
        if _means(graph, site, fn):
            yield site


def _means(graph: AgentGraph, site: Site, fn: Fn) -> bool:
    symbols = graph.resolver.of(site.expr, site.fn)
    if any(isinstance(s, Function) and s.fn is fn for s in symbols):
        return True
    if symbols or not isinstance(site.expr, E.Attr) or fn.facts.owner is None:
        return False
    return graph.program.together(site.fn, fn)
