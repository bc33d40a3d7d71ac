"""Functions that ask a model and call themselves again, and what counts their rounds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Function,
    Place,
    S,
    Site,
    code_kind,
    descend,
    function_asks,
    lazy_re,
    own_exprs,
    read_key,
)

_REPLY_KEYS = frozenset(
    "tool_calls tool_call function_call function_calls stop_reason finish_reason tool_use "
    "tool_uses".split()
)
_ORDER = frozenset({"<", "<=", ">", ">="})
_COUNTS = lazy_re(
    r"depth|level|nest|recurs|remaining|budget|turn|step|iter|retr|attempt|count|max_|limit|round"
)


class Again(Struct, frozen=True, eq=False):
    """A function that asks a model and is entered again. `by` is the helper between, if any.

    `bounded` is where its depth is counted, `asks` where the model is asked; `person` when a
    person is asked on every round.
    """

    fn: Fn
    site: Site
    asks: Site
    by: Fn | None
    bounded: Place | None
    person: bool


def recursions(graph: AgentGraph) -> Iterator[Again]:
    """Every such function outside tests that decides by the model's reply, once each."""
    for fn in graph.drives.sites:
        if code_kind(fn.file.path) == "test" or fn.index == 0 or not _by_reply(graph, fn):
            continue
        found = next(_again(graph, fn), None)
        if found is None:
            continue
        site, helper = found
        asks = _asks(graph, fn)
        if asks is not None and not _in_handler(site):
            place = _bounded(graph, fn, site, helper)
            person = function_asks(graph.calls, fn)
            yield Again(fn, site, asks, helper, place, person)


def _again(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, Fn | None]]:
    """Calls of the function itself, and of a helper that calls it."""
    for site, call in graph.program.calls(fn):
        if _is(graph, call, site.fn, fn):
            yield site, None
    for site, _ in graph.program.calls(fn):
        for helper in graph.calls.callees(site):
            if helper is fn or helper.file.path != fn.file.path:
                continue
            if any(_is(graph, call, helper, fn) for _, call in graph.program.calls(helper)):
                yield site, helper


def _is(graph: AgentGraph, call: E.Call, host: Fn, fn: Fn) -> bool:
    """Whether a callee is surely the function, not one of its name on another object."""
    symbols = graph.resolver.of(call.func, host)
    return any(isinstance(s, Function) and s.fn is fn for s in symbols)


def _asks(graph: AgentGraph, fn: Fn) -> Site | None:
    """The call by which the function asks a model other than by entering itself."""
    for site in graph.drives.sites[fn]:
        if all(callee is not fn for callee in graph.calls.callees(site)):
            return site
    return None


def _by_reply(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a test of the function reads what kind of reply the model gave."""
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, (S.If, S.Match, S.While, S.For)):
            for expr in own_exprs(at.stmt):
                if any(read_key(e) in _REPLY_KEYS or _named(e) for e in descend(expr)):
                    return True
    return False


def _named(expr: E.Expr) -> bool:
    return isinstance(expr, E.Name) and expr.id in _REPLY_KEYS


def _in_handler(site: Site) -> bool:
    return any(isinstance(c.stmt, S.Try) and c.part == "handler" for c in site.at.around())


def _bounded(graph: AgentGraph, fn: Fn, again: Site, helper: Fn | None) -> Place | None:
    """Where the rounds are counted: an argument that moves, a comparison, a named limit."""
    for arg in again.call.args:
        if _moves(arg.value) or (arg.name and _COUNTS.search(arg.name)):
            return fn.place(arg.span)
    near = [fn, *([helper] if helper is not None else [])]
    for here in near:
        place = compares(graph, here)
        if place is not None:
            return place
    for site, _ in graph.program.calls(fn):
        for callee in graph.calls.callees(site):
            raises = any(isinstance(a.stmt, S.Raise) for a in graph.program.statements(callee))
            place = compares(graph, callee) if raises and callee not in near else None
            if place is not None:
                return place
    return None


def _moves(expr: E.Expr) -> bool:
    """`depth + 1`, `turns - 1`."""
    return isinstance(expr, E.Binary) and any(
        isinstance(side, E.Const) and isinstance(side.value, (int, float))
        for side in (expr.left, expr.right)
    )


def compares(graph: AgentGraph, fn: Fn) -> Place | None:
    """Where a function compares by size, or tests something named for a count."""
    for site in graph.program.sites(fn):
        if isinstance(site.expr, E.Compare) and _ORDER & set(site.expr.ops):
            return site.place
        tested = isinstance(site.at.stmt, (S.If, S.While))
        name = site.expr.id if isinstance(site.expr, E.Name) else read_key(site.expr)
        if tested and name and _COUNTS.search(name.lower()):
            return site.place
    return None
