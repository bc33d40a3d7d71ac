"""One tool call of a reply is run, and the others that came with it are dropped.

Models ask for several tools in one reply unless that is switched off. Code that takes
`tool_calls[0]`, the `next` block of type `tool_use` or leaves its loop after the first one, does
one thing of two that were asked. Where the whole message goes into the history, the provider
refuses the next request, because a call id in it has no result.

Asked about are places that take one call and run it or read its arguments. Met is a function that
goes through, counts or hands on the others too; a request with `parallel_tool_calls=False`,
`disable_parallel_tool_use` or the name of one tool to call; and a history that is given only the
one call, since the model can ask for the rest again. A call whose id is not answered is asked
about only where the request is known to offer several tools: one tool alone is a form to fill in.
Pieces of a stream are not asked about.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    Hit,
    Site,
    fine,
    primary,
    related,
)
from agentcheck_rules.replies._first_call import Taken, taken
from agentcheck_rules.replies._one_at_a_time import one_at_a_time, tools_offered
from agentcheck_rules.replies._rest_of_calls import (
    answers,
    counted_elsewhere,
    rest_seen,
    sent_alone,
)

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC207",
    topic="parallel-calls-dropped",
    title="Only the first tool call of a reply is handled",
    question="Is every tool call of a reply run and answered, or only one allowed?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="What the model asked for must be done, or refused in an answer to its call id.",
    consequence="Calls beyond the first never run and nothing says so; where their ids stay in the "
    "history, the provider refuses the next request.",
    owner="whoever dispatches tool calls",
    smallest_change="Go through all tool calls of the reply and answer each call id, or switch "
    "parallel calls off in the request.",
    could_break="Tools that were never run two in a row now are.",
    acceptance="A scripted reply with two tool calls makes {owner} run and answer both, or the "
    "request says that only one may come.",
    tags=("correctness",),
)
LOOKED = (
    "a loop, a count or a slice over the calls in the same function",
    "a switch for parallel calls, or the name of one tool, in the request",
    "an assistant message that holds the one call alone",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that takes one call out of a reply."""
    seen: set[int] = set()
    for one in taken(graph):
        if id(one.fn) in seen or _fills_in(graph, one):
            continue
        answer = _fine(graph, one)
        if answer is None:
            seen.add(id(one.fn))
            yield _dropped(graph, one)
        else:
            yield answer


def _fills_in(graph: AgentGraph, one: Taken) -> bool:
    """Whether the call may only fill an object in: its id is not answered, one tool is offered."""
    if answers(graph, one) is not None:
        return False
    return one.reply is None or (tools_offered(graph, one.reply) or 0) < 2


def _fine(graph: AgentGraph, one: Taken) -> Assessment | None:
    owner, here = one.fn.qualname, related(one.site.place, "one call is taken here")
    rest = rest_seen(graph, one)
    if rest is not None:
        there = related(rest.place, "the others are looked at here")
        return fine(owner, "met", "the other calls are looked at too", here, there)
    counted = counted_elsewhere(graph, one) if one.reply is None else None
    if counted is not None:
        there = related(counted.place, "the number of calls is held to one here")
        return fine(owner, "met-differently", "replies with more calls are refused", here, there)
    why = one_at_a_time(graph, one.fn, one.reply)
    if why:
        return fine(owner, "met-differently", why, here)
    alone = sent_alone(graph, one)
    if alone is not None:
        there = related(alone.place, "the history is given this call alone")
        return fine(owner, "met-differently", "the model can ask for the rest again", here, there)
    return None


def _dropped(graph: AgentGraph, one: Taken) -> Assessment:
    owner = one.fn.qualname
    answer: Site | None = answers(graph, one)
    after = (
        "only the first id is answered, and the provider refuses the next request"
        if answer is not None
        else "the others never run, and the model is not told"
    )
    hit = Hit(
        message=f"`{owner}` handles one tool call of the reply; {after}.",
        owner=owner,
        confidence=None if one.reply is not None and answer is not None else "medium",
        failure_path=("the model asks for two tools in one reply", f"`{owner}` runs one", after),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence: list[CodeEvidence] = [primary(one.site.place, "one call is taken, the rest is not")]
    if answer is not None:
        evidence.append(related(answer.place, "only this call's id is answered"))
    if one.reply is not None:
        says = "parallel calls are allowed here"
        evidence.append(related(one.reply.call.site.place, says))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
