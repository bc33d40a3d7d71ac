"""Tools that start an agent which has the same tool."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Fn,
    Place,
    Site,
    Tool,
    argument,
    code_kind,
    find_dispatches,
    lazy_re,
    reached,
)

DEPTH = 3


class Spawn(Struct, frozen=True, eq=False):
    """A tool that starts an agent which has the same tool. `guard` is where depth is spoken of."""

    tool: Tool
    fn: Fn
    starts: Site
    guard: Place | None


_GUARD = lazy_re(
    r"depth|level|nest|recurs|exclude|without_|remaining|max_sub|max_agents|is_sub|sub_?agent_tools|"
    r"allowed_tools|disallow|!=\s*['\"]|not in"
)


def spawns(graph: AgentGraph) -> Iterator[Spawn]:
    """Every tool outside tests whose agent may call the tool again, with where it starts it."""
    for tool in graph.tools:
        fn = tool.fn
        if fn is None or code_kind(fn.file.path) == "test" or not graph.drives.reaches(fn):
            continue
        inside = _entered(graph, fn)
        starts = next(_starts(graph, fn, inside), None)
        if starts is not None:
            guard = next((p for f in inside for p in _speaks(f)), None)
            yield Spawn(tool, fn, starts, guard)


def _entered(graph: AgentGraph, fn: Fn) -> list[Fn]:
    found, frontier = [fn], [fn]
    for _ in range(DEPTH):
        frontier = [
            callee
            for here in frontier
            for site, _ in graph.program.calls(here)
            for callee in graph.calls.callees(site)
            if callee not in found
        ]
        found += frontier
    return list(dict.fromkeys(found))


def _starts(graph: AgentGraph, fn: Fn, inside: list[Fn]) -> Iterator[Site]:
    for run in graph.runs:
        given = run.data.agent
        agent = argument(run.call, given.keyword, given.position) if given else None
        if run.site.fn not in inside or agent is None:
            continue
        for origin in graph.tracer.of(agent, run.site.fn):
            built = [a for a in graph.agents if a.call is origin.expr]
            if any(t.fn is fn for a in built for t in a.tools):
                yield run.site
    for dispatch in find_dispatches(graph):
        if dispatch.fn in inside and dispatch.fn is not fn and fn in reached(graph, dispatch):
            yield dispatch.site


def _speaks(fn: Fn) -> Iterator[Place]:
    """The lines of a function that speak of depth or of tools left out."""
    span = fn.facts.span
    for at in fn.file.lines[span.line - 1 : span.end_line]:
        if _GUARD.search(at.partition("#")[0].lower()):
            yield fn.place(fn.facts.name_span)
            return
