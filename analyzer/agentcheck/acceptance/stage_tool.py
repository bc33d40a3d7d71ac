"""Tools that a test calls itself or has an agent call, and files that it imports."""

from __future__ import annotations

from pathlib import PurePosixPath

from agentcheck.acceptance.stage_runner import import_root, module_of
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effects import effects_of
from agentcheck.graph.handles import Site
from agentcheck.graph.roster import Agent
from agentcheck.graph.text import dotted
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


def module_names(graph: AgentGraph, path: str) -> dict[str, str]:
    """The names for a test that imports a file."""
    return {
        "shape": "module",
        "module": module_of(graph, path),
        "import_root": import_root(graph, path),
        "file": path,
        "folder": str(PurePosixPath(path).parent),
    }


def tool_names(graph: AgentGraph, tool: Tool) -> dict[str, str]:
    """The names for a test of one tool; with the agent that has it, where a module holds one."""
    fn = tool.fn
    if fn is None:
        return {}
    outer = graph.program.parent(fn)
    if outer is None or outer.index != 0:
        return {}
    names = {
        **module_names(graph, fn.file.path),
        "shape": "tool",
        "tool": fn.facts.qualname,
        "tool_name": tool.name,
        "effect": "yes" if effects_of(graph.tracer, tool) else "",
        **_holder(graph, tool),
    }
    return {key: value for key, value in names.items() if value}


def _holder(graph: AgentGraph, tool: Tool) -> dict[str, str]:
    """An agent of a framework that has the tool, held by a module under a name of its own."""
    for agent in graph.agents_near(tool):
        held = held_as(agent) if _has(agent, tool) else ""
        if held and agent.framework and agent.klass is None:
            path = agent.site.fn.file.path
            return {
                "agent_module": module_of(graph, path),
                "agent_root": import_root(graph, path),
                "agent": held,
                "framework": agent.framework,
            }
    return {}


def _has(agent: Agent, tool: Tool) -> bool:
    """Whether an agent was given a tool, or one of its own decorators made the function one."""
    if any(t is tool for t in agent.tools):
        return True
    if tool.fn is None or tool.fn.file is not agent.site.fn.file:
        return False
    made = (d.func if isinstance(d, E.Call) else d for d in tool.fn.facts.decorators)
    owners = {dotted(d.value) for d in made if isinstance(d, E.Attr)}
    return held_as(agent) in owners


def held_as(agent: Agent) -> str:
    """The module's own name for an agent: `triage_agent = Agent(...)` at the top of a file."""
    return held_by(agent.site)


def held_by(site: Site) -> str:
    """The module's own name for what a call at the top of a file makes; empty without one."""
    stmt = site.at.stmt
    if site.fn.index != 0 or not isinstance(stmt, S.Assign):
        return ""
    if stmt.value is not site.expr or len(stmt.targets) != 1:
        return ""
    name = dotted(stmt.targets[0]) or ""
    return name if name.isidentifier() else ""
