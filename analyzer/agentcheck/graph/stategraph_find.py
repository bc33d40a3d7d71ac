"""Finds state graphs: their constructors, and the calls by which nodes and edges are added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.stategraph import END, START, Compiled, Edge, Node, StateGraph
from agentcheck.graph.stategraph_builders import FLUENT, Builders, order
from agentcheck.graph.stategraph_nodes import Nodes
from agentcheck.graph.stategraph_ways import Ways
from agentcheck.graph.text import argument
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph


def find_state_graphs(graph: AgentGraph) -> list[StateGraph]:
    """Every state graph of the target, in source order."""
    found = Finder(graph)
    if found.by_call:
        found.fill()
    return found.graphs


class Finder(Builders):
    """Adds to each graph what the target adds to it."""

    def __init__(self, graph: AgentGraph) -> None:
        super().__init__(graph)
        answers = {n: a for f in graph.frameworks for k in f.graph for n, a in k.answers.items()}
        self.ways = Ways(graph, answers)
        self.nodes = Nodes(graph, self)

    def fill(self) -> None:
        """Add nodes, then edges and what is compiled, to every graph."""
        for method in ("add_node", "add_sequence"):
            for one, site in self._uses(method):
                self._add_nodes(one, site, method)
        for method in sorted(FLUENT - {"add_node", "with_config", "set_node_defaults"}):
            for one, site in self._uses(method):
                self._connect(one, site, method)
        for one in self.graphs:
            for node in one.nodes.values():
                self._answer(one, node)
            one.edges.sort(key=lambda e: order(e.place))
        for one in self.graphs * 3:  # graphs within graphs within graphs
            self.nodes.settle(one)

    def _uses(self, method: str) -> Iterator[tuple[StateGraph, Site]]:
        sites = self.graph.program.call_index.get(method, [])
        for site in sorted(sites, key=lambda s: order(s.place)):
            if isinstance(site.call.func, E.Attr):
                for one in self.of(site.call.func.value, site.fn):
                    yield one, site

    def _add_nodes(self, one: StateGraph, site: Site, method: str) -> None:
        if method == "add_node":
            action = argument(site.call, "action", 1)
            named = argument(site.call, "node", 0)
            self._add_node(one, site, named if action is not None else None, action or named)
            return
        for item in self._sequence(site):
            pair = (
                item.items if isinstance(item, E.Items) and len(item.items) == 2 else (None, item)
            )
            self._add_node(one, site, *pair)

    def _sequence(self, site: Site) -> tuple[E.Expr, ...]:
        given = argument(site.call, "nodes", 0)
        return given.items if isinstance(given, E.Items) else ()

    def _add_node(
        self, one: StateGraph, site: Site, named: E.Expr | None, action: E.Expr | None
    ) -> None:
        node = self.nodes.made(site, action)
        names, is_open = (
            ({node.name}, not node.name) if named is None else self.ways.names(named, site.fn)
        )
        if is_open or not names:
            one.open.append((None, site.place))
        for name in sorted(names - {""}):
            given = node if len(names) == 1 else Node(name, site)
            given.name = name
            one.nodes.setdefault(name, given)

    def _connect(self, one: StateGraph, site: Site, method: str) -> None:
        call = site.call
        key = argument(call, "key", 0)
        match method:
            case "add_edge":
                starts = argument(call, "start_key", 0)
                self._edges(one, site, starts, argument(call, "end_key", 1))
            case "set_entry_point":
                self._edges(one, site, None, key)
            case "set_finish_point":
                self._edges(one, site, key, None)
            case "add_conditional_edges":
                self._choice(one, site, argument(call, "source", 0), 1)
            case "set_conditional_entry_point":
                self._choice(one, site, None, 0)
            case "add_sequence":
                added = [n.name for n in one.nodes.values() if n.site is site]
                one.edges += [Edge(a, b, site.place) for a, b in pairwise(added)]
            case "compile":
                one.compiled.append(self._compiled(site))
            case _:
                return

    def _ends(self, one: StateGraph, site: Site, expr: E.Expr | None, default: str) -> list[str]:
        if expr is None:
            return [default]
        names, is_open = self.ways.names(expr, site.fn)
        if is_open:
            one.open.append((None, site.place))
        return sorted(names)

    def _edges(
        self, one: StateGraph, site: Site, source: E.Expr | None, target: E.Expr | None
    ) -> None:
        for start in self._ends(one, site, source, START):
            for end in self._ends(one, site, target, END):
                one.edges.append(Edge(start, end, site.place))

    def _choice(self, one: StateGraph, site: Site, source: E.Expr | None, position: int) -> None:
        router = argument(site.call, "path", position)
        labels = argument(site.call, "path_map", position + 1)
        ways = self.ways.of_router(router, labels, site.fn)
        for start in self._ends(one, site, source, START):
            if ways.open:
                one.open.append((start, site.place))
            one.edges += [
                Edge(start, name, site.place, "conditional", ways.router, label)
                for name, label in ways.targets.items()
            ]

    def _answer(self, one: StateGraph, node: Node) -> None:
        """The edges that a node takes by its own answer."""
        listed = argument(node.site.call, "destinations")
        ways = self.ways.of_node(node.fn, listed, node.site.fn)
        if ways.open:
            one.open.append((node.name, node.place))
        known = {e.target for e in one.out_of(node.name)}
        one.edges += [
            Edge(node.name, name, node.place, "goto", node.fn)
            for name in ways.targets
            if name not in known
        ]

    def _compiled(self, site: Site) -> Compiled:
        stops = {
            keyword: tuple(self._stops(argument(site.call, keyword), site.fn))
            for keyword in ("interrupt_before", "interrupt_after")
        }
        return Compiled(site, argument(site.call, "checkpointer", 0), **stops)

    def _stops(self, given: E.Expr | None, fn: Fn) -> Iterable[str]:
        return sorted(self.ways.names(given, fn)[0]) if given is not None else ()
