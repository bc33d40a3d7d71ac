"""Fixes that put a finite limit where there is none."""

from __future__ import annotations

from agentcheck.rule import (
    Agent,
    AgentGraph,
    AgentLoop,
    Bound,
    Edit,
    Fix,
    Fn,
    InForce,
    Limit,
    RunCall,
    edit_keyword,
    edit_replace,
    lazy_re,
)
from agentcheck_rules.limits._shape import open_defaults

TURNS = 20
"""Model calls or turns; about twice what the SDKs allow by default (10 to 25)."""
MESSAGES = 60
"""Where messages are counted: a turn adds its own and those of its tools."""
_UNITS = frozenset({"model-calls", "messages", "supersteps", "turns", "steps", "tool-calls"})
# `max_turns`, `recursion_limit`, `maximum_iterations`; no condition, switch or sum of money.
_A_NUMBER = lazy_re(r"(max|maximum)_\w+|\w+_limit|turns")


def finite_default(graph: AgentGraph, loop: AgentLoop) -> Fix | None:
    """A finite number in every place that takes a loop's own limit away."""
    for bound in loop.bounds:
        if not bound.holds and bound.kind in ("iterations", "count", "items"):
            number = MESSAGES if bound.unit == "messages" else TURNS
            edits = tuple(
                dict.fromkeys(_instead(limit, number) for limit in _missing(graph, bound))
            )
            where = "default" if bound.params else "limit"
            return Fix("unsafe", f"Make the {where} {number} {bound.unit}.", edits)
    return None


def _missing(graph: AgentGraph, bound: Bound) -> list[Limit]:
    """What gives no limit: values that reach the bound, and defaults that may."""
    reaching = [limit for limit in bound.limits if limit.worth in ("infinite", "none")]
    return [*reaching, *(limit for _, limit in open_defaults(graph, bound))]


def _instead(limit: Limit, number: int) -> Edit:
    return edit_replace(limit.fn, limit.expr.span, str(number))


def finite_group(agent: Agent, limit: InForce) -> Fix | None:
    """A finite limit for a group that goes round its members."""
    fn, call = agent.site.fn, agent.call
    if not _takes_number(limit):
        return None
    if limit.given is not None:
        return None
    return fix_of([edit_keyword(fn, call, limit.data.keyword, str(TURNS))], giving(limit))


def finite_at(run: RunCall, limit: InForce) -> Edit | None:
    """A finite limit at a call of a framework's loop, in place of what switches it off."""
    fn: Fn = run.site.fn
    if not _takes_number(limit):
        return None
    if limit.given is not None:
        own = limit.given.file == fn.file.path and limit.given.cell is None
        return edit_replace(fn, limit.given.span, _number(limit)) if own else None
    if limit.data.where != "call" or "." in limit.data.keyword:
        return None
    return edit_keyword(fn, run.call, limit.data.keyword, _number(limit))


def _takes_number(limit: InForce) -> bool:
    last = limit.data.keyword.rpartition(".")[2]
    return limit.data.unit in _UNITS and _A_NUMBER.fullmatch(last) is not None


def _number(limit: InForce) -> str:
    return str(MESSAGES if limit.data.unit == "messages" else TURNS)


def giving(limit: InForce) -> str:
    """What a fix that gives a finite limit does."""
    return f"Pass `{limit.data.keyword}={_number(limit)}`."


def fix_of(edits: list[Edit | None], change: str) -> Fix | None:
    """All of some edits; None where one cannot be told."""
    known = tuple(edit for edit in edits if edit is not None)
    if len(known) < len(edits):
        return None
    return Fix("unsafe", change, known)
