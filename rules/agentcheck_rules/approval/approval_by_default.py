"""An approval is given though nobody has said yes.

A person who presses Enter to see what comes next, who is at lunch when the question comes, or whom
the program never asks has approved nothing. Where an empty line counts as yes, where the time-out
answers yes, or where a stand-in for the approver says yes to everything until somebody puts a real
one in its place, the effect happens on nobody's word.

Reported are questions that name an effect and take an empty line, or anything but a no, for a yes;
functions that ask somebody and answer yes when no answer comes in time; parameters for an approver
whose default is a function that always says yes; switches that approve by themselves and are on
unless somebody turns them off; and critics whose reply counts as a yes unless it holds the word
for no, so that an empty or a cut reply approves. A guard that fails, or that finds no terminal,
is another rule's matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Confidence,
    Fn,
    Hit,
    Persona,
    Severity,
    code_kind,
    fine,
    primary,
    related,
)
from agentcheck_rules.approval._prompts import by_enter
from agentcheck_rules.approval._unsaid import (
    How,
    Unsaid,
    by_silence,
    by_stand_in,
    by_stand_in_later,
    by_timeout,
)

CARD = Card(
    code="AC402",
    topic="approval-by-default",
    title="An approval is given though nobody said yes",
    question="Is an approval given only when somebody has said yes?",
    severity="medium",
    confidence="medium",
    remedy_confidence="high",
    at_stake="An approval is a person's word, and no answer is not one.",
    consequence="The effect happens after an empty line, a silence or no question at all.",
    owner="whoever asks for the approval",
    smallest_change="Take only an expressed yes for a yes; answer no to everything else, also when "
    "the time is up.",
    could_break="People who were used to pressing Enter must type yes; unattended runs stop.",
    acceptance="With an empty answer, and with no answer until the time-out, {owner} does not let "
    "the action through; with yes it does.",
    tags=("security", "approval"),
)


class _Kind(Struct, frozen=True):
    """How one kind of unsaid yes is told; `{owner}` is filled in."""

    message: str
    says: str
    cause: str
    there: str = ""
    severity: Severity | None = None
    confidence: Confidence | None = None
    persona: Persona | None = None


_KINDS: dict[How, _Kind] = {
    "enter": _Kind(
        "`{owner}` takes an empty answer for a yes to an effect.",
        "an empty line, too, is a yes here",
        "the person presses Enter, or an empty line comes from a pipe",
        "this is the question",
        severity="low",
        persona="pedantic",
    ),
    "timeout": _Kind(
        "`{owner}` answers yes when nobody answers in time.",
        "the answer is yes though nobody gave one",
        "nobody answers before the time is up, or there is nobody to answer",
        "no answer has come here",
        severity="high",
    ),
    "approver": _Kind(
        "The approver of `{owner}` says yes to everything until another one is given.",
        "this stand-in says yes to everything",
        "the caller gives no approver of its own",
    ),
    "switch": _Kind(
        "`{owner}` approves by itself unless its caller turns that off.",
        "this is on by default",
        "the caller leaves the switch as it is",
        persona="pedantic",
    ),
    "critic": _Kind(
        "`{owner}` takes a reply of its critic for a yes unless it holds the word for no.",
        "a reply that is empty, cut or off the point is a yes",
        "the critic's reply is empty, cut, refused or in other words",
        confidence="medium",
        persona="pedantic",
    ),
}
_LOOKED = (
    "an expressed yes that is asked for",
    "a no on the same way",
    "what happens after an empty answer and after the time-out",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment an answer that is given in the place of somebody's word."""
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) != "test":
            yield from _function(graph, fn)


def _function(graph: AgentGraph, fn: Fn) -> Iterator[Assessment]:
    seen: set[tuple[int, int]] = set()
    found = list(by_stand_in(fn))
    for ask in (by_enter, by_timeout, by_stand_in_later, by_silence):
        found += ask(graph, fn)
    for one in found:
        key = (one.place.span.line, one.place.span.column)
        if key not in seen:
            seen.add(key)
            yield _open(one) if one.open else _closed(one)


def _closed(found: Unsaid) -> Assessment:
    here = related(found.place, "without a yes the answer is no")
    return fine(found.fn.qualname, "met", "Only an expressed yes lets the action through.", here)


def _open(found: Unsaid) -> Assessment:
    owner, kind = found.fn.qualname, _KINDS[found.how]
    hit = Hit(
        message=kind.message.format(owner=owner),
        owner=owner,
        severity=kind.severity,
        confidence=kind.confidence,
        persona=kind.persona,
        failure_path=(kind.cause, "that counts as a yes", "the action runs on nobody's word"),
        challenge=Challenge("upheld", _LOOKED),
        names={"owner": owner},
    )
    evidence = [primary(found.place, kind.says)]
    if found.other is not None and kind.there:
        evidence.append(related(found.other, kind.there))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
