"""The streamed way through the same work has drifted from the plain one.

Two functions do one thing, `run` and `run_and_stream`, `parse_batch` and `parse_stream`. A fault
mended in one of them stays in the other, and users meet it only when they switch streaming on.

Pairs are found by their names, in one class or one file. Compared is what keeps a run safe and its
record true: whether a parse of JSON, a call of the model or a call of a tool is caught in one and
open in the other; whether a turn still reads the agent that the run began with where its twin
reads the active one; whether the test of one loop asks for more than that of the other. A helper
named like a check that only one of the two calls is for the curious: it may be called elsewhere.

Not compared are the arguments and the replies themselves, which differ by design, and what other
rules ask of each function alone.
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
from agentcheck_rules.replies._drift import Difference, differences
from agentcheck_rules.replies._twins import Twins, find_twins

__all__ = ["CARD", "check"]
CARD = Card(
    code="AC204",
    topic="streaming-drift",
    title="The streamed and the plain way of one piece of work have drifted apart",
    question="Do the streamed and the plain way of doing one thing behave alike?",
    severity="medium",
    confidence="medium",
    at_stake="Switching streaming on must not change what a run survives or records.",
    consequence="A fault that is handled in one of the two ends the run, or falsifies its record, "
    "in the other.",
    owner="whoever owns both functions",
    smallest_change="Put what they share into one function that both call.",
    could_break="Callers that rely on the difference.",
    acceptance="The same scripted replies, streamed and not, give {plain} and {stream} the same "
    "messages, agent and errors.",
    tags=("consistency",),
)
LOOKED = (
    "a handler in the callers of the function that lacks one",
    "a twin that is built on the other",
    "the same thing under another name in the loop",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a pair that both ask a model, or that differ."""
    for twins in find_twins(graph):
        found = differences(graph, twins)
        if found:
            yield _drifted(twins, found)
        elif graph.drives.reaches(twins.plain) and graph.drives.reaches(twins.stream):
            both = (twins.plain, twins.stream)
            seen = [related(f.place(f.facts.name_span), "one of the two") for f in both]
            yield fine(twins.stream.qualname, "met", "no difference was found", *seen)


def _drifted(twins: Twins, found: list[Difference]) -> Assessment:
    first, sure = found[0], any(d.sure for d in found)
    plain, stream = twins.plain.qualname, twins.stream.qualname
    other = plain if first.lacks is twins.stream else stream
    message = f"`{first.lacks.qualname}` has drifted from `{other}`: {first.says}."
    guard = "catches" in first.says
    hit = Hit(
        message=message,
        owner=first.lacks.qualname,
        severity=None if guard else "low",
        confidence=None if sure else "low",
        persona=None if guard else "pedantic",
        failure_path=(
            f"`{stream}` and `{plain}` do the same work",
            f"in `{first.lacks.qualname}` {first.says}",
            "the same replies give another outcome, streamed or not",
        ),
        challenge=Challenge("upheld" if sure else "weakened", LOOKED),
        names={"plain": plain, "stream": stream},
    )
    evidence = [primary(first.missing, first.says), related(first.present, first.there)]
    for more in found[1:4]:
        evidence += [related(more.missing, more.says), related(more.present, more.there)]
    return Assessment(
        subject=stream, verdict="not-met", why=message, evidence=tuple(evidence), hit=hit
    )
