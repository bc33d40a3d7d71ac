"""The limit in force at a call of a framework's run entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.given import given_at
from agentcheck.graph.limits import Worth, worth_of
from agentcheck.graph.models import RunCall
from agentcheck.graph.text import argument, has_spread
from agentcheck.graph.unlimited import default_worth, switches_off
from agentcheck.model import expr as E
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Limit as LimitData
    from agentcheck.graph.agents import AgentGraph
    from agentcheck.graph.handles import Fn


class InForce(Struct, frozen=True):
    """A limit as it stands: its data, what it is worth, and where it was given (None: nowhere)."""

    data: LimitData
    worth: Worth
    text: str
    given: Place | None


def limits_in_force(graph: AgentGraph, run: RunCall) -> list[InForce]:
    """Every limit of a run entry at one call, the framework's default where nothing is given."""
    limits = [limit for limit in (run.data.limit, *run.data.also) if limit is not None]
    return [_in_force(graph, run, limit) for limit in limits]


def _in_force(graph: AgentGraph, run: RunCall, limit: LimitData) -> InForce:
    call, fn = _whose(graph, run, limit)
    return limit_at(graph, call, fn, limit)


def limit_at(graph: AgentGraph, call: E.Call | None, fn: Fn, limit: LimitData) -> InForce:
    """What a limit is worth at the call that takes it; None for a call that was not found."""
    if call is None or has_spread(call):
        return InForce(limit, "unknown", "given elsewhere", None)
    given = given_at(graph.tracer, call, fn, limit.keyword, limit.position)
    if given is None:
        return InForce(limit, default_worth(limit), limit.default, None)
    found = worth_of(graph.tracer, given.expr, given.fn)
    place = given.fn.place(given.expr.span)
    for value in found:
        text = value.place.text.strip()
        if switches_off(value, limit):
            return InForce(limit, "infinite", text, place)
        if value.worth == "none":
            return InForce(limit, default_worth(limit), limit.default, place)
    worth: Worth = "finite" if found and all(v.worth == "finite" for v in found) else "unknown"
    return InForce(limit, worth, found[0].place.text.strip() if found else "", place)


def _whose(graph: AgentGraph, run: RunCall, limit: LimitData) -> tuple[E.Call | None, Fn]:
    """The call that takes the limit: the run itself, its receiver's constructor, or the agent's."""
    fn = run.site.fn
    if limit.where == "call":
        return run.call, fn
    slot = run.data.agent
    if limit.where == "receiver" or (slot is not None and slot.receiver):
        base = run.receiver
    else:
        base = argument(run.call, slot.keyword, slot.position) if slot else None
    for origin in graph.tracer.of(base, fn) if base is not None else ():
        if origin.kind == "call" and isinstance(origin.expr, E.Call) and not origin.steps:
            return origin.expr, origin.fn
    return None, fn
