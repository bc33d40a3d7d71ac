"""Tools of one name in one registry, one list of schemas or one table."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Function,
    Place,
    S,
    Tool,
    code_kind,
    dotted,
    string,
)
from agentcheck_rules.tools._bodies import bodied

Where = Literal["registry", "list", "table"]
_SHAPES = frozenset({"parameters", "input_schema", "inputSchema"})


class Pair(Struct, frozen=True):
    """Two tools of one name, where both are put, and whose code that is."""

    name: str
    where: Where
    owner: str
    first: Place
    second: Place


def registered(graph: AgentGraph) -> Iterator[tuple[str, list[Tool]]]:
    """The tools of every registry (`@server.tool`) by name: each name with all that bear it."""
    groups: dict[tuple[Hashable, str], list[Tool]] = {}
    for tool, fn in bodied(graph):
        registry = _registry(graph, fn)
        if registry is not None and not _is_conditional(graph, fn):
            groups.setdefault((registry, tool.name), []).append(tool)
    yield from ((name, tools) for (_, name), tools in groups.items())


def _registry(graph: AgentGraph, fn: Fn) -> Hashable | None:
    """What identifies the object that a decorator of the function registers it with."""
    host = graph.program.parent(fn)
    for decorator in fn.facts.decorators if host is not None else ():
        func = decorator.func if isinstance(decorator, E.Call) else decorator
        if not isinstance(func, E.Attr) or not func.attr.startswith(("tool", "beta_tool")):
            continue
        origins = graph.tracer.local(func.value, host) if host is not None else ()
        if len(origins) == 1 and origins[0].kind == "call":
            return (id(origins[0].expr), origins[0].steps, func.attr)
        if len(origins) == 1 and origins[0].kind == "param":
            return (origins[0].fn, dotted(func.value), func.attr)
    return None


def _is_conditional(graph: AgentGraph, fn: Fn) -> bool:
    """Whether the definition stands in a branch, so that only one of two may be there."""
    host = graph.program.parent(fn)
    for at in graph.program.statements(host) if host is not None else ():
        stmt = at.stmt
        if isinstance(stmt, S.Define) and stmt.kind == "function" and stmt.index == fn.index:
            return any(isinstance(c.stmt, (S.If, S.Try, S.Match)) for c in at.around())
    return True


def shown(graph: AgentGraph) -> Iterator[Pair]:
    """Displays with two schemas of one name, and tables with one key for two functions."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.shaped(fn, E.Items, E.Entries):
            match site.expr:
                case E.Items(items=items):
                    yield from _schemas(items, fn)
                case E.Entries():
                    yield from _table(graph, site.expr, fn)
                case _:
                    continue


def _schemas(items: tuple[E.Expr, ...], fn: Fn) -> Iterator[Pair]:
    first: dict[str, E.Entries] = {}
    for item in items:
        name = _schema_name(item) if isinstance(item, E.Entries) else None
        if name is None or not isinstance(item, E.Entries):
            continue
        other = first.setdefault(name, item)
        if other is not item:
            yield Pair(name, "list", fn.qualname, fn.place(other.span), fn.place(item.span))


def _schema_name(shown: E.Entries) -> str | None:
    keys = {string(e.key): e.value for e in shown.entries if e.key is not None}
    inner = keys.get("function")
    if isinstance(inner, E.Entries) and string(keys.get("type")) == "function":
        return _schema_name(inner)
    return string(keys.get("name")) if keys.keys() & _SHAPES else None


def _table(graph: AgentGraph, shown: E.Entries, fn: Fn) -> Iterator[Pair]:
    """A key that stands twice in a display whose values are functions."""
    first: dict[str, E.Entry] = {}
    for entry in shown.entries:
        key = string(entry.key) if entry.key is not None else None
        if key is None or not isinstance(entry.key, E.Const):
            continue
        other = first.setdefault(key, entry)
        if other is entry or other.key is None:
            continue
        one, two = _function(graph, other.value, fn), _function(graph, entry.value, fn)
        if one is not None and two is not None and one is not two:
            places = fn.place(other.key.span), fn.place(entry.key.span)
            yield Pair(key, "table", fn.qualname, *places)


def _function(graph: AgentGraph, value: E.Expr, fn: Fn) -> Fn | None:
    found = [s.fn for s in graph.resolver.of(value, fn) if isinstance(s, Function)]
    return found[0] if len(found) == 1 else None
