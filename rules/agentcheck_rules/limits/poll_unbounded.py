"""A run or a job is polled until it is done, with no deadline and no thought of its failing.

`while run.status != "completed"` never ends for a run that failed, expired or was cancelled: it
sleeps and asks, and holds its worker and whoever waits for it.

Looked at are `while` loops outside tests that sleep, ask anew, and compare a status with a state
that means done. Met where the loop knows a state of failure as well, goes on only while the state
is one of the pending ones, or is ended by a count or a clock. Loops that ask a model are judged as
agent loops, and repeats of a call that failed as retries. Far from agents and their SDKs the
finding is for careful readers.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    Poll,
    Site,
    find_polls,
    find_repeats,
    fine,
    primary,
    related,
)
from agentcheck_rules.limits._outside import outside_call, reaches_model
from agentcheck_rules.limits._tool_reach import tool_functions

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC106",
    topic="poll-unbounded",
    title="A job is polled for ever when it fails",
    question="Does every poll end when what it waits for fails, or when it takes too long?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="A job that fails must end the wait for it.",
    consequence="When the job fails, expires or is cancelled the loop sleeps and asks for ever: "
    "the worker is lost and whoever waits hears nothing.",
    owner="whoever waits for the job",
    smallest_change="Leave the loop on every last state (failed, expired, cancelled, incomplete) "
    "and after a deadline, with an error that says which.",
    could_break="Jobs that took longer than the deadline are given up now.",
    acceptance="A scripted job that answers `failed` makes {owner} raise, and one that stays "
    "pending makes it raise after its deadline.",
    tags=("liveness",),
)
_LOOKED = (
    "a count or a clock that ends the loop",
    "states of failure among what it compares or tests",
    "a loop that goes on only in pending states",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a loop that polls a status."""
    retried = {id(r.again.stmt) for r in find_repeats(graph, lambda s: _goes_out(graph, s))}
    for poll in find_polls(graph):
        if id(poll.at.stmt) not in retried:
            yield _assess(graph, poll)


def _goes_out(graph: AgentGraph, site: Site) -> bool:
    known = outside_call(graph, site)
    return reaches_model(graph, site) or (known is not None and known[1].kind == "HTTP")


def _assess(graph: AgentGraph, poll: Poll) -> Assessment:
    owner, here = poll.fn.qualname, related(poll.at.place, "this loop waits for a job")
    bound = next((b for b in poll.bounds if b.holds), None)
    if bound is not None:
        return fine(owner, "met", "something ends it", here, related(bound.place, "this ends it"))
    if poll.failure is not None:
        there = related(poll.failure.place, "other states end it")
        return fine(owner, "met-differently", "it ends when the job fails", here, there)
    hit = Hit(
        message=f"`{owner}` waits for one state alone: a job that fails is polled for ever.",
        owner=owner,
        persona=None if _is_near(graph, poll) else "pedantic",
        failure_path=(
            f"`{owner}` waits until the status says that the job is done",
            "the job fails, expires or is cancelled, and its status says that instead",
            "the loop sleeps and asks again, without end",
        ),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(poll.at.place, "nothing but success ends this loop")]
    if poll.compared.place.span.line != poll.at.place.span.line:
        evidence.append(related(poll.compared.place, "the only state that is looked for"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _is_near(graph: AgentGraph, poll: Poll) -> bool:
    """Whether the wait is part of an agent: a tool's, on the way to a model, or on its SDK."""
    if poll.fn in tool_functions(graph) or graph.drives.reaches(poll.fn):
        return True
    roots = {m.partition(".")[0] for f in graph.frameworks for m in f.modules}
    return any(not i.level and i.module.partition(".")[0] in roots for i in poll.fn.file.imports)
