"""A refusal is treated like a passing failure, and the same request is made again.

A guard that says no, a model that refuses and a filter that stops a reply have answered. Asked the
same thing again they mostly say the same, at the same price; and now and then one of the attempts
slips through, so that a loop of retries turns a guard that catches nine of ten into one that is
passed by patience.

Reported are loops whose attempt catches an exception named for a guard's, a filter's or a
person's no and goes on to the next attempt, where a success would leave the loop; replies whose
refusal or finish reason is read and answered by `continue`; and retry decorators that name such an
exception. Met is a request that differs from the one before: anything it is made of is set or
added to in the loop, or a person is asked in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.guards._refusals import Again, refused_again

CARD = Card(
    code="AC702",
    topic="refusal-retried",
    title="A refused request is made again unchanged",
    question="Is a refusal taken for an answer, and not for a failure to be retried?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A no must end the attempt; asking until somebody says yes undoes the guard.",
    consequence="Tokens are spent on the same refusal, or a chance yes lets the request through.",
    owner="whoever owns the retry",
    smallest_change="Return the refusal as the result; retry only on errors of the transport.",
    could_break="Requests that a guard refused by mistake and that passed on a later attempt fail.",
    acceptance="With a scripted guard or model that refuses, {owner} asks once and gives the "
    "refusal back.",
    tags=("security", "spend"),
)
LOOKED = (
    "a return, a raise or a break after the refusal",
    "a request that is set or added to before the next attempt",
    "a person who is asked in between",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a refusal that is caught or read in a loop or by a retry decorator."""
    loops: dict[Fn, list[AgentLoop]] = {}
    for loop in graph.loops:
        loops.setdefault(loop.fn, []).append(loop)
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            seen: set[int] = set()
            for again in refused_again(graph, fn, loops.get(fn, ())):
                if again.place.span.line not in seen:
                    seen.add(again.place.span.line)
                    yield _changed(again) if again.changed else _same(again)


def _changed(again: Again) -> Assessment:
    here = related(again.place, "a refusal is noticed here")
    return fine(again.fn.qualname, "met-differently", "What is asked next is not the same.", here)


def _same(again: Again) -> Assessment:
    owner = again.fn.qualname
    hit = Hit(
        message=f"`{owner}` makes the same request again after a refusal ({again.what}).",
        owner=owner,
        failure_path=(
            f"the request is refused, told by `{again.what}`",
            f"`{owner}` takes that for a failure and asks the same again",
            "it is refused again and paid for, or it slips through once",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(again.place, "a refusal leads to the next attempt")]
    if again.again.span.line != again.place.span.line:
        evidence.append(related(again.again, "this makes the attempts"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
