"""Model calls are started together, one for each item of a collection nobody holds down.

A planner that writes sixty sub-questions instead of six starts sixty agents in the same second.
The provider answers some of them with rate limits, and the rest are paid for.

Looked at are `asyncio.gather`, `as_completed` and `wait` outside tests over a comprehension, or
over a list filled in a loop, whose every item asks a model. Met where a semaphore, a limiter,
batches or a slice stand in the function, in what it calls or in its class, where the length is
compared, and where the program itself sets the number: a literal, a constant, a range, its own
agents or models.
Thread pools have a number of workers of their own and are left out. Where the model decides the
number everybody is told, where data do only careful readers.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._fan_out import FanOut, fan_outs

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC107",
    topic="fan-out-unbounded",
    title="Model calls are started together without a limit on their number",
    question="Is the number of model calls that run at one time held down?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="One request must not start an unbounded number of model calls at once.",
    consequence="A long list meets the provider's rate limit, so that some calls fail, and the "
    "rest are paid for, however many there are.",
    owner="whoever owns the code that starts them",
    smallest_change="Cut the list to a number, or take an `asyncio.Semaphore` around each call.",
    could_break="Long lists take longer, or their last items are left out.",
    acceptance="With a scripted model that gives a list of a thousand items, {owner} never has "
    "more than a fixed number of calls under way.",
    tags=("spend", "robustness"),
)
_LOOKED = (
    "a semaphore, a limiter or batches in the function, what it calls and its class",
    "a slice, or a comparison of the length",
    "a collection that the program itself sets",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that starts model calls together."""
    for found in fan_outs(graph):
        owner, here = found.site.fn.qualname, related(found.site.place, "calls start together")
        if found.limit is not None:
            there = related(found.limit, "this holds their number down")
            yield fine(owner, "met", "their number is held down", here, there)
        elif found.decides == "program":
            yield fine(owner, "met-differently", "the program sets their number", here)
        else:
            yield _hit(found)


def _hit(found: FanOut) -> Assessment:
    fn, model = found.site.fn, found.decides == "model"
    owner, who = fn.qualname, "the model" if model else "the data"
    hit = Hit(
        message=f"`{owner}` asks a model for every item at once; how many there are {who} "
        f"{'decides' if model else 'decide'}.",
        owner=owner,
        severity=None if model else "low",
        persona=None if model else "pedantic",
        failure_path=(
            f"{who} {'gives' if model else 'give'} a list longer than anybody thought of",
            f"`{owner}` starts a model call for each item in the same moment",
            "the provider refuses some of them, and the rest are paid for, wanted or not",
        ),
        challenge=Challenge("upheld" if model else "weakened", _LOOKED),
        names={"owner": owner},
    )
    evidence = (
        primary(found.site.place, "all calls are under way at once"),
        related(fn.place(found.items.span), f"{who} set how many there are"),
        related(fn.place(found.asks.span), "this asks a model for each"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
