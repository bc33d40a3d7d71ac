"""Where the target itself runs what a model's tool calls ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct, field

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.resolve import ClassRef, Function, ModuleRef
from agentcheck.graph.text import dotted, last_name
from agentcheck.graph.toolcalls import name_tests, near_calls, part
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

How: TypeAlias = Literal["mapping", "getattr", "executor", "spread", "method", "tests"]
EXECUTORS = frozenset(
    "call_tool execute_tool run_tool invoke_tool use_tool call_function execute_function".split()
)
# Methods of a tool that run it, and fields of a tool that hold its function.
_RUNS = frozenset("execute run invoke ainvoke arun _run call forward __call__".split())
_HOLDS = frozenset("func function fn handler callable callback coroutine method impl".split())
_THREADS = {"to_thread": 0, "submit": 0, "partial": 0, "run_in_executor": 1}
# Calls of such a name make or fill an object of the keywords.
_MAKERS = frozenset("dict format update model_validate print render".split())


class Dispatch(Struct, eq=False):
    """A call that runs a tool of the model's choice. `lookup` is where its name is looked up."""

    site: Site
    how: How
    lookup: Site | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.site.fn


def find_dispatches(graph: AgentGraph) -> list[Dispatch]:
    """Every place where the target runs a tool that the model named, in source order."""
    if graph.dispatches is None:
        graph.dispatches = _find_dispatches(graph)
    return graph.dispatches


def _find_dispatches(graph: AgentGraph) -> list[Dispatch]:
    found: list[Dispatch] = []
    for fn in near_calls(graph):
        for site, call in graph.program.calls(fn):
            dispatch = _dispatch(graph, site, call)
            if dispatch is not None:
                found.append(dispatch)
    return sorted(found, key=lambda d: d.site.place)


def _dispatch(graph: AgentGraph, site: Site, call: E.Call) -> Dispatch | None:
    if not call.args and not isinstance(call.func, E.Index):
        return None
    callee = called_value(call)
    looked_up = _lookup(graph, callee, site)
    if looked_up is not None and _looks_up_name(graph, looked_up, site.fn):
        lookup = _site_of(graph, looked_up, site)
        if lookup is not None:
            return _looked_up(graph, site, call, callee, lookup)
    if _spreads_arguments(graph, site, call) and not _makes_object(callee):
        return _chosen(graph, site, callee, looked_up)
    if isinstance(callee, E.Attr) and callee.attr in EXECUTORS and _given(graph, site, call):
        return Dispatch(site, "executor")
    if isinstance(callee, E.Attr) and callee.attr in _RUNS and _on_a_tool(graph, callee, site):
        return Dispatch(site, "method")
    return None


def called_value(call: E.Call) -> E.Expr:
    """What a call runs: its callee, or the function that it gives to a thread."""
    position = _THREADS.get(last_name(call.func) or "")
    if position is None or len(call.args) <= position:
        return call.func
    given = call.args[position]
    return call.func if given.name or given.star else given.value


def _looked_up(
    graph: AgentGraph, site: Site, call: E.Call, callee: E.Expr, lookup: Site
) -> Dispatch | None:
    """`tools[name](...)` and `tool.run(...)`; of other methods, those given `**arguments`."""
    through = isinstance(callee, E.Attr) and callee.attr not in _RUNS | _HOLDS
    is_getter = lookup.expr is call
    if is_getter or (through and not _spreads_arguments(graph, site, call)):
        return None
    by_getattr = isinstance(lookup.expr, E.Call) and last_name(lookup.expr.func) == "getattr"
    return Dispatch(site, "getattr" if by_getattr else "mapping", lookup)


def _lookup(graph: AgentGraph, callee: E.Expr, site: Site) -> E.Expr | None:
    """What the callee was looked up by: `tools[name]`, `tools.get(name)`, `getattr(m, name)`."""
    base = callee
    while type(base) is E.Attr:
        base = base.value
    if type(base) is not E.Name:
        return base if isinstance(base, (E.Index, E.Call)) else None
    for binding in graph.program.scope(site.fn).get(base.id, ()):
        expr = binding.expr
        while type(expr) is E.Await:
            expr = expr.value
        if (type(expr) is E.Index or type(expr) is E.Call) and binding.how == "value":
            return expr
    return None


def _site_of(graph: AgentGraph, expr: E.Expr, near: Site) -> Site | None:
    """An expression of the same function as a site; None for one that is part of no statement."""
    return next((s for s in graph.program.sites(near.fn) if s.expr is expr), None)


