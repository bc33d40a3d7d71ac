"""Join what the code says with what recorded runs say, on (topic, subject); see `belonging`.

Hits that belong together become one, known by code and trace. A hit that only runs show names the
line of code of its subject, else those of the tools and agents in its records, else the loop or the
call that starts such runs.

What the runs say of a hit in code:

- confirmed: a hit in a run belongs to it. Its records prove it.
- contradicted: a run shows the opposite. That takes a topic whose run check answers "met" only
  when the fault had its chance and did not happen (SHOWS_OPPOSITE), and a run that went through
  that very place: the same subject, or the only owner of the topic's hits. A run that merely went
  well contradicts nothing.
- not-checkable: no run check asks about the topic, or all of them answered "cannot-tell".
- not-exercised: runs were read and none shows the fault, nor its opposite.
- no-runs: no runs were read.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from agentcheck.crosscheck.answers import (
    Answer,
    Joined,
    Names,
    Places,
    Traced,
    names_in,
    records,
    trace_evidence,
)
from agentcheck.crosscheck.belonging import (
    PROGRAM_TOPICS,
    SOLE_TOPICS,
    TOOL_TOPICS,
    belonging,
    one_owner,
    places_of,
    same_subject,
)
from agentcheck.model.assessment import Evidence
from agentcheck.model.finding import TraceVerdict
from agentcheck.rule import related

__all__ = [
    "PROGRAM_TOPICS",
    "SHOWS_OPPOSITE",
    "SOLE_TOPICS",
    "TOOL_TOPICS",
    "Answer",
    "Joined",
    "Names",
    "Places",
    "Traced",
    "crosscheck",
]

SHOWS_OPPOSITE = frozenset(
    {
        "finish-reason-unchecked",
        "handoff-race",
        "tool-args-unguarded",
        "tool-error-ends-run",
        "unguarded-side-effect",
    }
)


MOST_PLACES = 3
"""Lines of code that a hit which only runs show is given at most."""


def crosscheck(code: Sequence[Answer], traced: Traced, places: Places | None) -> list[Joined]:
    """Every hit of both witnesses, each fault once: those in code, then those only runs show."""
    hits = [a for a in code if a.assessment.hit]
    owned = [(a, belonging(a, hits, places)) for a in traced.answers if a.assessment.hit]
    joined = []
    for number, own in enumerate(hits):
        proof = [seen for seen, owners in owned if number in owners]
        if proof:
            joined.append(_merged(own, proof))
        else:
            joined.append(Joined(own, ("code",), _unproved(own, hits, traced, places)))
    return joined + [_alone(seen, places) for seen, owners in owned if not owners]


def _unproved(
    own: Answer, hits: Sequence[Answer], traced: Traced, places: Places | None
) -> TraceVerdict:
    """What runs say of a hit that none of them shows."""
    if not traced.runs:
        return TraceVerdict("no-runs")
    said = [a for a in traced.answers if a.topic == own.topic]
    telling = [a for a in said if a.assessment.verdict != "cannot-tell"]
    if own.topic not in traced.topics or (said and not telling):
        return TraceVerdict("not-checkable")
    sole = own.topic in PROGRAM_TOPICS | SOLE_TOPICS and one_owner(hits, own.topic)
    against = [
        seen
        for seen in telling
        if own.topic in SHOWS_OPPOSITE
        and seen.assessment.verdict == "met"
        and (sole or same_subject(own, seen, places))
    ]
    if against:
        return TraceVerdict("contradicted", records(against))
    return TraceVerdict("not-exercised")


def _merged(own: Answer, proof: Sequence[Answer]) -> Joined:
    """The hit in code with the records that prove it among its evidence."""
    shown = [replace(e, role="related") for seen in proof for e in trace_evidence(seen)]
    assessment = replace(own.assessment, evidence=(*own.assessment.evidence, *shown))
    verdict = TraceVerdict("confirmed", records(proof))
    return Joined(replace(own, assessment=assessment), ("code", "trace"), verdict)


def _alone(seen: Answer, places: Places | None) -> Joined:
    """A hit that only runs show, with the lines of code that it names or went through."""
    lines = _lines(seen, places) if places is not None else ()
    assessment = replace(seen.assessment, evidence=(*seen.assessment.evidence, *lines))
    verdict = TraceVerdict("confirmed", records([seen]))
    return Joined(replace(seen, assessment=assessment), ("trace",), verdict)


def _lines(seen: Answer, places: Places) -> tuple[Evidence, ...]:
    subject, names = seen.assessment.subject, places.run_names
    found = places_of(seen, places)
    if found:
        says = f"the code that the runs call `{subject}`"
    elif called := [place for name in sorted(names_in(seen)) for place in names.tools(name)]:
        found, says = called, "a tool that the runs call here"
    elif loops := [place for _, place in places.loops_places()]:
        found, says = loops, "a loop that asks the model"
    else:
        found, says = places.runs_places(), "a run of agents begins here"
    alike = list(dict.fromkeys(found))
    if len(alike) > MOST_PLACES:  # that many are no answer
        return ()
    return tuple(related(place, says) for place in alike)
