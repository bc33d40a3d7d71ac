"""Who runs a tool: agents and nodes of state graphs; and whether a person is asked on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.containers import elements
from agentcheck.graph.gate_tests import Gate
from agentcheck.graph.handles import Fn
from agentcheck.graph.roster import Agent
from agentcheck.graph.stategraph import Node, StateGraph
from agentcheck.graph.text import string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

# Where the ready-made agents of LangGraph and LangChain run their tools, and what comes before.
_TOOLS, _MODEL = frozenset({"tools", "*"}), frozenset({"agent", "model", "*"})


class Holder(Struct, frozen=True, eq=False):
    """An agent that is given a tool, or a node of a state graph that can run it."""

    agent: Agent | None = None
    within: StateGraph | None = None
    node: Node | None = None


def holders(graph: AgentGraph, tool: Tool) -> list[Holder]:
    """Every agent and node that can run a tool."""
    if graph.holders is None:
        graph.holders = {}
        for key, holder in _all(graph):
            graph.holders.setdefault(key, []).append(holder)
    return graph.holders.get(_key(tool), [])


def _key(tool: Tool) -> int:
    return id(tool.fn) if tool.fn is not None else id(tool)


def _all(graph: AgentGraph) -> Iterator[tuple[int, Holder]]:
    for agent in graph.agents:
        for tool in agent.tools:
            yield _key(tool), Holder(agent=agent)
    for within in graph.state_graphs:
        for node in within.nodes.values():
            for tool in node.tools if node.agent is None else ():
                yield _key(tool), Holder(within=within, node=node)


def holder_gates(graph: AgentGraph, tool: Tool) -> list[Gate]:
    """One gate a holder, if each of them asks somebody before it runs the tool; else none."""
    from agentcheck.graph.stategraph_gates import node_gate

    found = list[Gate]()
    for holder in holders(graph, tool):
        gate = None
        if holder.agent is not None:
            gate = agent_gate(graph, holder.agent, tool)
        elif holder.within is not None and holder.node is not None:
            gate = node_gate(graph, holder.within, holder.node, tool)
        if gate is None:
            return []
        found.append(gate)
    return found


def agent_gate(graph: AgentGraph, agent: Agent, tool: Tool) -> Gate | None:
    """What an agent is built with that asks a person before it runs a tool."""
    for framework in graph.frameworks:
        for approval in framework.approval:
            for arg in agent.call.args:
                fn = agent.site.fn
                if arg.name in approval.keywords and _covers(graph, arg, fn, tool):
                    return Gate("option", fn.place(arg.span), f"`{arg.name}` is given to the agent")
                gate = _asking_object(graph, arg.value, fn, tool, frozenset(approval.names))
                if gate is not None:
                    return gate
    return None


def _covers(graph: AgentGraph, arg: E.Arg, fn: Fn, tool: Tool) -> bool:
    """Whether an argument that speaks of approval holds for a tool."""
    if arg.name in ("interrupt_before", "interrupt_after"):
        names = {string(e.expr) for e in elements(graph.tracer, arg.value, fn)}
        names |= {string(o.expr) for o in graph.tracer.local(arg.value, fn)}
        return bool(names & (_TOOLS if arg.name == "interrupt_before" else _MODEL))
    for origin in graph.tracer.local(arg.value, fn):
        if isinstance(origin.expr, E.Entries):
            return _listed(origin.expr, tool)
        if isinstance(origin.expr, E.Const):
            return bool(origin.expr.value)
    return False


def _listed(entries: E.Entries, tool: Tool) -> bool:
    """`{"send_mail": True}`: the tool is in it, and not switched off."""
    for entry in entries.entries:
        if entry.key is not None and string(entry.key) == tool.name:
            return not (isinstance(entry.value, E.Const) and not entry.value.value)
    return any(entry.key is None for entry in entries.entries)


def _asking_object(
    graph: AgentGraph, given: E.Expr, fn: Fn, tool: Tool, names: frozenset[str]
) -> Gate | None:
    """`middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_mail": True})]`."""
    for element in elements(graph.tracer, given, fn):
        for origin in graph.tracer.local(element.expr, element.fn):
            made = origin.expr
            if not isinstance(made, E.Call) or origin.steps:
                continue
            if names & graph.resolver.dotted(made.func, origin.fn):
                asked = [a for a in made.args if _covers(graph, a, origin.fn, tool)]
                if asked or not made.args:
                    place = origin.fn.place(made.span)
                    return Gate("option", place, "the agent is given something that asks first")
    return None
