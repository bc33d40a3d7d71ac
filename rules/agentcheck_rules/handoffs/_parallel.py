"""Whether an agent's parallel tool calls are on."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Agent,
    AgentGraph,
    CodeEvidence,
    E,
    Fn,
    Place,
    S,
    argument,
    code_kind,
    related,
)


def parallel_off(graph: AgentGraph, agent: Agent) -> Place | None:
    """Where parallel tool calls are switched off for an agent; its place when given elsewhere."""
    keyword = (agent.data.parallel_keyword if agent.data else None) or "parallel_tool_calls"
    given = _dig(agent.call, keyword)
    if given is None:
        return agent.site.place if agent.spread else None
    values = [o.expr for o in graph.tracer.of(given, agent.site.fn)]
    on = any(isinstance(v, E.Const) and v.value is True for v in values)
    return None if on else agent.site.fn.place(given.span)


def _dig(call: E.Call, keyword: str) -> E.Expr | None:
    head, _, rest = keyword.partition(".")
    given = argument(call, head)
    if rest and isinstance(given, E.Call):
        return argument(given, rest)
    return given


def default_switch(graph: AgentGraph, near: Fn) -> Iterator[CodeEvidence]:
    """The field of an agent class of a function's program that leaves parallel tool calls on."""
    seen = set()
    for agent in graph.agents:
        klass = agent.klass
        if not graph.program.together(agent.site.fn, near):
            continue
        if klass is None or klass in seen or code_kind(klass.file.path) == "test":
            continue
        seen.add(klass)
        for stmt in klass.facts.body:
            if isinstance(stmt, S.Assign) and _is_parallel(stmt):
                yield related(klass.file.place(stmt.span), "parallel tool calls are on by default")


def _is_parallel(stmt: S.Assign) -> bool:
    names = [t.id for t in stmt.targets if isinstance(t, E.Name)]
    on = isinstance(stmt.value, E.Const) and stmt.value.value is True
    return on and any("parallel" in n for n in names)
