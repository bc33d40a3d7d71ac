"""Model calls that are started together, one for each item of a collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    Site,
    code_kind,
    descend,
    dotted,
    last_name,
    lazy_re,
)

Decides = Literal["model", "data", "program"]
_TOGETHER = frozenset(
    {"asyncio.gather", "asyncio.as_completed", "asyncio.wait", "asyncio.tasks.gather"}
)
_SAME = frozenset("enumerate zip list sorted tuple set reversed".split())
# Collections that a program is set up with, not data that comes in.
_SETUP = lazy_re(
    r"(agent|model|judge|expert|worker|provider|persona|role|critic|tool|strateg|backend|engine|"
    r"member|evaluator|reviewer|llm|client|specialist|analyst|variant|temperature)s?$",
    re.IGNORECASE,
)
_LIMITS = lazy_re(
    r"semaphore|limiter|throttl|rate_?limit|max_concurren|concurrency|batch|chunk|max_workers|"
    r"worker_pool|\bsem\b",
    re.IGNORECASE,
)
_ORDER = frozenset({"<", "<=", ">", ">="})


class FanOut(Struct, frozen=True, eq=False):
    """Calls started together. `asks` is the call made for each item, `items` the collection.

    `decides` tells who sets how many there are; `limit` is what holds their number down.
    """

    site: Site
    asks: E.Call
    items: E.Expr
    decides: Decides
    limit: Place | None


def fan_outs(graph: AgentGraph) -> Iterator[FanOut]:
    """Every place outside tests where model calls are started together for a collection."""
    for name in ("gather", "as_completed", "wait"):
        for site in graph.program.call_index.get(name, ()):
            known = graph.resolver.dotted(site.call.func, site.fn) & _TOGETHER
            if known and code_kind(site.fn.file.path) != "test":
                found = next(_started(graph, site), None)
                if found is not None:
                    asks, items = found
                    limit = _limit(graph, site.fn, asks, items)
                    yield FanOut(site, asks, items, _decides(graph, items, site.fn), limit)


def _started(graph: AgentGraph, site: Site) -> Iterator[tuple[E.Call, E.Expr]]:
    """The call for each item and the collection: a comprehension, or a list filled in a loop."""
    for arg in site.call.args[:1]:
        given = arg.value.value if isinstance(arg.value, E.Star) else arg.value
        for expr in _shown(graph, given, site.fn):
            if isinstance(expr, E.Comp) and expr.kind != "dict" and expr.loops:
                asks = _asking(graph, expr.element)
                if asks is not None:
                    yield asks, expr.loops[0].iter
        if isinstance(given, E.Name):
            yield from _appended(graph, given.id, site)


def _shown(graph: AgentGraph, given: E.Expr, fn: Fn) -> Iterator[E.Expr]:
    yield given
    if isinstance(given, E.Name):
        for binding in graph.program.scope(fn).get(given.id, ()):
            if binding.how == "value" and binding.expr is not None:
                yield binding.expr


def _asking(graph: AgentGraph, element: E.Expr) -> E.Call | None:
    for expr in descend(element):
        if isinstance(expr, E.Call) and graph.drives.ends.get(id(expr)):
            return expr
    return None


def _appended(graph: AgentGraph, name: str, site: Site) -> Iterator[tuple[E.Call, E.Expr]]:
    """`for item in items: tasks.append(ask(item))` in the function."""
    for other, call in graph.program.calls(site.fn):
        if dotted(call.func) == f"{name}.append" and call.args:
            asks = _asking(graph, call.args[0].value)
            loop = next(other.loops(), None)
            outer = any(x is loop for x in site.loops())
            if asks is not None and isinstance(loop, S.For) and not outer:
                yield asks, loop.iter


def _bare(items: E.Expr) -> E.Expr:
    """The collection within `enumerate`, `zip`, `list`, `.items()`."""
    while isinstance(items, E.Call):
        name, func = last_name(items.func), items.func
        if name in _SAME and items.args:
            items = items.args[0].value
        elif isinstance(func, E.Attr) and func.attr in ("items", "values", "keys"):
            items = func.value
        else:
            break
    return items


def _decides(graph: AgentGraph, items: E.Expr, fn: Fn) -> Decides:
    bare = _bare(items)
    if _is_set_up(bare):
        return "program"
    origins = [*graph.tracer.of(bare, fn), *graph.tracer.local(bare, fn)]
    if any(o.expr is not None and graph.drives.ends.get(id(o.expr)) for o in origins):
        return "model"
    steps = {s for o in origins for s in o.steps}
    if steps & {"tool_calls", "function_calls"}:
        return "model"
    fixed = [o for o in origins if isinstance(o.expr, (E.Items, E.Entries)) and not o.steps]
    filled = any(isinstance(o.expr, E.Items) and not o.expr.items for o in fixed)
    return "program" if fixed and not filled and len(fixed) == len(origins) else "data"


def _is_set_up(bare: E.Expr) -> bool:
    match bare:
        case E.Items() | E.Entries():
            return True
        case E.Call(func=func):
            return last_name(func) in ("range", "islice", "sample", "batched")
        case E.Index(index=E.Slice()):
            return True
        case E.Name(id=name) | E.Attr(attr=name):
            return name.isupper() or bool(_SETUP.search(name))
        case _:
            return False


def _limit(graph: AgentGraph, fn: Fn, asks: E.Call, items: E.Expr) -> Place | None:
    """A semaphore, a batch or a slice: in the function, what it calls, or their class."""
    name = dotted(_bare(items))
    for site in graph.program.sites(fn):
        if _cuts(site.expr, name):
            return site.place
    near = [fn]
    for site, call in graph.program.calls(fn):
        if call is asks:
            near += graph.calls.callees(site)
    for here in tuple(near):
        near += [f for site, _ in graph.program.calls(here) for f in graph.calls.callees(site)]
        klass = graph.program.self_class(here)
        near += [m for m in (klass.methods.get("__init__"),) if m] if klass is not None else []
    for here in dict.fromkeys(near):
        place = _speaks(here)
        if place is not None:
            return place
    return None


def _cuts(expr: E.Expr, name: str | None) -> bool:
    """A slice of the collection, or a comparison of its length."""
    match expr:
        case E.Index(index=E.Slice()):
            return True
        case E.Compare(ops=ops) if _ORDER & set(ops) and name is not None:
            return any(
                isinstance(e, E.Call) and last_name(e.func) == "len" and dotted(a.value) == name
                for e in descend(expr)
                for a in (e.args if isinstance(e, E.Call) else ())
            )
        case _:
            return False


def _speaks(fn: Fn) -> Place | None:
    span = fn.facts.span
    first = span.line if fn.index else 0
    for text in fn.file.lines[first - 1 : span.end_line] if first else ():
        if _LIMITS.search(text.partition("#")[0]):
            return fn.place(fn.facts.name_span)
    return None
