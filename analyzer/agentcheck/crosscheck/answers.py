"""What is joined: the answers about code, and those about recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from agentcheck.model.assessment import Assessment, TraceEvidence
from agentcheck.model.finding import TraceVerdict, Witness
from agentcheck.model.location import Place
from agentcheck.model.pattern import lazy_re
from agentcheck.rule import Rule

_CALL = lazy_re(r"([\w.:/-]{1,120})\(")
_HANDOFF = lazy_re(r"([^\n]{1,120}?) -> ([^\n]{1,120})")
UNNAMED = "run"
"""What a run without a workflow is called, which names nothing."""


class Sighting(Protocol):
    """A place that a name in a run may mean, and the names that a run through it would use."""

    @property
    def place(self) -> Place:
        """Where it is made."""

    @property
    def names(self) -> frozenset[str]:
        """Of its tools and of the agents that it hands over to."""


class Names(Protocol):
    """The tools and agents that the code defines, by the names that runs have for them."""

    def is_tool(self, name: str) -> bool:
        """Whether any tool has that name."""

    def is_agent(self, name: str) -> bool:
        """Whether any agent has that name."""

    def tools(self, name: str) -> Sequence[Place]:
        """Where the tools of a name are defined."""

    def agents(self, name: str, seen: frozenset[str]) -> Sequence[Sighting]:
        """Where the agents of a name are made, as far as the names `seen` around it tell."""


class Places(Protocol):
    """Where the code defines what runs name; the agent graph answers this."""

    @property
    def run_names(self) -> Names:
        """Tools and agents."""

    def loops_places(self) -> list[tuple[str, Place]]:
        """The agent loops: the subject that names each, and its place."""

    def runs_places(self) -> list[Place]:
        """Where runs of agents are started."""


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


def trace_evidence(answer: Answer) -> list[TraceEvidence]:
    """The records that an answer shows."""
    return [e for e in answer.assessment.evidence if isinstance(e, TraceEvidence)]


def records(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Where the runs show it, as "file#run/record", each once."""
    found = (f"{e.file}#{e.run}/{e.record}" for a in answers for e in trace_evidence(a))
    return tuple(dict.fromkeys(found))


def names_in(answer: Answer) -> frozenset[str]:
    """The tools that are called in the records of an answer, and the agents that hand over."""
    found: set[str] = set()
    for evidence in trace_evidence(answer):
        call, handoff = _CALL.match(evidence.text), _HANDOFF.fullmatch(evidence.text)
        found.update(call.groups() if call else ())
        found.update(handoff.groups() if handoff else ())
    return frozenset(found)
