"""Which values are what a tool was called with, or what it returned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, find_dispatches, lazy_re, mentions_calls, part, slot
from agentcheck_rules.records._content import Content
from agentcheck_rules.records._sinks import Line, parts_of, switched, written

_AUDITS = lazy_re(r"audit|event_log|journal|ledger", re.IGNORECASE)
_RECORDS = frozenset("append record write log emit add insert save track publish info".split())
# Hooks around a tool call, and the names of what they are given.
_HOOKS = lazy_re(r"(^|_)(pre|before|on|post|after)_?tool", re.IGNORECASE)
_GIVEN = {
    "arguments": "arguments", "args": "arguments", "tool_input": "arguments",
    "tool_args": "arguments", "tool_arguments": "arguments", "input_str": "arguments",
    "result": "result", "tool_result": "result", "output": "result", "tool_output": "result",
    "tool_response": "result",
}  # fmt: skip
_SHORT = lazy_re(r"_(id|count|len|length|size|ms|keys|names?|hash|status)$")


class ToolContent:
    """Answers whether a value is a tool call's arguments or its result."""

    def __init__(self, graph: AgentGraph) -> None:
        self._graph = graph
        self._said = Content(graph)
        self._runs = {id(d.site.expr) for d in find_dispatches(graph)}

    def kind(self, expr: E.Expr, fn: Fn) -> str | None:
        """ "arguments" or "result"; None for anything else, and for what a model was told."""
        if _SHORT.search(slot(expr) or "") or self._said.is_traced(expr, fn):
            return None
        origins = self._graph.tracer.local(expr, fn)
        if any(id(o.expr) in self._runs and not o.names for o in origins):
            return "result"
        if _HOOKS.search(fn.name):
            given = (o.param for o in origins if o.kind == "param" and o.fn is fn and not o.names)
            return next((_GIVEN[param] for param in given if param in _GIVEN), None)
        if not mentions_calls(self._graph, fn):
            return None
        return "arguments" if part(self._graph, expr, fn) == "arguments" else None


def recorded(graph: AgentGraph, fn: Fn) -> Iterator[Line]:
    """The lines that a function writes to a log or a file, and its entries in an audit log."""
    seen: set[int] = set()
    for line in written(graph, fn):
        seen.add(id(line.site.expr))
        if line.where != "console" and line.level != "debug":
            yield line
    for site, call in graph.program.calls(fn):
        if id(call) not in seen and _is_audit(call) and not switched(site):
            given = tuple(p for arg in call.args for p in parts_of(arg.value))
            yield Line(site, "file", "info", given)


def _is_audit(call: E.Call) -> bool:
    func = call.func
    if type(func) is E.Attr:
        return func.attr in _RECORDS and bool(_AUDITS.search(slot(func.value) or ""))
    return isinstance(func, E.Name) and bool(_AUDITS.search(func.id)) and bool(call.args)
