"""Many runs, few answers: what the same rule answers about the same subject is kept once.

So the memory that an audit of runs takes grows with the subjects and the faults, not with the
runs. Every record that proves a fault is kept, up to MOST_EVIDENCE a finding.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec.structs import replace

from agentcheck.crosscheck import Answer
from agentcheck.model.assessment import Evidence
from agentcheck.model.card import SEVERITIES

MOST_EVIDENCE = 1_000

_Key: TypeAlias = tuple[str, str, str]


class Fold:
    """Answers about runs, added one at a time; `answers` gives what is left of them."""

    def __init__(self) -> None:
        self._first: dict[_Key, Answer] = {}
        self._times: dict[_Key, int] = {}
        self._more: dict[_Key, list[Evidence]] = {}

    def add(self, answer: Answer) -> None:
        """Take in one answer about one run."""
        said = answer.assessment
        key = (answer.rule.name, said.subject, "hit" if said.hit else said.verdict)
        first = self._first.setdefault(key, answer)
        self._times[key] = self._times.get(key, 0) + 1
        if first is answer or said.hit is None:
            return
        if _worse(answer, first):
            self._first[key], answer = answer, first
        more = self._more.setdefault(key, [])
        if len(more) < MOST_EVIDENCE:
            more.extend(replace(e, role="related") for e in answer.assessment.evidence)

    def answers(self) -> tuple[Answer, ...]:
        """One answer per rule, subject and outcome, in the order in which each was first given."""
        return tuple(self._told(key, answer) for key, answer in self._first.items())

    def _told(self, key: _Key, answer: Answer) -> Answer:
        more = self._times[key] - 1
        if not more:
            return answer
        said = answer.assessment
        evidence = (*said.evidence, *self._more.get(key, ()))
        told = replace(
            said,
            why=_counted(said.why, more),
            evidence=evidence,
            hit=said.hit and replace(said.hit, message=_counted(said.hit.message, more)),
        )
        return replace(answer, assessment=told)


def _worse(answer: Answer, other: Answer) -> bool:
    return _severity(answer) < _severity(other)


def _severity(answer: Answer) -> int:
    """The index in SEVERITIES: less is worse."""
    hit = answer.assessment.hit
    return SEVERITIES.index((hit and hit.severity) or answer.rule.card.severity)


def _counted(text: str, more: int) -> str:
    return f"{text.rstrip('.')} (and {more} more {'run' if more == 1 else 'runs'})."
