"""What the rules about tool calls share."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    Fn,
    Protection,
    S,
    Site,
    related,
    tool_call_loops,
)
from agentcheck_rules.limits._shape import runner_names


def outside_tests(graph: AgentGraph, sites: list[Site]) -> list[Site]:
    """The sites that are not in test code."""
    from agentcheck.rule import code_kind

    return [s for s in sites if code_kind(s.fn.file.path) != "test"]


def looked_in(found: Protection, what: str) -> tuple[str, ...]:
    """What the challenge looked at, in words."""
    return tuple(f"{what} in `{name}`" for name in found.searched[:4])


def guard_evidence(found: Protection) -> CodeEvidence | None:
    """The `try` that catches it."""
    if found.guard is None:
        return None
    stmt, fn = found.guard
    return related(fn.place(stmt.span), "the error is caught here")


def batch_evidence(graph: AgentGraph, site: Site) -> Iterator[CodeEvidence]:
    """The loop over the tool calls of one reply around a site."""
    loops = list(tool_call_loops(graph, site.fn))
    for ctx in site.around():
        if isinstance(ctx.stmt, S.For) and ctx.stmt in loops:
            yield related(site.fn.place(ctx.stmt.span), "the calls of one reply are run in turn")


def dispatch_names(graph: AgentGraph, fn: Fn) -> dict[str, str]:
    """Names for a test: those of the runner whose class holds the dispatcher."""
    return runner_names(graph, fn)
