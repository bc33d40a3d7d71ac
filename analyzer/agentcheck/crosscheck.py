"""Join what the code says with what recorded runs say, on (topic, subject).

A hit in a run belongs to the hits in code that share its topic and speak of the same subject:
equal names, a qualified name that ends in it, or evidence at the line where the code defines it.
Where a topic is about the loop or the dispatcher of the whole program, a run cannot name which
one it went through; then it belongs to the topic's hits if they have one owner, else to those in
library code. A hit of such a topic that names an agent belongs to the agent's and to the
dispatcher's. Hits that belong together become one, known by code and trace.

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

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.assessment import Assessment, CodeEvidence, Evidence, TraceEvidence
from agentcheck.model.finding import TraceVerdict, Witness
from agentcheck.model.kind import code_kind
from agentcheck.model.location import Place
from agentcheck.rule import Rule

PROGRAM_TOPICS = frozenset(
    {
        "unbounded-loop",
        "no-budget",
        "handoff-race",
        "tool-args-unguarded",
        "finish-reason-unchecked",
        "tool-error-ends-run",
        "unpaired-tool-call",
    }
)
SHOWS_OPPOSITE = frozenset(
    {
        "finish-reason-unchecked",
        "handoff-race",
        "tool-args-unguarded",
        "tool-error-ends-run",
        "unguarded-side-effect",
    }
)


class Places(Protocol):
    """Where the code defines what runs name; the agent graph answers this."""

    def tool(self, name: str) -> Place | None:
        """Where a tool is defined."""

    def agent(self, name: str) -> Place | None:
        """Where an agent is made."""

    def is_agent(self, name: str) -> bool:
        """Whether any agent has that name."""

    def loops_places(self) -> list[tuple[str, Place]]:
        """The agent loops: the subject that names each, and its place."""


class Answer(Struct, frozen=True):
    """An assessment and the rule that gave it."""

    rule: Rule
    assessment: Assessment

    @property
    def topic(self) -> str:
        """The question's name, shared by the witnesses of one fault."""
        return self.rule.card.topic


class Traced(Struct, frozen=True):
    """What recorded runs answered: `runs` were read, `topics` were asked about."""

    answers: tuple[Answer, ...] = ()
    runs: int = 0
    topics: frozenset[str] = frozenset()


class Joined(Struct, frozen=True):
    """A hit with everything that is known of it."""

    answer: Answer
    known_by: tuple[Witness, ...]
    verdict: TraceVerdict


def crosscheck(code: Sequence[Answer], traced: Traced, places: Places | None) -> list[Joined]:
    """Every hit of both witnesses, each fault once: those in code, then those only runs show."""
    hits = [a for a in code if a.assessment.hit]
    owned = [(a, _belonging(a, hits, places)) for a in traced.answers if a.assessment.hit]
    joined = []
    for number, own in enumerate(hits):
        proof = [seen for seen, owners in owned if number in owners]
        if proof:
            joined.append(_merged(own, proof))
        else:
            joined.append(Joined(own, ("code",), _unproved(own, hits, traced, places)))
    return joined + [_alone(seen, places) for seen, owners in owned if not owners]


def _belonging(seen: Answer, hits: Sequence[Answer], places: Places | None) -> set[int]:
    """The indices of the hits in code that a hit in a run belongs to."""
    topic = [n for n, own in enumerate(hits) if own.topic == seen.topic]
    same = {n for n in topic if _same_subject(hits[n], seen, places)}
    if seen.topic not in PROGRAM_TOPICS:
        return same
    if same:
        return (
            same | {n for n in topic if _went_through(hits[n], places)}
            if _named(seen, places)
            else same
        )
    if _one_owner(hits, seen.topic):
        return set(topic)
    return {n for n in topic if code_kind(_file(hits[n])) == "code"}


def _named(seen: Answer, places: Places | None) -> bool:
    """Whether a hit in a run speaks of an agent, so that its dispatcher is meant too."""
    return places is not None and places.is_agent(seen.assessment.subject)


def _went_through(own: Answer, places: Places | None) -> bool:
    """Whether a hit is about a function of the library that every agent's run goes through."""
    agent = places is not None and places.is_agent(own.assessment.subject)
    return not agent and code_kind(_file(own)) == "code"


def _one_owner(hits: Iterable[Answer], topic: str) -> bool:
    owners = {a.assessment.hit.owner for a in hits if a.topic == topic and a.assessment.hit}
    return len(owners) == 1


def _same_subject(own: Answer, seen: Answer, places: Places | None) -> bool:
    mine, theirs = own.assessment.subject, seen.assessment.subject
    if theirs in (mine, mine.rpartition(".")[2]):
        return True
    place = _place(theirs, places)
    lines = {(e.file, e.line) for e in own.assessment.evidence if isinstance(e, CodeEvidence)}
    return place is not None and (place.file, place.span.line) in lines


def _place(subject: str, places: Places | None) -> Place | None:
    """Where the code defines a tool, an agent or a loop of that name."""
    if places is None:
        return None
    loops = (place for name, place in places.loops_places() if name == subject)
    return places.tool(subject) or places.agent(subject) or next(loops, None)


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
    sole = own.topic in PROGRAM_TOPICS and _one_owner(hits, own.topic)
    against = [
        seen
        for seen in telling
        if own.topic in SHOWS_OPPOSITE
        and seen.assessment.verdict == "met"
        and (sole or _same_subject(own, seen, places))
    ]
    if against:
        return TraceVerdict("contradicted", _records(against))
    return TraceVerdict("not-exercised")


def _merged(own: Answer, proof: Sequence[Answer]) -> Joined:
    """The hit in code with the records that prove it among its evidence."""
    shown = [replace(e, role="related") for seen in proof for e in _trace_evidence(seen)]
    assessment = replace(own.assessment, evidence=(*own.assessment.evidence, *shown))
    verdict = TraceVerdict("confirmed", _records(proof))
    return Joined(replace(own, assessment=assessment), ("code", "trace"), verdict)


def _alone(seen: Answer, places: Places | None) -> Joined:
    """A hit that only runs show, with the line of code that it names if there is one."""
    place = _place(seen.assessment.subject, places)
    evidence: tuple[Evidence, ...] = seen.assessment.evidence
    if place is not None:
        evidence = (*evidence, _line_of(place, seen.assessment.subject))
    assessment = replace(seen.assessment, evidence=evidence)
    verdict = TraceVerdict("confirmed", _records([seen]))
    return Joined(replace(seen, assessment=assessment), ("trace",), verdict)


def _line_of(place: Place, subject: str) -> CodeEvidence:
    span = place.span
    return CodeEvidence(
        role="related",
        file=place.file,
        line=span.line,
        end_line=span.end_line,
        column=span.column,
        end_column=span.end_column,
        text=place.text,
        says=f"the code that the runs call `{subject}`",
        cell=place.cell,
    )


def _records(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Where the runs show it, as "file#run/record", each once."""
    found = (f"{e.file}#{e.run}/{e.record}" for a in answers for e in _trace_evidence(a))
    return tuple(dict.fromkeys(found))


def _trace_evidence(answer: Answer) -> list[TraceEvidence]:
    return [e for e in answer.assessment.evidence if isinstance(e, TraceEvidence)]


def _file(answer: Answer) -> str:
    evidence = answer.assessment.evidence
    return next((e.file for e in evidence if e.role == "primary"), "")
