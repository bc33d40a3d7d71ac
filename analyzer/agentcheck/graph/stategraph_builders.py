"""State graphs by the calls that construct them, and the expressions that stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.stategraph import StateGraph
from agentcheck.graph.text import argument, dotted, last_name, string
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place, Span

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# Methods of a builder or of what it makes that give the same graph again.
FLUENT = frozenset(
    "add_node add_edge add_conditional_edges add_sequence set_entry_point set_finish_point "
    "set_conditional_entry_point set_node_defaults compile with_config".split()
)
_DEPTH = 6


class Builders:
    """The graphs by the call that constructs each."""

    def __init__(self, graph: AgentGraph) -> None:
        self.graph = graph
        self.by_call: dict[int, StateGraph] = {}
        self._kinds = {n: f.name for f in graph.frameworks for k in f.graph for n in k.names}
        for site in self._constructions():
            framework = self._framework(site)
            if framework is not None:
                self.by_call[id(site.expr)] = StateGraph(_name(site), site, framework)

    @property
    def graphs(self) -> list[StateGraph]:
        """The graphs in source order."""
        return sorted(self.by_call.values(), key=lambda g: order(g.place))

    def _constructions(self) -> Iterator[Site]:
        index = self.graph.program.call_index
        for last in {name.rpartition(".")[2] for name in self._kinds}:
            yield from index.get(last, [])

    def _framework(self, site: Site) -> str | None:
        names = self.graph.resolver.dotted(site.call.func, site.fn)
        return next((self._kinds[n] for n in names if n in self._kinds), None)

    def of(self, expr: E.Expr, fn: Fn, depth: int = _DEPTH) -> list[StateGraph]:
        """The state graphs that an expression may be, compiled or not."""
        while isinstance(expr, E.Call) and id(expr) not in self.by_call:
            if not isinstance(expr.func, E.Attr) or expr.func.attr not in FLUENT:
                break
            expr = expr.func.value
        if id(expr) in self.by_call:
            return [self.by_call[id(expr)]]
        if depth < 0:
            return []
        origins = self.graph.tracer.of(expr, fn, up=3)
        built = [(o.expr, o.fn) for o in origins if o.kind == "call" and not o.steps]
        found = (g for e, f in built if e is not None and e is not expr for g in self._known(e, f))
        return list({id(g): g for g in found}.values())

    def _known(self, expr: E.Expr, fn: Fn) -> list[StateGraph]:
        if id(expr) in self.by_call:
            return [self.by_call[id(expr)]]
        fluent = isinstance(expr, E.Call) and last_name(expr.func) in FLUENT
        return self.of(expr, fn, _DEPTH - 3) if fluent else []


def order(place: Place) -> tuple[str, int, Span]:
    """What places are sorted by."""
    return place.file, place.cell or 0, place.span


def _name(site: Site) -> str:
    """The variable or attribute that the graph is kept in, else the function that makes it."""
    stmt = site.at.stmt
    if isinstance(stmt, S.Assign) and stmt.targets:
        return dotted(stmt.targets[0]) or "graph"
    named = argument(site.call, "name")
    return string(named) or (site.fn.name if site.fn.index else "graph")
