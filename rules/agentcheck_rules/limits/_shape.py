"""What the limit rules say of a loop's function and of its callers."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Bound,
    Fn,
    Limit,
    Place,
    code_kind,
    default_of,
)


def unlimited_defaults(graph: AgentGraph, loop: AgentLoop) -> list[tuple[Fn, Limit]]:
    """The parameters behind the loop's limits whose default is no limit, nearest first."""
    return [found for bound in loop.bounds for found in open_defaults(graph, bound)]


def open_defaults(graph: AgentGraph, bound: Bound) -> Iterator[tuple[Fn, Limit]]:
    """The same of one bound."""
    for fn, param in bound.params:
        if (fn, param) not in bound.replaced:
            for limit in default_of(graph.tracer, fn, param.name):
                if limit.worth in ("infinite", "none"):
                    yield fn, limit


def passed_by(graph: AgentGraph, loop: AgentLoop) -> list[Place]:
    """The calls, tests apart, that leave such a parameter at its default; shipped code first."""
    found = []
    for bound in loop.bounds:
        for fn, param in bound.params:
            for site in graph.calls.callers(fn):
                given = graph.calls.argument(site, fn, param)
                left = given is None and not graph.calls.spreads(site)
                if left and code_kind(site.fn.file.path) != "test":
                    found.append(site)
    ranked = sorted(found, key=lambda s: (code_kind(s.fn.file.path), s.fn.index == 0, s.place))
    return list(dict.fromkeys(s.place for s in ranked))


def is_polled(graph: AgentGraph, loop: AgentLoop) -> bool:
    """Whether a loop only asks how a run that goes on elsewhere is doing."""
    ends = [end for site in loop.sites for end in graph.drives.ends_of(site)]
    return bool(ends) and all(getattr(end.data, "kind", "") == "poll" for end in ends)
