"""A yes to one call is kept under the tool's name and lets later calls of it through unasked.

An approval is an answer about one call: this mail to this address, this command in this folder.
Kept under the name of the tool alone, the first harmless call opens the door for every later one,
whatever its arguments are: after `ls` has been allowed, `rm -rf` runs without a question.

Reported are a set, list or dict named for approvals to which the bare name of the tool is added
after somebody was asked, and that is consulted later in the same file; a function that asks a
person by the tool's name and whose answer is cached by a decorator; and
`approve(..., always_approve=True)` of the OpenAI Agents SDK outside a branch for the answer
"always". A key that holds the arguments as well is met. Where the person answered "always", or
chose it by a setting of such a name, the yes was meant for the tool, and counts as met
differently.
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
    primary,
    related,
)
from agentcheck_rules.approval._remembered import Kept, remembered

CARD = Card(
    code="AC406",
    topic="approval-kept-by-name",
    title="An approval is kept under the tool's name alone",
    question="Is every approval that is kept bound to the arguments it was given for?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="A yes must hold for the call that the person saw, and for no other.",
    consequence="After one harmless call was approved, every later call of that tool runs unasked, "
    "with arguments that nobody has seen.",
    owner="whoever keeps the approvals",
    smallest_change="Keep the approval under the tool's name together with its arguments, or ask "
    "the person expressly whether the yes holds for all calls of the tool.",
    could_break="Long sessions ask more often than before.",
    acceptance="An approver says yes to a first call in {owner}; a second call of the same tool "
    "with other arguments asks again, and a no keeps it from running.",
    tags=("security", "approval"),
)
LOOKED = (
    "the call's arguments as part of the key",
    'a branch for the answer "always"',
    "a setting by which the person chose it",
)
_SAYS = {
    "kept": (
        "`{owner}` keeps a yes under the tool's name and does not ask again for other arguments.",
        "only the name is kept",
    ),
    "cached": (
        "`{owner}` asks once for a tool's name; the cached answer holds for every later call.",
        "the answer is cached by the name alone",
    ),
    "always": (
        "`{owner}` approves every later call of the tool along with the one that was shown.",
        "this holds for all later calls of the tool",
    ),
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a place that keeps a yes for later calls."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            for kept in remembered(graph, fn):
                yield _fine(kept) if kept.asked or kept.whole else _by_name(kept)


def _fine(kept: Kept) -> Assessment:
    here = related(kept.place, "the yes is kept here")
    if kept.whole:
        return fine(kept.fn.qualname, "met", "The arguments are part of the key.", here)
    why = "The person said that it holds for all calls."
    return fine(kept.fn.qualname, "met-differently", why, here)


def _by_name(kept: Kept) -> Assessment:
    owner = kept.fn.qualname
    message, says = _SAYS[kept.how]
    hit = Hit(
        message=message.format(owner=owner),
        owner=owner,
        failure_path=(
            "a person approves a harmless call of a tool",
            f"`{owner}` keeps that yes under the tool's name",
            "the model calls the tool again, with arguments that do harm",
            "the yes is found, and nobody is asked",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(kept.place, says)]
    if kept.used is not None:
        evidence.append(related(kept.used, "later calls are let through by it here"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
