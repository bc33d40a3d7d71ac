"""Tools that a test calls itself, agents of a framework, and files that it imports."""

from __future__ import annotations

from agentcheck.acceptance.stage_runner import import_root
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.roster import Agent
from agentcheck.graph.text import dotted
from agentcheck.graph.toolset import Tool
from agentcheck.model import stmt as S


def module_names(graph: AgentGraph, path: str) -> dict[str, str]:
    """The names for a test that imports a file."""
    return {
        "shape": "module",
        "module": graph.program.modules.dotted_name(path),
        "import_root": import_root(graph, path),
    }


def tool_names(graph: AgentGraph, tool: Tool) -> dict[str, str]:
    """The names for a test of one tool; with the agent that has it, where a module holds one."""
    fn = tool.fn
    if fn is None or graph.program.owner(fn) is not None:
        return {}
    outer = graph.program.parent(fn)
    if outer is None or outer.index != 0:
        return {}
    holder = next((a for a in graph.agents if any(t is tool for t in a.tools)), None)
    return {
        **module_names(graph, fn.file.path),
        "shape": "tool",
        "tool": fn.name,
        "tool_name": tool.name,
        "framework": tool.framework or "",
        **(_holder(graph, holder) if holder is not None else {}),
    }


def agent_names(graph: AgentGraph, agent: Agent) -> dict[str, str]:
    """The names for a test of an agent that a module holds under a name."""
    held = _held(agent)
    if not held:
        return {}
    return {
        **module_names(graph, agent.site.fn.file.path),
        "shape": "agent",
        **_holder(graph, agent),
    }


def _holder(graph: AgentGraph, agent: Agent) -> dict[str, str]:
    held = _held(agent)
    if not held:
        return {}
    module = graph.program.modules.dotted_name(agent.site.fn.file.path)
    return {
        "agent_module": module,
        "agent_root": import_root(graph, agent.site.fn.file.path),
        "agent": held,
        "agent_framework": agent.framework or "",
    }


def _held(agent: Agent) -> str:
    """The module's own name for an agent: `triage_agent = Agent(...)` at the top of a file."""
    stmt = agent.site.at.stmt
    top = agent.site.fn.index == 0 and isinstance(stmt, S.Assign)
    if not top or not isinstance(stmt, S.Assign) or stmt.value is not agent.site.expr:
        return ""
    name = dotted(stmt.targets[0]) if len(stmt.targets) == 1 else None
    return name if name and name.isidentifier() else ""
