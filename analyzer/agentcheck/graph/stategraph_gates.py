"""Approval a node away: whether a state graph asks somebody between the model and a tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.containers import elements
from agentcheck.graph.dispatch import find_dispatches
from agentcheck.graph.gate_tests import Gate, gates_in
from agentcheck.graph.handles import Fn
from agentcheck.graph.resolve import Function
from agentcheck.graph.stategraph import START, Edge, Node, StateGraph
from agentcheck.graph.text import last_name, string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph


def node_gate(graph: AgentGraph, one: StateGraph, node: Node, tool: Tool) -> Gate | None:
    """What asks before a node runs a tool: a stop of the graph, the node itself, one before it."""
    stop = one.interrupts_before(node.name)
    if stop is not None:
        return Gate("dispatch", stop.site.place, f"the graph stops before `{node.name}`")
    return (
        next(_within(graph, node), None)
        or _before(graph, one, node.name)
        or _sent_round(graph, one, node, tool)
    )


def _within(graph: AgentGraph, node: Node) -> Iterator[Gate]:
    """Gates in the node's own function, before it runs a tool, or in what its ToolNode is given."""
    if node.fn is not None:
        runs = [d.site for d in find_dispatches(graph) if d.fn is node.fn]
        for gate in gates_in(graph, node.fn, "dispatch", depth=1):
            if all(gate.is_before(site) for site in runs):
                yield gate
    for origin in _built(graph, node):
        for arg in origin[0].args:
            for symbol in graph.resolver.of(arg.value, origin[1]):
                if isinstance(symbol, Function):
                    yield from gates_in(graph, symbol.fn, "option", depth=1)


def _built(graph: AgentGraph, node: Node) -> Iterator[tuple[E.Call, Fn]]:
    for arg in node.site.call.args if node.fn is None else ():
        for origin in graph.tracer.local(arg.value, node.site.fn):
            if isinstance(origin.expr, E.Call) and not origin.steps:
                yield origin.expr, origin.fn


def _before(graph: AgentGraph, one: StateGraph, name: str) -> Gate | None:
    """The gate that every way from a node that asks a model to this one leads through."""
    seen, frontier, found = {name}, [name], list[Gate]()
    while frontier:
        here = frontier.pop()
        ways = _ways_to(one, here)
        if not ways:
            return None
        for edge in ways:
            gate = _on(graph, one, edge)
            if gate is not None:
                found.append(gate)
                continue
            source = one.nodes.get(edge.source)
            if edge.source == START or source is None or source.asks_model:
                return None
            if edge.source not in seen:
                seen.add(edge.source)
                frontier.append(edge.source)
    return found[0] if found else None


def _ways_to(one: StateGraph, name: str) -> list[Edge]:
    """The edges to a node, with those that may lead to it for all that can be told."""
    maybe = [Edge(source, name, place) for source, place in one.open if source is not None]
    return [*one.into(name), *maybe]


def _on(graph: AgentGraph, one: StateGraph, edge: Edge) -> Gate | None:
    """What asks on the way along an edge: its router, or the node that it leaves."""
    if edge.kind == "conditional" and edge.router is not None:
        tested = next(gates_in(graph, edge.router, "dispatch", depth=1), None)
        if tested is not None:
            return tested
    return _asked_in(graph, one, edge.source)


def _asked_in(graph: AgentGraph, one: StateGraph, name: str) -> Gate | None:
    """What asks in a node, after it has asked a model if it does that too."""
    stop = one.interrupts_after(name) or one.interrupts_before(name)
    node = one.nodes.get(name)
    if node is None:
        return None
    if stop is not None and (not node.asks_model or one.interrupts_after(name)):
        return Gate("dispatch", stop.site.place, f"the graph stops at `{name}`")
    if node.fn is None:
        return None
    asked = [s.expr.span.line for s in graph.drives.sites.get(node.fn, ())]
    for gate in gates_in(graph, node.fn, "dispatch", depth=1):
        after = gate.by is None or not asked or gate.by.expr.span.line > max(asked)
        if after and (_stops(gate) or len({e.target for e in one.out_of(name)}) > 1):
            return gate
    return None


def _stops(gate: Gate) -> bool:
    """Whether a gate is a stop of the graph itself, which a person must lift."""
    call = gate.by.expr if gate.by is not None else None
    return isinstance(call, E.Call) and last_name(call.func) == "interrupt"


def _sent_round(graph: AgentGraph, one: StateGraph, node: Node, tool: Tool) -> Gate | None:
    """A router that names the tool, and can lead to a node that asks before it lets it run."""
    for edge in one.into(node.name):
        asking = edge.router is not None and any(
            _asked_in(graph, one, other.target) is not None
            for other in one.out_of(edge.source)
            if other.router is edge.router and other.target != node.name
        )
        if asking and edge.router is not None and tool.name in _texts(graph, edge.router):
            return Gate("dispatch", edge.place, f"`{edge.router.name}` sends it to who asks first")
    return None


def _texts(graph: AgentGraph, fn: Fn) -> set[str]:
    """The strings that a function names, also in the lists that it refers to."""
    found = set[str]()
    for site in graph.program.sites(fn):
        if isinstance(site.expr, E.Const):
            found.add(string(site.expr) or "")
        elif isinstance(site.expr, E.Name):
            listed = elements(graph.tracer, site.expr, fn)
            found |= {string(e.expr) or "" for e in listed}
    return found
