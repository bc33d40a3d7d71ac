"""What the rules about tool calls share."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    E,
    Protection,
    S,
    Site,
    code_kind,
    last_name,
    related,
    tool_call_loops,
)


def outside_tests(sites: list[Site]) -> list[Site]:
    """The sites that are not in test code."""
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


# What a handler of broken arguments or of a missing name takes; a tool that fails raises others.
_NOT_OF_TOOLS = frozenset(
    "KeyError LookupError IndexError AttributeError JSONDecodeError ValidationError".split()
)


def narrow_guard(site: Site) -> CodeEvidence | None:
    """A handler around a call of a tool that takes some exceptions of the tool, not all."""
    for stmt in site.tries():
        for handler in stmt.handlers:
            kinds = handler.type.items if isinstance(handler.type, E.Items) else (handler.type,)
            names = {last_name(k) for k in kinds if k is not None} - _NOT_OF_TOOLS
            if names and not isinstance(handler.body[-1], S.Raise):
                return related(site.fn.place(stmt.span), "only some exceptions are caught here")
    return None


def batch_evidence(graph: AgentGraph, site: Site) -> Iterator[CodeEvidence]:
    """The loop over the tool calls of one reply around a site."""
    loops = list(tool_call_loops(graph, site.fn))
    for ctx in site.around():
        if isinstance(ctx.stmt, S.For) and ctx.stmt in loops:
            yield related(site.fn.place(ctx.stmt.span), "the calls of one reply are run in turn")
