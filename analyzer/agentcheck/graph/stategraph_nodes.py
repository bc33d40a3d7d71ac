"""What a node of a state graph is: a function, an agent, another graph, or a runner of tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentcheck.graph.containers import elements
from agentcheck.graph.dispatch import Dispatch, find_dispatches
from agentcheck.graph.dispatched import looked_up
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.stategraph import Node, StateGraph
from agentcheck.graph.text import argument, last_name
from agentcheck.graph.toolset import Tool
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph
    from agentcheck.graph.roster import Agent
    from agentcheck.graph.stategraph_find import Finder

TOOL_NODES = frozenset({"ToolNode", "ToolExecutor"})
_RUNS = frozenset({"invoke", "ainvoke", "run", "arun", "func", "_run"})


class Nodes:
    """Makes nodes of what `add_node` is given."""

    def __init__(self, graph: AgentGraph, finder: Finder) -> None:
        self.graph = graph
        self.finder = finder
        self._agents = {id(a.site.expr): a for a in graph.agents}
        self._models = {n for f in graph.frameworks for c in f.model_call for n in c.client}
        self._memo: dict[Fn, list[Tool]] = {}

    def made(self, site: Site, action: E.Expr | None) -> Node:
        """The node that a call adds; its name is that of what it runs, "" if that has none."""
        if action is None:
            return Node("", site)
        below = self.finder.of(action, site.fn)
        if below:
            return Node(below[0].name, site, "subgraph", subgraph=below[0])
        agent = self._agent(action, site.fn)
        if agent is not None:
            return Node(agent.name, site, "agent", agent=agent, tools=list(agent.tools))
        held = self._tool_node(action, site.fn)
        if held is not None:
            return Node("tools", site, "tools", tools=held)
        return self._function(site, action)

    def _function(self, site: Site, action: E.Expr) -> Node:
        fn = self.finder.ways.function(action, site.fn)
        if fn is None:
            return Node("", site, asks_model=self._asks(action, site.fn))
        node = Node(fn.name, site, "function", fn)
        node.agent, node.subgraph = self._run_by(fn) or (self._given(action, site), None)
        node.tools = list(self.tools_of(fn))
        if self._runs_chosen(fn):
            node.kind = "tools"
        node.asks_model = self.graph.drives.reaches(fn)
        return node

    def settle(self, one: StateGraph) -> None:
        """Find out, once all graphs are complete, which nodes ask a model through others."""
        for node in one.nodes.values():
            below, agent = node.subgraph, node.agent
            asked = below is not None and below is not one and below.asks_model
            node.asks_model = node.asks_model or agent is not None or asked

    def _agent(self, expr: E.Expr, fn: Fn) -> Agent | None:
        for origin in self.graph.tracer.local(expr, fn):
            if origin.kind == "call" and not origin.steps and id(origin.expr) in self._agents:
                return self._agents[id(origin.expr)]
        return None

    def _run_by(self, fn: Fn) -> tuple[Agent | None, StateGraph | None] | None:
        """The one agent or state graph that a function runs."""
        found: dict[int, tuple[Agent | None, StateGraph | None]] = {}
        for site, call in self.graph.program.calls(fn):
            if isinstance(call.func, E.Attr) and self.graph.drives.ends_of(site):
                below = self.finder.of(call.func.value, fn)
                agent = None if below else self._agent(call.func.value, fn)
                if below or agent is not None:
                    found[id(below[0] if below else agent)] = agent, below[0] if below else None
        return next(iter(found.values())) if len(found) == 1 else None

    def _given(self, action: E.Expr, site: Site) -> Agent | None:
        """The agent in `partial(run_agent, agent=researcher)`."""
        given = action.args[1:] if isinstance(action, E.Call) else ()
        found = [self._agent(arg.value, site.fn) for arg in given]
        return next((agent for agent in found if agent is not None), None)

    def _asks(self, action: E.Expr, fn: Fn) -> bool:
        """Whether a lambda, or a chain such as `prompt | llm`, asks a model."""
        if any(self.graph.drives.ends.get(id(e)) for e in descend(action)):
            return True
        known = (
            self.graph.resolver.dotted(o.expr.func, o.fn)
            for o in self.graph.tracer.local(action, fn)
            if isinstance(o.expr, E.Call)
        )
        return any(names & self._models for names in known)

    def _tool_node(self, expr: E.Expr, fn: Fn) -> list[Tool] | None:
        """The tools of `ToolNode(tools)`; None for anything else."""
        for origin in self.graph.tracer.local(expr, fn):
            made = origin.expr
            if isinstance(made, E.Call) and last_name(made.func) in TOOL_NODES and not origin.steps:
                return list(self._held(argument(made, "tools", 0), origin.fn))
        return None

    def _held(self, expr: E.Expr | None, fn: Fn) -> Iterator[Tool]:
        if expr is not None and self.graph.toolbox is not None:
            for element in elements(self.graph.tracer, expr, fn):
                yield from self.graph.toolbox.of(element)

    def tools_of(self, fn: Fn) -> list[Tool]:
        """The tools that a function may run: by name, of the model's choice, or in a ToolNode."""
        if fn not in self._memo:
            self._memo[fn] = []
            found = {id(t): t for t in self._tools(fn)}
            self._memo[fn] = list(found.values())
        return self._memo[fn]

    def _tools(self, fn: Fn) -> Iterator[Tool]:
        known = {t.fn: t for t in self.graph.tools if t.fn is not None}
        for site, call in self.graph.program.calls(fn):
            func = call.func
            named = func.value if isinstance(func, E.Attr) and func.attr in _RUNS else func
            for origin in (*self.graph.calls.callees(site), *self._functions(named, fn)):
                if origin in known:
                    yield known[origin]
            if isinstance(func, E.Attr) and func.attr in _RUNS:
                yield from self._tool_node(func.value, fn) or ()
        for dispatch in self._dispatches(fn):
            if self.graph.toolbox is not None:
                yield from looked_up(self.graph, self.graph.toolbox, dispatch)

    def _functions(self, expr: E.Expr, fn: Fn) -> list[Fn]:
        found = (getattr(s, "fn", None) for s in self.graph.resolver.of(expr, fn))
        return [one for one in found if isinstance(one, Fn)]

    def _dispatches(self, fn: Fn) -> list[Dispatch]:
        """The dispatchers in a function and in the helpers that it calls."""
        within = {fn}
        for site, _ in self.graph.program.calls(fn):
            within |= set(self.graph.calls.callees(site))
        return [d for d in find_dispatches(self.graph) if d.fn in within]

    def _runs_chosen(self, fn: Fn) -> bool:
        if self._dispatches(fn):
            return True
        calls = (c.func for _, c in self.graph.program.calls(fn))
        return any(
            isinstance(f, E.Attr) and f.attr in _RUNS and self._tool_node(f.value, fn) is not None
            for f in calls
        )
