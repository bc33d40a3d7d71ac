"""State graphs: a group, its steps, and the ways between them."""

from __future__ import annotations

from agentcheck.graph.diagram.sketch import Sketch
from agentcheck.graph.diagram.tools import draw_gate, draw_tool
from agentcheck.graph.gate_tests import gates_in
from agentcheck.graph.stategraph import END, START, Edge, Node, StateGraph
from agentcheck.model.diagram import NodeKind


def draw_state_graphs(sketch: Sketch) -> None:
    """Every state graph, its steps before anything that they may run."""
    shown = [graph for graph in sketch.graph.state_graphs if sketch.shows(graph.place)]
    for graph in shown:
        _draw_group(sketch, graph)
    for graph in shown:
        for node in graph.nodes.values():
            _draw_step(sketch, graph, node)
        _draw_ways(sketch, graph)


def draw_steps_given(sketch: Sketch) -> None:
    """What the steps run and use, once agents and other graphs are drawn."""
    for graph in sketch.graph.state_graphs:
        for node in graph.nodes.values():
            step = sketch.find(("step", id(node)))
            if step is not None:
                _draw_given(sketch, step, node)


def _draw_group(sketch: Sketch, graph: StateGraph) -> None:
    """The node of a graph; the calls that compile it stand for it too."""
    name = sketch.node(
        ("built", id(graph.site.expr)),
        "group",
        _label(sketch, graph),
        graph.place,
        framework=graph.framework,
    )
    for compiled in graph.compiled:
        sketch.alias(("built", id(compiled.site.expr)), name)


def _label(sketch: Sketch, graph: StateGraph) -> str:
    """The name of what is run: that under which the graph is compiled, else its own."""
    sites = {id(compiled.site.expr) for compiled in graph.compiled}
    names = [a.name for a in sketch.graph.agents if id(a.site.expr) in sites]
    return next((name for name in names if name != "agent"), graph.name)


def _draw_step(sketch: Sketch, graph: StateGraph, node: Node) -> None:
    group = sketch.find(("built", id(graph.site.expr))) or ""
    kind: NodeKind = "step"
    name = sketch.node(("step", id(node)), kind, node.name, node.place, framework=graph.framework)
    sketch.edge(group, name, "member", node.place)
    if node.fn is not None:
        sketch.hosts.setdefault(node.fn, name)
        for gate in gates_in(sketch.graph, node.fn, "dispatch", 1):
            sketch.edge(draw_gate(sketch, gate), name, "approves", gate.place)
    for compiled in (graph.interrupts_before(node.name), graph.interrupts_after(node.name)):
        if compiled is not None:
            says = "stops for a person"
            asked = sketch.node(("stop", id(compiled)), "approval", says, compiled.site.place)
            sketch.edge(asked, name, "approves", compiled.site.place)


def _draw_ways(sketch: Sketch, graph: StateGraph) -> None:
    group = sketch.find(("built", id(graph.site.expr))) or ""
    for edge in graph.edges:
        source = group if edge.source == START else _step(sketch, graph, edge.source)
        if edge.target == END:
            target = sketch.node(("end", id(graph)), "end", "end", edge.place)
        else:
            target = _step(sketch, graph, edge.target) or ""
        if source and edge.router is not None:
            sketch.hosts.setdefault(edge.router, source)
        if source and target:
            sketch.edge(source, target, "next", edge.place, _answer(edge))
    for name, place in graph.open:
        source = group if name in (None, START) else _step(sketch, graph, name or "")
        sketch.unresolved(source or group, "next", place, "computed when it runs")


def _answer(edge: Edge) -> str | None:
    """The answer on which a way is taken; None where it is always."""
    if edge.kind == "always":
        return None
    if edge.label and edge.label != END:
        return edge.label
    return "to the end" if edge.target == END else f"to {edge.target}"


def _step(sketch: Sketch, graph: StateGraph, name: str) -> str | None:
    node = graph.nodes.get(name)
    return sketch.find(("step", id(node))) if node is not None else None


def _draw_given(sketch: Sketch, step: str, node: Node) -> None:
    if node.agent is not None:
        _runs(sketch, step, ("built", id(node.agent.site.expr)), node)
    if node.subgraph is not None:
        _runs(sketch, step, ("built", id(node.subgraph.site.expr)), node)
    for tool in node.tools:
        target = draw_tool(sketch, tool)
        if target is not None:
            sketch.edge(step, target, "uses", node.place)


def _runs(sketch: Sketch, step: str, key: tuple[str, int], node: Node) -> None:
    target = sketch.find(key)
    if target is not None:
        sketch.edge(step, target, "runs", node.place)
