"""Waits whose time-out is longer than the user allows."""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    Fn,
    Hit,
    argument,
    primary,
    related,
    worth_of,
)
from agentcheck_rules.limits._waits import Wait

LOOKED = ("the time-outs that callers and defaults give", "the option most-seconds")
SHOWN = 6


def long_waits(graph: AgentGraph, fn: Fn, waits: Iterable[Wait], most: float) -> Assessment | None:
    """The answer about a function that may wait longer than `most` seconds; None if it may not."""
    found = [(wait, seconds) for wait in waits if (seconds := _seconds(graph, wait)) > most]
    if not found:
        return None
    owner, (first, seconds) = fn.qualname, found[0]
    message = f"`{owner}` waits up to {seconds:g} seconds for `{first.name}`; {most:g} are allowed."
    hit = Hit(
        title="A wait for something outside may take longer than is allowed",
        message=message,
        owner=owner,
        failure_path=(
            f"`{owner}` asks `{first.name}`, which does not answer",
            f"the run stands still for {seconds:g} seconds",
        ),
        challenge=Challenge("upheld", LOOKED),
        smallest_change=f"Give the call a time-out of {most:g} seconds or less.",
    )
    evidence = (
        primary(first.site.place, f"waits up to {seconds:g} seconds"),
        *(related(w.site.place, f"up to {s:g} here") for w, s in found[1:SHOWN]),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _seconds(graph: AgentGraph, wait: Wait) -> float:
    """The longest time-out the call may be given, where it is a number; 0 where it is not."""
    given = argument(wait.site.call, wait.outside.keyword, wait.outside.position)
    if wait.answer != "bounded" or given is None:
        return 0
    limits = worth_of(graph.tracer, given, wait.site.fn)
    return max((x.number for x in limits if x.worth == "finite" and x.number), default=0)
