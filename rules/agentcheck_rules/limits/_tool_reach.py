"""The functions that run when a model calls a tool."""

from __future__ import annotations

from functools import lru_cache

from agentcheck.rule import AgentGraph, Fn, Tool, code_kind

DEPTH = 3


@lru_cache(maxsize=1)
def tool_functions(graph: AgentGraph) -> dict[Fn, Tool]:
    """Every function that a tool's body enters, with the first tool that does."""
    found: dict[Fn, Tool] = {}
    for tool in graph.tools:
        if tool.fn is not None and code_kind(tool.fn.file.path) != "test":
            _enter(graph, tool, tool.fn, DEPTH, found)
    return found


def _enter(graph: AgentGraph, tool: Tool, fn: Fn, depth: int, found: dict[Fn, Tool]) -> None:
    if fn in found:
        return
    found[fn] = tool
    for site, _ in graph.program.calls(fn) if depth else ():
        for callee in graph.calls.callees(site):
            _enter(graph, tool, callee, depth - 1, found)


@lru_cache(maxsize=1)
def loop_functions(graph: AgentGraph) -> list[Fn]:
    """The functions that a turn of an agent's loop calls, those that hold a loop left out."""
    holders = {loop.fn for loop in graph.loops}
    stmts = {id(loop.stmt) for loop in graph.loops}
    found: dict[Fn, None] = {}
    for fn in holders:
        if code_kind(fn.file.path) == "test":
            continue
        for site, _ in graph.program.calls(fn):
            in_loop = any(id(loop) in stmts for loop in site.loops())
            for callee in graph.calls.callees(site) if in_loop else ():
                if callee not in holders:
                    found[callee] = None
    return list(found)
