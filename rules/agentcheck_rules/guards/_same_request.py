"""Whether the next attempt of a loop asks the same thing as the one before."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    E,
    S,
    Site,
    descend,
    dotted,
    function_asks,
    own_exprs,
    statements_below,
)

_PUTS = frozenset("append extend insert add update".split())


def changed_between(graph: AgentGraph, loop: AgentLoop, tried: list[Site], until: int) -> bool:
    """Whether what is asked differs from turn to turn, or a person is asked in between."""
    given = {slot for site in tried for slot in _slots(site)}
    if any(function_asks(graph.calls, c, 3) for s in tried for c in graph.calls.callees(s)):
        return True
    if isinstance(loop.stmt, S.For) and _touches(loop.stmt.target, given):
        return True
    tries = {id(s.at.stmt) for s in tried}
    turn = [s for s in statements_below(loop.stmt) if s.span.line <= until and id(s) not in tries]
    return any(_alters(s, given) for s in turn)


def _slots(site: Site) -> Iterator[str]:
    """The names and attributes that a call's arguments are made of."""
    for arg in site.call.args:
        for expr in descend(arg.value):
            if isinstance(expr, (E.Name, E.Attr)) and dotted(expr):
                yield dotted(expr) or ""


def _alters(stmt: S.Stmt, given: set[str]) -> bool:
    match stmt:
        case S.Assign(targets=targets):
            if any(_touches(t, given) for t in targets):
                return True
        case S.AugAssign(target=target):
            return _touches(target, given)
        case _:
            pass
    calls = [e for own in own_exprs(stmt) for e in descend(own) if isinstance(e, E.Call)]
    return any(
        isinstance(c.func, E.Attr) and c.func.attr in _PUTS and _touches(c.func.value, given)
        for c in calls
    )


def _touches(target: E.Expr, given: set[str]) -> bool:
    if isinstance(target, E.Items):
        return any(_touches(t, given) for t in target.items)
    base = target.value if isinstance(target, E.Index) else target
    return (dotted(base) or "") in given
