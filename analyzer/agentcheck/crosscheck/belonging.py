"""Which hits in code a hit in a run belongs to.

Those of its topic that speak of the same subject: equal names, a qualified name that ends in it,
or evidence at the line where the code defines it. Names are compared as `graph.run_names` reads
them; where two agents share one, the names around it tell which is meant.

Where a topic is about the loop or the dispatcher of the whole program, a run cannot name which
one it went through; then it belongs to the topic's hits if they have one owner, else to those in
library code. A hit that names a tool or an agent belongs to its own hits and the dispatcher's.
Where a topic is about one of several places, and the run does not name it, it belongs to the
topic's hits only if they have one owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentcheck.crosscheck.answers import UNNAMED, Answer, Places, names_in
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.kind import code_kind
from agentcheck.model.location import Place

PROGRAM_TOPICS = frozenset(
    {
        "unbounded-loop",
        "no-budget",
        "unbounded-context",
        "handoff-race",
        "tool-args-unguarded",
        "finish-reason-unchecked",
        "tool-error-ends-run",
        "unpaired-tool-call",
    }
)
"""About the loop or the dispatcher that every run goes through."""
TOOL_TOPICS = frozenset({"unguarded-side-effect"})
"""About one tool, and about the dispatcher that runs it."""
SOLE_TOPICS = frozenset({"cache-busting-prompt", "content-logged", "fail-open-guard"})
"""About one place of many, which a run need not name."""


def belonging(seen: Answer, hits: Sequence[Answer], places: Places | None) -> set[int]:
    """The indices of the hits in code that a hit in a run belongs to."""
    topic = [n for n, own in enumerate(hits) if own.topic == seen.topic]
    same = {n for n in topic if same_subject(hits[n], seen, places)}
    if seen.topic in TOOL_TOPICS:
        return same | _dispatchers(hits, topic, places)
    if seen.topic in PROGRAM_TOPICS:
        if same:
            return same | _dispatchers(hits, topic, places) if _is_named(seen, places) else same
        sole = one_owner(hits, seen.topic)
        return set(topic) if sole else _dispatchers(hits, topic, places)
    if not same and seen.topic in SOLE_TOPICS and one_owner(hits, seen.topic):
        return set(topic)
    return same


def same_subject(own: Answer, seen: Answer, places: Places | None) -> bool:
    """Whether a hit in code and an answer about a run speak of the same thing."""
    mine, theirs = own.assessment.subject, seen.assessment.subject
    lines = {(e.file, e.line) for e in own.assessment.evidence if isinstance(e, CodeEvidence)}
    meant = places_of(seen, places)
    if any((place.file, place.span.line) in lines for place in meant):
        return True
    if theirs not in (mine, mine.rpartition(".")[2]) or theirs == UNNAMED:
        return False
    return not (meant and _is_ambiguous(seen, places))


def _is_ambiguous(seen: Answer, places: Places | None) -> bool:
    """Whether an agent's name is that of several, so that its place has to decide."""
    return places is not None and len(places.run_names.agents(_subject(seen), frozenset())) > 1


def places_of(seen: Answer, places: Places | None) -> list[Place]:
    """Where the code defines the tool, the agent or the loop that an answer about a run names."""
    if places is None:
        return []
    names, subject = places.run_names, _subject(seen)
    found = list(names.tools(subject)) if names.is_tool(subject) else []
    found = found or [each.place for each in names.agents(subject, names_in(seen))]
    found = found or list(names.tools(subject))
    return found or [place for name, place in places.loops_places() if name == subject]


def one_owner(hits: Iterable[Answer], topic: str) -> bool:
    """Whether all hits of a topic are one function's."""
    owners = {a.assessment.hit.owner for a in hits if a.topic == topic and a.assessment.hit}
    return len(owners) == 1


def _subject(seen: Answer) -> str:
    return seen.assessment.subject


def _is_named(seen: Answer, places: Places | None) -> bool:
    """Whether a hit in a run speaks of a tool or an agent, so that its dispatcher is meant too."""
    return places is not None and _is_known(_subject(seen), places)


def _is_known(name: str, places: Places) -> bool:
    return places.run_names.is_agent(name) or places.run_names.is_tool(name)


def _dispatchers(hits: Sequence[Answer], topic: Sequence[int], places: Places | None) -> set[int]:
    """The hits about functions of the library that every run goes through."""
    return {
        n
        for n in topic
        if code_kind(_file(hits[n])) == "code"
        and not (places is not None and _is_known(hits[n].assessment.subject, places))
    }


def _file(answer: Answer) -> str:
    evidence = answer.assessment.evidence
    return next((e.file for e in evidence if e.role == "primary"), "")
