"""The loops that run tools of a model's choice, with all that they call."""

from __future__ import annotations

from agentcheck.rule import AgentGraph, AgentLoop, Fn, code_kind, find_dispatches

Group = list[tuple[AgentLoop, list[Fn]]]


def reached_from(graph: AgentGraph, fn: Fn, depth: int = 3) -> list[Fn]:
    """A function with what it calls in the target, nearest first."""
    found, frontier = {fn: None}, [fn]
    for _ in range(depth):
        following = []
        for here in frontier:
            for site, _call in graph.program.calls(here):
                for callee in graph.calls.callees(site):
                    if callee not in found:
                        found[callee] = None
                        following.append(callee)
        frontier = following
    return list(found)


def running_tools(graph: AgentGraph) -> Group:
    """The innermost loops that lead to a tool of the model's choice, the first of a function."""
    dispatching = {dispatch.fn for dispatch in find_dispatches(graph)}
    found: dict[Fn, tuple[AgentLoop, list[Fn]]] = {}
    for loop in graph.loops:
        if code_kind(loop.fn.file.path) == "code" and loop.fn not in found:
            functions = reached_from(graph, loop.fn)
            if not dispatching.isdisjoint(functions):
                found[loop.fn] = (loop, functions)
    return [pair for pair in found.values() if not _goes_around(graph, pair[0], set(found))]


def _goes_around(graph: AgentGraph, loop: AgentLoop, others: set[Fn]) -> bool:
    """Whether each turn of a loop runs another of the loops: a dialogue around an agent."""
    entered = [callee for site in loop.sites for callee in graph.calls.callees(site)]
    return any(fn in others - {loop.fn} for callee in entered for fn in reached_from(graph, callee))