def _looks_up_name(graph: AgentGraph, lookup: E.Expr, fn: Fn) -> bool:
    """Whether a look-up takes a name from the model, or finds the one tool that has it."""
    match lookup:
        case E.Index(index=key):
            return not isinstance(key, E.Slice) and part(graph, key, fn) == "name"
        case E.Call(func=E.Attr(attr="get"), args=args) if args:
            return part(graph, args[0].value, fn) == "name"
        case E.Call(func=E.Name(id="getattr"), args=args) if len(args) > 1:
            return part(graph, args[1].value, fn) == "name"
        case E.Call(func=E.Name(id="next"), args=args) if args:
            return any(
                isinstance(e, E.Compare) and part(graph, side, fn) == "name"
                for e in descend(args[0].value)
                if isinstance(e, E.Compare)
                for side in (e.left, *e.rights)
            )
        case _:
            return False


def _spreads_arguments(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    spread = [a.value for a in call.args if a.star == "**"]
    return any(part(graph, value, site.fn) == "arguments" for value in spread)


def _any_part(graph: AgentGraph, site: Site, call: E.Call, *wanted: str) -> bool:
    return any(part(graph, a.value, site.fn) in wanted for a in call.args)


def _makes_object(callee: E.Expr) -> bool:
    last = last_name(callee) or ""
    return last[:1].isupper() or last in _MAKERS


def _chosen(
    graph: AgentGraph, site: Site, callee: E.Expr, looked_up: E.Expr | None
) -> Dispatch | None:
    """A call with `**arguments` whose callee is chosen at run time, or by tests of the name."""
    if name_tests(graph, site):
        return Dispatch(site, "tests")
    if _is_fixed(graph, site, callee):
        return None
    return Dispatch(site, "spread", _site_of(graph, looked_up, site) if looked_up else None)


def _is_fixed(graph: AgentGraph, site: Site, callee: E.Expr) -> bool:
    """Whether the same function is called whatever the model chose."""
    match callee:
        case E.Name():
            return not _is_local_value(graph, callee.id, site.fn)
        case E.Attr(attr=attr, value=value):
            telling = attr in _RUNS | _HOLDS | EXECUTORS
            return not telling or _is_known_object(graph, value, site.fn)
        case _:
            return False


def _is_local_value(graph: AgentGraph, name: str, fn: Fn) -> bool:
    """Whether a name is a parameter or a variable of a function, not a definition or import."""
    here: Fn | None = fn
    while here is not None:
        bindings = graph.program.scope(here).get(name)
        if bindings:
            return here.index != 0 and any(b.how not in ("define", "import") for b in bindings)
        here = graph.program.parent(here)
    return False


def _is_known_object(graph: AgentGraph, value: E.Expr, fn: Fn) -> bool:
    """Whether a receiver is `self`, a module or a class: nothing that was chosen."""
    root = value
    while isinstance(root, E.Attr):
        root = root.value
    if isinstance(root, E.Name) and not _is_local_value(graph, root.id, fn):
        return True
    own = graph.program.self_class(fn) is not None and dotted(value) in ("self", "cls")
    symbols = graph.resolver.of(value, fn)
    return own or any(isinstance(s, (ModuleRef, ClassRef)) for s in symbols)


def _given(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    return not graph.calls.callees(site) and _any_part(
        graph, site, call, "name", "arguments", "call"
    )


def _on_a_tool(graph: AgentGraph, callee: E.Attr, site: Site) -> bool:
    """`tool.run(arguments)` where the receiver's name, or a look-up, says that it is a tool.

    A method that is known, and that no subclass could replace, is looked into instead.
    """
    if not _any_part(graph, site, site.call, "arguments"):
        return False
    callees = graph.calls.callees(site)
    if callees and not any(_is_replaced(graph, c) for c in callees):
        return False
    words = (dotted(callee.value) or "").lower()
    return "tool" in words or "function" in words or _lookup(graph, callee, site) is not None


def _is_replaced(graph: AgentGraph, method: Fn) -> bool:
    """Whether another class of the target inherits from the one with the method."""
    owner = graph.program.owner(method)
    return owner is not None and any(
        k is not owner and owner in graph.resolver.mro(k) for k in graph.program.every_class()
    )


def reached(graph: AgentGraph, dispatch: Dispatch) -> list[Fn]:
    """The functions of the target that a dispatch may run, where all of them are known."""
    if dispatch.how == "tests":
        return list(graph.calls.callees(dispatch.site))
    table = _table(dispatch.lookup)
    found = list[Fn]()
    for value, fn in _values(graph, table, dispatch.fn) if table is not None else ():
        functions = [s.fn for s in graph.resolver.of(value, fn) if isinstance(s, Function)]
        if not functions:
            return []
        found.extend(functions)
    return found


def _table(lookup: Site | None) -> E.Expr | None:
    match lookup.expr if lookup is not None else None:
        case E.Index(value=value):
            return value
        case E.Call(func=E.Attr(attr="get", value=value)):
            return value
        case _:
            return None


def _values(graph: AgentGraph, table: E.Expr, fn: Fn) -> Iterator[tuple[E.Expr, Fn]]:
    for origin in graph.tracer.of(table, fn):
        if isinstance(origin.expr, E.Entries) and not origin.steps:
            yield from ((e.value, origin.fn) for e in origin.expr.entries)
        else:
            yield table, fn
