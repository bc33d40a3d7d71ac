"""Look-ups of a tool by the name the model gave."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, S, Site, code_kind, descend, dotted, part


def bare_lookups(graph: AgentGraph) -> Iterator[Site]:
    """Every `tools[name]` read with a name from the model, outside tests."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.sites(fn):
            if isinstance(site.expr, E.Index) and not _is_target(site) and _by_name(graph, site):
                yield site


def _is_target(site: Site) -> bool:
    stmt = site.at.stmt
    targets = stmt.targets if isinstance(stmt, (S.Assign, S.Delete)) else ()
    return any(t is site.expr for t in targets)


def _by_name(graph: AgentGraph, site: Site) -> bool:
    assert isinstance(site.expr, E.Index)
    if isinstance(site.expr.index, (E.Const, E.Slice)):
        return False
    return part(graph, site.expr.index, site.fn) == "name"


def guarded_lookup(graph: AgentGraph, site: Site) -> bool:
    """Whether a test of membership for the same key is made anywhere in the function."""
    assert isinstance(site.expr, E.Index)
    key = dotted(site.expr.index)
    for other in graph.program.sites(site.fn):
        if not isinstance(other.expr, E.Compare):
            continue
        for op in other.expr.ops:
            if op in ("in", "not in") and (key is None or dotted(other.expr.left) == key):
                return True
        if any(isinstance(e, E.Call) and dotted(e.func) == "hasattr" for e in descend(other.expr)):
            return True
    return False
