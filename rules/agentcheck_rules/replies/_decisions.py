"""Where a loop decides to end on a reply, and what it hands back."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    ClassRef,
    CodeEvidence,
    E,
    Fn,
    Klass,
    S,
    descend,
    related,
)
from agentcheck_rules._endings import ends_on
from agentcheck_rules.replies._reply import Asked

CALLS = ("tool_calls", "function_call", "tool_use")


def decisions(graph: AgentGraph, asked: Asked) -> Iterator[CodeEvidence]:
    """The tests that end a loop because the reply asks for no tool."""
    for fn in loop_functions(graph, asked):
        for at in graph.program.statements(fn):
            if ends_on(at.stmt, CALLS):
                yield related(fn.place(at.stmt.span), "the run ends here whatever the reason was")


def loop_functions(graph: AgentGraph, asked: Asked) -> list[Fn]:
    """The functions whose loops make these calls on every turn."""
    loops = graph.loops_asking(asked.sites)
    return [loop.fn for loop in loops if all(b.kind != "person" for b in loop.bounds)]


def result_types(graph: AgentGraph, asked: Asked, name: str) -> Iterator[CodeEvidence]:
    """The class of the target that such a loop returns, when it has no field for the reason."""
    seen: set[Klass] = set()
    for fn in loop_functions(graph, asked):
        for klass, place in returned_classes(graph, fn):
            if _has_reason(klass):
                continue
            if place is not None:
                yield place
            if klass not in seen:
                seen.add(klass)
                where = klass.file.place(klass.facts.span)
                yield related(where, f"the result has no field for `{name}`")


def returned_classes(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Klass, CodeEvidence | None]]:
    """Classes of the target whose new objects a function returns or yields."""
    for at in graph.program.statements(fn):
        value = at.stmt.value if isinstance(at.stmt, (S.Return, S.Do)) else None
        if value is None or (isinstance(at.stmt, S.Do) and not isinstance(value, E.Yield)):
            continue
        for expr in descend(value):
            if isinstance(expr, E.Call):
                for symbol in graph.resolver.of(expr.func, fn):
                    if isinstance(symbol, ClassRef):
                        yield (
                            symbol.klass,
                            related(fn.place(expr.span), "the run's result is made here"),
                        )


def _has_reason(klass: Klass) -> bool:
    names = {
        t.id
        for s in klass.facts.body
        if isinstance(s, S.Assign)
        for t in s.targets
        if isinstance(t, E.Name)
    }
    return any("reason" in n or n in ("status", "stop", "finish") for n in names)
