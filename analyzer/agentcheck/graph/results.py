"""What becomes of a tool's result: the places that refuse one and raise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.dispatch import Dispatch
from agentcheck.graph.guards import protection
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.raised import names_of
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph


def refused_results(graph: AgentGraph, dispatch: Dispatch) -> Iterator[Site]:
    """Every `raise` that nothing catches in a function that turns a tool's result into another."""
    names = _bound_names(dispatch.site)
    for site, call in graph.program.calls(dispatch.fn) if names else ():
        if any(isinstance(a.value, E.Name) and a.value.id in names for a in call.args):
            for callee in graph.calls.callees(site):
                if _returns(graph, callee):
                    yield from open_raises(graph, callee)


def _bound_names(site: Site) -> set[str]:
    """The names that the statement binds to the value of the call."""
    stmt = site.at.stmt
    value = stmt.value if isinstance(stmt, S.Assign) else None
    while isinstance(value, E.Await):
        value = value.value
    if not isinstance(stmt, S.Assign) or value is not site.expr:
        return set()
    return {t.id for t in stmt.targets if isinstance(t, E.Name)}


def _returns(graph: AgentGraph, fn: Fn) -> bool:
    """Whether a function returns something: one that only stores or prints refuses nothing."""
    return any(
        isinstance(at.stmt, S.Return) and at.stmt.value is not None
        for at in graph.program.statements(fn)
    )


def open_raises(graph: AgentGraph, fn: Fn) -> Iterator[Site]:
    """The `raise` statements of a function whose exception ends the run."""
    for at in graph.program.statements(fn):
        if not isinstance(at.stmt, S.Raise) or at.stmt.exc is None:
            continue
        site = Site(at.stmt.exc, at)
        names = names_of(graph, at.stmt.exc, fn)
        if names and protection(graph, site, sorted(names)).open and _is_built(at.stmt.exc):
            yield site


def _is_built(exc: E.Expr) -> bool:
    """Whether the exception is made here, from a class, and not one that was kept."""
    return any(isinstance(e, E.Call) for e in descend(exc))
