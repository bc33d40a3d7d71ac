"""Tools with what stands before them, and the agents that they run."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.diagram.details import tool_detail
from agentcheck.graph.diagram.sketch import Sketch, tool_key
from agentcheck.graph.effects import effects_of
from agentcheck.graph.gate_tests import Gate
from agentcheck.graph.gates import gates_of
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model.diagram import NodeKind


def draw_tools(sketch: Sketch) -> None:
    """The tools that no agent or model call was found for; they are served or used elsewhere."""
    for tool in sketch.graph.tools:
        draw_tool(sketch, tool)


def draw_tool(sketch: Sketch, tool: Tool) -> str | None:
    """The node of a tool, with its approvals; None for one that is not shown."""
    known = sketch.find(tool_key(tool))
    if known is not None or not sketch.shows(tool.place):
        return known
    effects = effects_of(sketch.graph.tracer, tool)
    kind: NodeKind = "effect-tool" if effects else "tool"
    if _hands_over(sketch, tool):
        kind = "handoff-tool"
    name = sketch.node(
        tool_key(tool),
        kind,
        tool.name,
        tool.place,
        framework=tool.framework,
        detail=tool_detail(tool, effects),
    )
    if tool.fn is not None:
        sketch.hosts.setdefault(tool.fn, name)
    for gate in gates_of(sketch.graph, tool, effects) if effects else ():
        sketch.edge(draw_gate(sketch, gate), name, "approves", gate.place)
    for agent in _agents_of(sketch, tool):
        sketch.edge(name, agent, "runs", tool.built.place if tool.built else tool.place)
    return name


def draw_gate(sketch: Sketch, gate: Gate) -> str:
    """The node of something that stands before an effect: one for each line and sentence."""
    key = ("approval", gate.place.file, gate.place.cell, gate.place.span.line, gate.says)
    return sketch.node(key, "approval", gate.says, gate.place)


def _hands_over(sketch: Sketch, tool: Tool) -> bool:
    return any(tool_key(t) == tool_key(tool) for t in sketch.graph.handoff_tools)


def _agents_of(sketch: Sketch, tool: Tool) -> Iterator[str]:
    """The agents that a tool is made of: `agent.as_tool(...)`, `AgentTool(agent)`."""
    if tool.built is None:
        return
    call = tool.built.call
    given = [arg.value for arg in call.args]
    if isinstance(call.func, E.Attr):
        given.append(call.func.value)
    for expr in given:
        for origin in sketch.graph.tracer.local(expr, tool.built.fn):
            agent = sketch.find(("built", id(origin.expr)))
            if agent is not None and not origin.steps:
                yield agent
