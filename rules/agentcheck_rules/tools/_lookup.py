"""Look-ups of a tool by the name the model gave."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    code_kind,
    descend,
    dotted,
    near_calls,
    part,
)

# Tables that have an entry for every key.
_FULL = frozenset({"collections.Counter", "collections.defaultdict"})


def bare_lookups(graph: AgentGraph) -> Iterator[tuple[Site, E.Index]]:
    """Every `tools[name]` read with a name from the model, outside tests."""
    for fn in near_calls(graph):
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.shaped(fn, E.Index):
            index = site.expr
            if isinstance(index, E.Index) and not _is_target(site) and _by_name(graph, site, index):
                yield site, index


def _is_target(site: Site) -> bool:
    match site.at.stmt:
        case S.Assign(targets=targets) | S.Delete(targets=targets):
            return any(t is site.expr for t in targets)
        case S.AugAssign(target=target):
            return target is site.expr
        case _:
            return False


def _by_name(graph: AgentGraph, site: Site, index: E.Index) -> bool:
    if isinstance(index.index, (E.Const, E.Slice)):
        return False
    return part(graph, index.index, site.fn) == "name" and not _is_full(graph, index.value, site.fn)


def _is_full(graph: AgentGraph, table: E.Expr, fn: Fn) -> bool:
    """Whether the table is one that has every key."""
    return any(
        isinstance(o.expr, E.Call)
        and not o.steps
        and graph.resolver.dotted(o.expr.func, o.fn) & _FULL
        for o in graph.tracer.of(table, fn)
    )


def is_tested(graph: AgentGraph, fn: Fn, key: E.Expr, depth: int = 2) -> bool:
    """Whether a key is tested for membership, in the function or by all who pass it."""
    if _tests_membership(graph, fn, dotted(key)):
        return True
    param = next((p for p in fn.facts.params if isinstance(key, E.Name) and p.name == key.id), None)
    if param is None or depth == 0:
        return False
    callers = [c for c in graph.calls.callers(fn) if code_kind(c.fn.file.path) != "test"]
    given = [(c.fn, graph.calls.argument(c, fn, param)) for c in callers]
    return bool(given) and all(
        v is not None and is_tested(graph, f, v, depth - 1) for f, v in given
    )


def _tests_membership(graph: AgentGraph, fn: Fn, key: str | None) -> bool:
    for other in graph.program.shaped(fn, E.Compare):
        if not isinstance(other.expr, E.Compare):
            continue
        for op in other.expr.ops:
            if op in ("in", "not in") and (key is None or dotted(other.expr.left) == key):
                return True
        if any(isinstance(e, E.Call) and dotted(e.func) == "hasattr" for e in descend(other.expr)):
            return True
    return False
