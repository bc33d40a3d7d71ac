"""What a tool's result is made of, when it is a dict or the JSON text of one."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, E, Fn, last_name

_TEXTS = frozenset({"dumps", "str", "format", "pformat", "repr"})


def returned_values(graph: AgentGraph, result: E.Expr, fn: Fn) -> Iterator[E.Expr]:
    """The values of a dict that is returned, also as JSON; anything else as it is."""
    inner = result
    if isinstance(result, E.Call) and last_name(result.func) in _TEXTS and result.args:
        inner = result.args[0].value
    found = [
        o.expr
        for o in (*graph.tracer.local(inner, fn),)
        if o.kind == "display" and not o.steps and isinstance(o.expr, E.Entries) and o.fn is fn
    ]
    for shown in found:
        yield from (entry.value for entry in shown.entries)
    if not found:
        yield inner
