"""A tool call that was denied or skipped gets no tool message, though the others get theirs.

Chat models must see one result for every call of a reply before they are asked again. A loop that
goes over the calls and passes over one, because a person said no or because no tool has that name,
leaves its id without an answer: the next request is refused by the provider, or the model goes on
as if the tool had run.

Looked at are loops over the tool calls of a reply that make a tool message for some of them. What
counts as an answer in the branch of the denied call is a tool message, a helper that makes one or
is given the call, a value set for the code behind the branch, and anything put in a list. A
function that answers calls outside the loop as well, as one that fills the gaps afterwards does,
is left alone, and so is a denial that raises or returns something other than the history.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    code_kind,
    fine,
    near_calls,
    primary,
    related,
)
from agentcheck_rules.approval._unanswered import Branch, branches

CARD = Card(
    code="AC405",
    topic="denied-call-unanswered",
    title="A denied tool call gets no answer",
    question="Does a tool call that was denied or skipped get a tool message for its id?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="A no must reach the model as the result of the call it was said to.",
    consequence="The provider refuses the next request because a call has no result, so one no "
    "ends the session; or the model never learns that it was told no.",
    owner="whoever dispatches tool calls",
    smallest_change="Append a tool message for the call's id that says that it was denied, then go "
    "on with the next call.",
    could_break="Code that counts the messages of a turn.",
    acceptance="With a scripted reply of two calls and an approver that denies the first, {owner} "
    "leaves a tool message for both ids and the model is called again.",
    tags=("correctness", "approval"),
)
LOOKED = (
    "a tool message for the call in that branch",
    "a helper that is given the call",
    "a result set there for the code behind it",
    "a place outside the loop that answers calls left open",
)
_SAYS = {
    "denied": "`{owner}` goes on after a no without a tool message for the denied call.",
    "unknown": "`{owner}` passes over a call of an unknown tool without a tool message for it.",
}
_CAUSE = {
    "denied": "the model asks for a tool, and the answer is no",
    "unknown": "the model asks for a tool that is not there",
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a branch of a loop over tool calls in which a call is not run."""
    for fn in near_calls(graph):
        if code_kind(fn.file.path) != "test":
            for branch in branches(graph, fn):
                yield _answered(branch) if branch.answered else _unanswered(branch)


def _answered(branch: Branch) -> Assessment:
    here = related(branch.test, "a call may not be run here")
    return fine(branch.fn.qualname, "met", "The call that is not run is answered too.", here)


def _unanswered(branch: Branch) -> Assessment:
    owner = branch.fn.qualname
    denied = branch.why == "denied"
    hit = Hit(
        title=None if denied else "A call of an unknown tool gets no answer",
        message=_SAYS[branch.why].format(owner=owner),
        owner=owner,
        severity=None if denied else "medium",
        confidence=None if denied else "medium",
        failure_path=(
            _CAUSE[branch.why],
            f"`{owner}` goes on to the next call or the next request",
            "the call's id has no tool message in the history",
            "the provider refuses the request, or the model takes silence for an answer",
        ),
        challenge=Challenge("upheld", LOOKED),
        acceptance=None
        if denied
        else "With a scripted reply that calls an unknown tool, {owner} leaves a tool message for "
        "its id and the model is called again.",
        names={"owner": owner},
    )
    evidence = [primary(branch.end, "from here the call has no answer")]
    if branch.test.span.line != branch.end.span.line:
        evidence.append(related(branch.test, "this decides whether the call is run"))
    evidence.append(related(branch.answer, "other calls get their tool message here"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
