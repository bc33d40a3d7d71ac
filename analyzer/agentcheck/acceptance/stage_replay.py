"""How a recorded run is started anew: the agent it began with, and what runs that."""

from __future__ import annotations

from agentcheck.acceptance.stage_runner import import_root, module_of, runner_names
from agentcheck.acceptance.stage_tool import held_as
from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.roster import Agent
from agentcheck.model.kind import code_kind


def replay_names(graph: AgentGraph, agent: str | None, tools: set[str]) -> dict[str, str]:
    """The names for a replay that starts with an agent of that name; empty where none is found.

    `tools` are the names of those that were called: their functions are listed, for what they
    answered then is answered again.
    """
    found = _agent(graph, agent)
    if found is None:
        return {}
    path = found.site.fn.file.path
    names = {
        "agent_module": module_of(graph, path),
        "agent_root": import_root(graph, path),
        "agent": held_as(found),
        "tools": _tools(graph, tools),
    }
    if found.klass is None:
        return {"shape": "framework", "framework": found.framework or "", **names}
    runner = next((n for loop in graph.loops if (n := runner_names(graph, loop.fn))), {})
    return {**runner, **names} if runner else {}


def _agent(graph: AgentGraph, name: str | None) -> Agent | None:
    """The one agent of that name that a module holds; without a name, the only one there is."""
    held = [
        agent
        for agent in graph.agents
        if held_as(agent) and code_kind(agent.site.fn.file.path) != "test"
    ]
    named = [agent for agent in held if name in (agent.name, held_as(agent))] if name else held
    return named[0] if len(named) == 1 else None


def _tools(graph: AgentGraph, names: set[str]) -> str:
    """The functions of tools that hand nothing over, as "name=module:function"."""
    handing = {tool.name for tool in graph.handoff_tools}
    found = {
        f"{tool.name}={module_of(graph, tool.fn.file.path)}:{tool.fn.facts.qualname}"
        for tool in graph.tools
        if tool.name in names - handing and tool.fn is not None
    }
    return ",".join(sorted(found))
