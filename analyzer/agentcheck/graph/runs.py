"""The limit in force at a call of a framework's run entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcheck.graph.limits import Worth, worth_of
from agentcheck.graph.models import RunCall
from agentcheck.graph.text import argument, has_spread, string
from agentcheck.model import expr as E
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Limit as LimitData
    from agentcheck.graph.agents import AgentGraph
    from agentcheck.graph.handles import Fn


@dataclass(frozen=True, slots=True)
class InForce:
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
    given = _dig(graph, call, fn, limit)
    if given is None:
        return InForce(limit, _default(limit), limit.default, None)
    found = worth_of(graph.tracer, given, fn)
    place = fn.place(given.span)
    for value in found:
        text = value.place.text.strip()
        if value.worth == "infinite" or (value.worth == "none" and "None" in limit.infinite):
            return InForce(limit, "infinite", text, place)
        if value.worth == "none":
            return InForce(limit, _default(limit), limit.default, place)
    worth: Worth = "finite" if found and all(v.worth == "finite" for v in found) else "unknown"
    return InForce(limit, worth, found[0].place.text.strip() if found else "", place)


def _default(limit: LimitData) -> Worth:
    return "infinite" if limit.default in ("inf", "none") else "finite"


def _whose(graph: AgentGraph, run: RunCall, limit: LimitData) -> tuple[E.Call | None, Fn]:
    """The call that takes the limit: the run itself, its receiver's constructor, or the agent's."""
    fn = run.site.fn
    if limit.where == "call":
        return run.call, fn
    if limit.where == "receiver":
        base = run.call.func.value if isinstance(run.call.func, E.Attr) else None
    else:
        slot = run.data.agent
        base = argument(run.call, slot.keyword, slot.position) if slot else None
        if slot and slot.receiver and isinstance(run.call.func, E.Attr):
            base = run.call.func.value
    for origin in graph.tracer.of(base, fn) if base is not None else ():
        if origin.kind == "call" and isinstance(origin.expr, E.Call) and not origin.steps:
            return origin.expr, origin.fn
    return None, fn


def _dig(graph: AgentGraph, call: E.Call, fn: Fn, limit: LimitData) -> E.Expr | None:
    """The argument at a dotted path: `config.recursion_limit` is a key of the dict `config`."""
    head, *rest = limit.keyword.split(".")
    given = argument(call, head, getattr(limit, "position", None))
    for key in rest:
        if given is None:
            return None
        given = _under(graph, given, fn, key)
    return given


def _under(graph: AgentGraph, given: E.Expr, fn: Fn, key: str) -> E.Expr | None:
    for origin in graph.tracer.local(given, fn):
        match origin.expr:
            case E.Entries(entries=entries):
                for entry in entries:
                    if entry.key is not None and string(entry.key) == key:
                        return entry.value
            case E.Call() as inner:
                found = argument(inner, key)
                if found is not None:
                    return found
            case _:
                continue
    return None
