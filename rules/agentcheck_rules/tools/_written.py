"""From which arguments of a tool a value is built, and through which functions it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Place,
    Site,
    code_kind,
    descend,
    last_name,
    lazy_re,
    part,
)
from agentcheck_rules.tools._model_text import ModelText

DEPTH = 14
_FILE = lazy_re(r"file|path|name")
_NOT_GIVEN = frozenset(
    "self cls ctx context run_context wrapper config state runtime agent deps session run_manager "
    "tool_context".split()
)
_INJECTED = ("Context", "Injected", "Runtime", "Wrapper", "Depends", "Session", "Callback")


class Written(Struct, frozen=True):
    """What the model wrote: by which name, where, and the functions it went through.

    `first` is the function the model enters. `made` holds the shapes it was put into on the way.
    """

    name: str
    place: Place
    first: Fn
    through: tuple[Fn, ...] = ()
    made: tuple[str, ...] = ()
    entered: tuple[tuple[Fn, Site], ...] = ()


class Parts(Protocol):
    """Tells the parts of an expression that its value keeps, with the shape that keeps them."""

    def __call__(self, graph: AgentGraph, expr: E.Expr, fn: Fn) -> tuple[str, list[E.Expr]]: ...


class Trail(Struct, eq=False):
    """Follows values of one graph back to what the model gave its tools."""

    graph: AgentGraph
    parts: Parts
    bodies: set[Fn] = field(default_factory=set)
    _sites: dict[Fn, dict[int, Site]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bodies = ModelText(self.graph).bodies

    def back(self, expr: E.Expr, fn: Fn) -> list[Written]:
        """Everything the model wrote that the value of an expression keeps."""
        return list(self._back(expr, fn, Written("", fn.place(expr.span), fn), set(), DEPTH))

    def _back(
        self, expr: E.Expr, fn: Fn, so_far: Written, seen: set[tuple[int, Fn]], depth: int
    ) -> Iterator[Written]:
        if (id(expr), fn) in seen or depth < 0:
            return
        seen.add((id(expr), fn))
        here = so_far if fn in so_far.through else replace(so_far, through=(*so_far.through, fn))
        if isinstance(expr, E.Name):
            yield from self._name(expr, fn, here, seen, depth - 1)
        elif isinstance(expr, (E.Attr, E.Index)) or _looks_up(expr):
            yield from self._read(expr, fn, here, seen, depth - 1)
        elif isinstance(expr, E.Call) and (entered := self._entered(expr, fn)):
            for site, callee in entered:
                yield from self._helped(site, callee, here, seen, depth - 1)
        else:
            shape, kept = self.parts(self.graph, expr, fn)
            made = replace(here, made=(*here.made, shape)) if shape else here
            for inner in kept:
                yield from self._back(inner, fn, made, seen, depth - 1)

    def _helped(
        self, site: Site, callee: Fn, here: Written, seen: set[tuple[int, Fn]], depth: int
    ) -> Iterator[Written]:
        """Through what a helper returns; where that is unseen, by the names of its parameters."""
        inside = replace(here, entered=(*here.entered, (callee, site)))
        results = self.graph.tracer.results(callee)
        found = [w for r in results for w in self._back(r, callee, inside, seen, depth)]
        yield from found
        if not found and "path" in callee.name:
            through = replace(here, through=(*here.through, callee), made=(*here.made, "joined"))
            for name, given in self.graph.calls.bound(site, callee).items():
                if _FILE.search(name):
                    yield from self._back(given, site.fn, through, seen, depth)

    def _read(
        self, expr: E.Expr, fn: Fn, here: Written, seen: set[tuple[int, Fn]], depth: int
    ) -> Iterator[Written]:
        """`arguments["path"]` of a tool call, or a field of an object that is an argument."""
        if part(self.graph, expr, fn) == "arguments":
            yield replace(here, name=_key(expr), place=fn.place(expr.span), first=fn)
            return
        if self.parts(self.graph, expr, fn)[0] == "refused":
            return
        base = _base(expr)
        if isinstance(base, E.Name) and base.id not in _NOT_GIVEN:
            yield from self._back(base, fn, here, seen, depth)

    def _name(
        self, expr: E.Name, fn: Fn, here: Written, seen: set[tuple[int, Fn]], depth: int
    ) -> Iterator[Written]:
        host: Fn | None = fn
        while host is not None and expr.id not in self.graph.program.scope(host):
            host = self.graph.program.parent(host)
        for binding in self.graph.program.scope(host)[expr.id] if host is not None else ():
            if binding.how == "param" and binding.param is not None and host is not None:
                yield from self._param(binding.param, host, here, seen, depth)
            elif binding.expr is not None and binding.how in ("value", "element") and host:
                yield from self._back(binding.expr, host, here, seen, depth)

    def _param(
        self, param: E.Param, fn: Fn, here: Written, seen: set[tuple[int, Fn]], depth: int
    ) -> Iterator[Written]:
        if _is_injected(param):
            return
        if fn in self.bodies:
            yield replace(here, name=param.name, place=fn.place(param.span), first=fn)
            return
        known = next((s for f, s in reversed(here.entered) if f is fn), None)
        sites = [known] if known is not None else self.graph.calls.callers(fn)[:8]
        for site in sites:
            given = self.graph.calls.argument(site, fn, param)
            if given is not None and code_kind(site.fn.file.path) != "test":
                yield from self._back(given, site.fn, here, seen, depth)

    def _entered(self, call: E.Call, fn: Fn) -> list[tuple[Site, Fn]]:
        """The functions of the target that a call enters, constructors left out."""
        if fn not in self._sites:
            self._sites[fn] = {id(c): s for s, c in self.graph.program.calls(fn)}
        site = self._sites[fn].get(id(call))
        found = self.graph.calls.callees(site) if site is not None else []
        return [(site, f) for f in found if site and f.name not in ("__init__", "__call__")]


def _looks_up(expr: E.Expr) -> bool:
    return (
        isinstance(expr, E.Call)
        and isinstance(expr.func, E.Attr)
        and expr.func.attr == "get"
        and bool(expr.args)
        and isinstance(expr.args[0].value, E.Const)
    )


def _base(expr: E.Expr) -> E.Expr | None:
    match expr:
        case E.Attr() | E.Index():
            return expr.value
        case E.Call(func=E.Attr(value=value)):
            return value
        case _:
            return None


def _key(expr: E.Expr) -> str:
    texts = [e.value for e in descend(expr) if isinstance(e, E.Const) and isinstance(e.value, str)]
    return texts[-1] if texts else (last_name(expr) or "argument")


def _is_injected(param: E.Param) -> bool:
    if param.name.lstrip("_") in _NOT_GIVEN or param.kind in ("star", "double_star"):
        return True
    noted = descend(param.annotation) if param.annotation is not None else ()
    words = [last_name(e) or "" for e in noted if isinstance(e, (E.Name, E.Attr))]
    return any(part in word for word in words for part in _INJECTED)
