"""Agents and groups with what they are given."""

from __future__ import annotations

from agentcheck.graph.diagram.details import agent_detail
from agentcheck.graph.diagram.sketch import Sketch, at_place
from agentcheck.graph.diagram.tools import draw_tool
from agentcheck.graph.members import Link
from agentcheck.graph.roster import Agent
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E


def draw_agents(sketch: Sketch) -> None:
    """Every agent and group, then all that each is given."""
    agents = sketch.graph.agents
    for agent in agents:
        if sketch.shows(agent.site.place) and not _is_compiled(sketch, agent):
            _draw_agent(sketch, agent)
    for agent in agents:
        source = find_agent(sketch, agent)
        for link in agent.links if source is not None else ():
            _draw_link(sketch, source or "", link)


def find_agent(sketch: Sketch, agent: Agent) -> str | None:
    """The node of an agent, if it was drawn."""
    return sketch.find(("built", id(agent.site.expr)))


def _draw_agent(sketch: Sketch, agent: Agent) -> None:
    sketch.node(
        ("built", id(agent.site.expr)),
        "group" if agent.data is not None and agent.data.is_group else "agent",
        agent.name,
        agent.site.place,
        framework=agent.framework,
        detail=agent_detail(sketch, agent),
    )


def _is_compiled(sketch: Sketch, agent: Agent) -> bool:
    """Whether it is another agent or group made ready to run: `create_supervisor(...).compile()`.

    Both are then one node, that of what was built first.
    """
    func = agent.call.func
    if agent.data is None or not agent.data.is_group or not isinstance(func, E.Attr):
        return False
    for origin in sketch.graph.tracer.local(func.value, agent.site.fn):
        first = sketch.find(("built", id(origin.expr)))
        if first is not None and not origin.steps:
            sketch.alias(("built", id(agent.site.expr)), first)
            return True
    return False


def _draw_link(sketch: Sketch, source: str, link: Link) -> None:
    match link.target:
        case None:
            sketch.unresolved(source, link.kind, link.place, at_place(sketch, link.place))
        case Tool() as tool:
            target = draw_tool(sketch, tool)
            if target is not None:
                sketch.edge(source, target, link.kind, link.place)
        case agent:
            _draw_way(sketch, source, agent, link)


def _draw_way(sketch: Sketch, source: str, agent: Agent, link: Link) -> None:
    """From the agent or its handoff tool to another agent."""
    target = find_agent(sketch, agent)
    if target is None:
        return
    label = link.via.name if link.via is not None else None
    sketch.edge(source, target, link.kind, link.place, label)
