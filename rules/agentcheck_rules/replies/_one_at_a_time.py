"""Whether a request asks for one tool call at most."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, Reply, Site, argument, string

_KEYWORDS = ("parallel_tool_calls", "disable_parallel_tool_use")
_OPEN = frozenset({"auto", "none", "required", "any", "NONE", "AUTO", "ANY"})
_OPEN_TYPES = frozenset({"auto", "none", "any"})


def one_at_a_time(graph: AgentGraph, fn: Fn, reply: Reply | None) -> str:
    """Why at most one call comes back, in words; empty where nothing says so.

    A file that mentions the switch anywhere is taken to know of it.
    """
    files = {fn.file.path: fn.file}
    if reply is not None:
        files[reply.call.site.fn.file.path] = reply.call.site.fn.file
    if any(word in line for file in files.values() for line in file.lines for word in _KEYWORDS):
        return "parallel calls are switched off, or may be"
    for call, host in _requests(graph, fn, reply):
        choice = argument(call, "tool_choice")
        if choice is not None and _names_one(graph, choice, host):
            return "the request names the one tool to call"
    return ""


def _requests(graph: AgentGraph, fn: Fn, reply: Reply | None) -> Iterator[tuple[E.Call, Fn]]:
    """The call itself, and where tools are bound to a model in the same file."""
    if reply is not None:
        yield reply.call.call, reply.call.site.fn
    bound: list[Site] = graph.program.call_index.get("bind_tools", [])
    yield from ((s.call, s.fn) for s in bound if s.fn.file.path == fn.file.path)


def _names_one(graph: AgentGraph, choice: E.Expr, fn: Fn) -> bool:
    """Whether a tool choice is a tool's name; one that cannot be told counts as well."""
    for origin in graph.tracer.local(choice, fn):
        if isinstance(origin.expr, E.Const):
            if origin.expr.value is not None and origin.expr.value not in _OPEN:
                return True
        elif isinstance(origin.expr, E.Entries):
            types = [
                string(e.value) for e in origin.expr.entries if e.key and string(e.key) == "type"
            ]
            if not _OPEN_TYPES & set(types):
                return True
        else:
            return True
    return False


def tools_offered(graph: AgentGraph, reply: Reply) -> int | None:
    """How many tools the request offers; None where that cannot be told."""
    keyword = reply.call.data.tools_keyword
    given = argument(reply.call.call, keyword) if keyword else None
    if given is None:
        return None
    for origin in graph.tracer.of(given, reply.call.site.fn):
        if isinstance(origin.expr, E.Items) and not origin.steps:
            if any(isinstance(i, E.Star) for i in origin.expr.items):
                return None
            return len(origin.expr.items)
    return None
