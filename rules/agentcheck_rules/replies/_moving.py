"""Variables that begin as a parameter and change from turn to turn: the active agent."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import AgentGraph, AgentLoop, E, Fn, S, Site


def turn_loops(graph: AgentGraph, fn: Fn) -> list[AgentLoop]:
    """The `while` loops of a function that ask a model."""
    return [loop for loop in graph.loops_of(fn) if isinstance(loop.stmt, S.While)]


def stale_reads(graph: AgentGraph, fn: Fn) -> list[tuple[Site, str]]:
    """Reads of what a run began with, each with the variable that holds what it is now."""
    found = list[tuple[Site, str]]()
    for loop in turn_loops(graph, fn):
        for active, start in _moving(graph, loop).items():
            found += [(s, active) for s in _attributes(graph, loop, start)]
    return found


def active_reads(graph: AgentGraph, loop: AgentLoop) -> Iterator[Site]:
    """Reads of what is active on a turn."""
    for active in _moving(graph, loop):
        yield from _attributes(graph, loop, active)


def _moving(graph: AgentGraph, loop: AgentLoop) -> dict[str, str]:
    """Variables that begin as a parameter and that a turn puts something else into."""
    params = {p.name for p in loop.fn.facts.params}
    begun, moved = dict[str, str](), set[str]()
    for at in graph.program.statements(loop.fn):
        if isinstance(at.stmt, S.Assign):
            put = dict(_put(at.stmt))
            if any(c.stmt is loop.stmt for c in at.around()):
                moved |= set(put)
            else:
                begun |= {n: v.id for n, v in put.items() if isinstance(v, E.Name)}
    kept = {a: s for a, s in begun.items() if a in moved and s in params - moved}
    return {a: s for a, s in kept.items() if a != s}


def _put(stmt: S.Assign) -> Iterator[tuple[str, E.Expr | None]]:
    """What each name is given; of `a, b = c, d` each in turn."""
    for target in stmt.targets:
        match target, stmt.value:
            case E.Items(items=names), E.Items(items=values) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                yield from ((n.id, v) for n, v in pairs if isinstance(n, E.Name))
            case E.Name(), _:
                yield target.id, stmt.value
            case _:
                continue


def _attributes(graph: AgentGraph, loop: AgentLoop, name: str) -> list[Site]:
    """Reads of a field of a variable on a turn of the loop."""
    return [
        s
        for s in graph.program.sites(loop.fn)
        if isinstance(s.expr, E.Attr)
        and isinstance(s.expr.value, E.Name)
        and s.expr.value.id == name
        and any(stmt is loop.stmt for stmt in s.loops())
    ]
