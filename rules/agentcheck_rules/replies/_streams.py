"""Reads of the first element of a list that a reply or a chunk may leave empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Reply,
    S,
    Site,
    argument,
    code_kind,
    descend,
    find_replies,
    read_key,
    statements_below,
    string,
)
from agentcheck_rules.replies._conditions import conditions, is_number, looked_at

Why = Literal["usage", "azure", "blocked"]
_LISTS = frozenset({"choices", "candidates", "parts"})
_GEMINI = "google-genai"
# What tells that the list is there: the list itself, the reason why it is not, the usage that
# only the last chunk has.
_TELLING = {
    "choices": ("choices", "usage", "object", "prompt_filter_results"),
    "candidates": ("candidates", "prompt_feedback", "block_reason", "finish_reason", "parts"),
    "parts": ("parts", "content", "finish_reason", "prompt_feedback", "candidates", "text"),
}


class First(Struct, frozen=True, eq=False):
    """A read of the first element: which list, of which reply, and why it may be empty."""

    site: Site
    key: str
    reply: Reply
    why: Why


def firsts(graph: AgentGraph) -> Iterator[First]:
    """Every such read outside tests, of replies whose list is known to be empty at times."""
    at_risk = {id(r.call.site.expr): (r, w) for r in find_replies(graph) if (w := why(graph, r))}
    for fn in graph.program.every_function() if at_risk else ():
        if code_kind(fn.file.path) == "test":
            continue
        for site in graph.program.shaped(fn, E.Index):
            key = _first_of(site.expr)
            if key is not None:
                yield from _read(graph, site, key, at_risk)


def _first_of(expr: E.Expr) -> str | None:
    if not isinstance(expr, E.Index) or not is_number(expr.index):
        return None
    key = read_key(expr.value)
    return key if key in _LISTS else None


def _read(
    graph: AgentGraph, site: Site, key: str, at_risk: dict[int, tuple[Reply, Why]]
) -> Iterator[First]:
    value = site.expr.value if isinstance(site.expr, E.Index) else site.expr
    for origin in graph.tracer.of(value, site.fn, up=4):
        reply, why_empty = at_risk.get(id(origin.expr), (None, None))
        if reply is None or why_empty is None:
            continue
        if (key == "choices") == (why_empty != "blocked") and origin.names[-1:] == (key,):
            yield First(site, key, reply, why_empty)
            return


def why(graph: AgentGraph, reply: Reply) -> Why | None:
    """Why an element of the reply may lack what is read first; None where nothing says so."""
    if reply.call.framework == _GEMINI:
        return "blocked"
    call, data = reply.call.call, reply.call.data
    given = argument(call, data.stream_keyword) if data.stream_keyword else None
    if data.kind != "chat" or not _is_true(given):
        return None
    if _asks_usage(graph, reply):
        return "usage"
    named = graph.calls.external(reply.call.site)
    return "azure" if any("AzureOpenAI" in name for name in named) else None


def _asks_usage(graph: AgentGraph, reply: Reply) -> bool:
    options = argument(reply.call.call, "stream_options")
    shown = graph.tracer.of(options, reply.call.site.fn) if options is not None else ()
    return any(
        string(entry.key) == "include_usage" and _is_true(entry.value)
        for origin in shown
        if isinstance(origin.expr, E.Entries) and not origin.steps
        for entry in origin.expr.entries
    )


def _is_true(expr: E.Expr | None) -> bool:
    return isinstance(expr, E.Const) and expr.value is True


def told(graph: AgentGraph, first: First) -> E.Expr | None:
    """A test on the way to the read that tells whether the list is there."""
    for test in conditions(graph, first.site):
        for expr in looked_at(test):
            if _tells(graph, expr, first.site.fn, first.key):
                return test
    return None


def _tells(graph: AgentGraph, expr: E.Expr, fn: Fn, key: str) -> bool:
    if read_key(expr) in _TELLING[key]:
        return True
    return isinstance(expr, E.Name) and any(
        o.names[-1:] and o.names[-1] in _TELLING[key] for o in graph.tracer.local(expr, fn)
    )


def left_before(first: First) -> S.If | None:
    """A test of the finish reason that leaves the loop, before the chunk without choices comes."""
    if first.why != "usage":
        return None
    for loop in first.site.loops():
        for stmt in statements_below(loop):
            if isinstance(stmt, S.If) and "finish_reason" in map(read_key, descend(stmt.test)):
                last = stmt.body[-1]
                if isinstance(last, S.Return) or (
                    isinstance(last, S.Jump) and last.kind == "break"
                ):
                    return stmt
    return None
