"""Where agents are started: run entries of their SDK, and calls that lead to a loop."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.diagram.details import run_limit
from agentcheck.graph.diagram.sketch import Sketch, written
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.models import RunCall
from agentcheck.graph.text import argument
from agentcheck.model import expr as E


def draw_runs(sketch: Sketch) -> None:
    """Who starts which agent."""
    runs = {id(run.site.expr) for run in sketch.graph.runs}
    for run in sketch.graph.runs:
        if sketch.shows(run.site.place):
            _draw_run(sketch, run)
    for sites in sketch.graph.drives.sites.values():
        for site in sites:
            if id(site.expr) not in runs and sketch.shows(site.place):
                _draw_drive(sketch, site)


def _draw_run(sketch: Sketch, run: RunCall) -> None:
    base = _started(run)
    if base is None:
        return
    agents = list(agents_in(sketch, base, run.site.fn))
    agents = agents or list(agents_in(sketch, base, run.site.fn, through=True))
    limit = run_limit(sketch, run)
    if not agents and run.inside:
        return
    source = sketch.entry(run.site.fn, **({"limit": limit} if limit else {}))
    for agent in agents:
        if agent != source:
            sketch.edge(source, agent, "runs", run.site.place)
    if not agents:
        sketch.unresolved(source, "runs", run.site.fn.place(base.span), written(run.site.fn, base))


def _started(run: RunCall) -> E.Expr | None:
    """The expression for the agent that a run entry starts."""
    slot, func = run.data.agent, run.call.func
    if slot is not None and not slot.receiver:
        return argument(run.call, slot.keyword, slot.position)
    return func.value if isinstance(func, E.Attr) else None


def _draw_drive(sketch: Sketch, site: Site) -> None:
    """A call that leads to a loop of the target and is given an agent, or is a method of one."""
    call = site.call
    given = [arg.value for arg in call.args]
    if isinstance(call.func, E.Attr):
        given.append(call.func.value)
    agents = {agent: None for expr in given for agent in agents_in(sketch, expr, site.fn)}
    for agent in agents:
        source = sketch.entry(site.fn)
        if source != agent:
            sketch.edge(source, agent, "runs", site.place)


def agents_in(sketch: Sketch, expr: E.Expr, fn: Fn, *, through: bool = False) -> Iterator[str]:
    """The nodes of the agents that an expression may be; `through` follows callers too.

    One that is looked up in a dict or list by a key that nobody can tell may be any in it.
    """
    tracer = sketch.graph.tracer
    for origin in tracer.of(expr, fn) if through else tracer.local(expr, fn):
        if not origin.steps:
            agent = sketch.find(("built", id(origin.expr)))
            yield from (agent,) if agent is not None else ()
        elif set(origin.steps) == {"[]"}:
            for value in _values(origin.expr):
                yield from agents_in(sketch, value, origin.fn)


def _values(shown: E.Expr | None) -> list[E.Expr]:
    match shown:
        case E.Entries(entries=entries):
            return [entry.value for entry in entries]
        case E.Items(items=items):
            return list(items)
        case _:
            return []
