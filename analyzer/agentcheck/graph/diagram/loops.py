"""Loops that ask a model, who starts them, and what their dispatchers run."""

from __future__ import annotations

from agentcheck.graph.agents import AgentLoop
from agentcheck.graph.diagram.details import loop_limit
from agentcheck.graph.diagram.sketch import Sketch, called
from agentcheck.graph.diagram.tools import draw_gate, draw_tool
from agentcheck.graph.dispatch import Dispatch, find_dispatches, reached
from agentcheck.graph.gate_tests import gates_in
from agentcheck.graph.handles import Fn
from agentcheck.graph.toolset import Tool

# More ways to start one loop than this say nothing about any of them.
STARTS = 6


def draw_loops(sketch: Sketch) -> None:
    """One node for each function with loops that ask a model, and what leads to it."""
    loops: dict[Fn, list[AgentLoop]] = {}
    for loop in sketch.graph.loops:
        if sketch.shows(loop.place):
            loops.setdefault(loop.fn, []).append(loop)
    for fn, own in loops.items():
        _draw_loop(sketch, fn, own)
    for fn in loops:
        _draw_starts(sketch, fn)
        _draw_owners(sketch, fn)


def _draw_loop(sketch: Sketch, fn: Fn, own: list[AgentLoop]) -> None:
    inner = max(own, key=lambda loop: loop.place)
    limit, host = loop_limit(inner.bounds), sketch.host(fn)
    if host is not None:  # a step or a tool that loops shows its loop itself
        sketch.tell(host, "limit", limit)
        return
    detail = {"limit": limit}
    sketch.hosts[fn] = sketch.node(("loop", fn), "loop", called(fn), inner.place, detail=detail)


def _draw_starts(sketch: Sketch, fn: Fn) -> None:
    """The loops, tools and steps that lead to a loop, else the functions that nobody calls."""
    target = sketch.host(fn)
    nodes, tops = sketch.above(fn)
    for node, place in nodes:
        if target is not None and node != target:
            sketch.edge(node, target, "runs", place)
    for top, place in tops[:STARTS]:
        if target is not None:
            sketch.edge(sketch.entry(top), target, "runs", place)


def _draw_owners(sketch: Sketch, fn: Fn) -> None:
    """The agents whose class has the loop among its methods."""
    owner, target = sketch.graph.program.owner(fn), sketch.host(fn)
    for agent in sketch.graph.agents if owner is not None else ():
        source = sketch.find(("built", id(agent.site.expr)))
        if source is None or target is None or agent.klass is None:
            continue
        if owner in sketch.graph.resolver.mro(agent.klass):
            sketch.edge(source, target, "runs", agent.site.place)


def draw_dispatchers(sketch: Sketch) -> None:
    """What a loop's dispatcher runs, and what it asks before that."""
    for dispatch in find_dispatches(sketch.graph):
        if sketch.shows(dispatch.site.place):
            _draw_dispatcher(sketch, dispatch)


def _draw_dispatcher(sketch: Sketch, dispatch: Dispatch) -> None:
    own = sketch.host(dispatch.fn)
    nodes = [own] if own is not None else [node for node, _ in sketch.above(dispatch.fn)[0]]
    for fn in reached(sketch.graph, dispatch):
        if not sketch.shows(sketch.head(fn)):
            continue
        tool = sketch.hosts.get(fn) or draw_tool(sketch, Tool(fn.name, fn, sketch.head(fn)))
        for node in nodes:
            if tool is not None and tool != node:
                sketch.edge(node, tool, "uses", dispatch.site.place)
    for gate in gates_in(sketch.graph, dispatch.fn, "dispatch", 1):
        if not gate.is_before(dispatch.site):
            continue
        approval = draw_gate(sketch, gate)
        for node in nodes:
            sketch.edge(approval, node, "approves", gate.place)
