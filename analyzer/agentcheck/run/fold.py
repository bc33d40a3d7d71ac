"""Many runs, few answers: what the same rule answers about the same subject is kept once.

So the memory that an audit of runs takes grows with the subjects and the faults, not with the
runs. Every record that proves a fault is kept, up to MOST_EVIDENCE a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.crosscheck import Answer
from agentcheck.model.assessment import Assessment, Evidence, TraceEvidence, Verdict
from agentcheck.model.card import SEVERITIES
from agentcheck.rule import Rule

MOST_EVIDENCE = 1_000
_HITS = ("not-met", "partly")

Key: TypeAlias = tuple[str, str, str]


class Kept(Struct):
    """What is left of equal answers: how many there were, the worst, and the evidence of all.

    `own` is the index in `proofs` of what proves the worst, None where that came too late.
    """

    worst: Assessment
    times: int = 0
    proofs: list[tuple[Evidence, ...]] = []
    size: int = 0
    own: int | None = None


def later(kept: Mapping[Key, Kept], runs: int) -> dict[Key, Kept]:
    """What was kept of runs that were numbered from 0, where `runs` others come before them."""
    return {key: _shifted(one, runs) for key, one in kept.items()} if runs else dict(kept)


def _shifted(kept: Kept, runs: int) -> Kept:
    worst = replace(kept.worst, evidence=_behind(kept.worst.evidence, runs))
    return replace(kept, worst=worst, proofs=[_behind(proof, runs) for proof in kept.proofs])


def _behind(evidence: tuple[Evidence, ...], runs: int) -> tuple[Evidence, ...]:
    return tuple(
        replace(each, run=each.run + runs) if isinstance(each, TraceEvidence) else each
        for each in evidence
    )


class Fold:
    """Answers about runs, added one at a time; `answers` gives what is left of them.

    Of what there is enough `before` these runs, further answers are only counted.
    """

    def __init__(self, before: Mapping[Key, Kept] | None = None) -> None:
        self._rules: dict[str, Rule] = {}
        self.kept: dict[Key, Kept] = {}
        self._before = before or {}
        self._countable: dict[str, dict[tuple[str, Verdict], Kept]] = {}

    def countable(self, rule: Rule) -> dict[tuple[str, Verdict], Kept]:
        """Of a rule, by subject and verdict, what further answers are only counted in."""
        return self._countable.setdefault(rule.name, {})

    def add(self, answer: Answer) -> None:
        """Take in one answer about one run."""
        rule, said = answer.rule, answer.assessment
        key = rule.name, said.subject, _outcome(said.verdict)
        one = Kept(said, times=1)
        if said.hit is not None:
            one.proofs, one.size, one.own = [said.evidence], len(said.evidence), 0
        self._join(rule, key, one)

    def count(self, rule: Rule, usual: tuple[str, Verdict]) -> bool:
        """Take in one more answer by subject and verdict; False where more of it is needed.

        A hit is one of the rule's own severity.
        """
        kept = self.counted(rule, usual)
        if kept is None:
            return False
        kept.times += 1
        return True

    def counted(self, rule: Rule, usual: tuple[str, Verdict]) -> Kept | None:
        """What one more answer is counted in; None where more of it is needed."""
        return self.countable(rule).get(usual) or self._may_count(rule, usual)

    def _may_count(self, rule: Rule, usual: tuple[str, Verdict]) -> Kept | None:
        subject, verdict = usual
        key = rule.name, subject, _outcome(verdict)
        known = [each for each in (self.kept.get(key), self._before.get(key)) if each]
        if not known:
            return None
        size, worst = sum(each.size for each in known), known[0].worst
        if verdict in _HITS and (size < MOST_EVIDENCE or _more_severe(rule, worst)):
            return None
        counted = self.kept.setdefault(key, Kept(worst))
        self.countable(rule)[usual] = counted
        return counted

    def join(self, kept: Mapping[Key, Kept], rules: Mapping[str, Rule]) -> None:
        """Take in what another fold kept of the runs that follow."""
        for key, one in kept.items():
            self._join(rules[key[0]], key, one)

    def answers(self) -> tuple[Answer, ...]:
        """One answer per rule, subject and outcome, in the order in which each was first given."""
        return tuple(
            Answer(self._rules[rule], _told(kept)) for (rule, _, _), kept in self.kept.items()
        )

    def _join(self, rule: Rule, key: Key, more: Kept) -> None:
        self._rules[rule.name] = rule
        kept = self.kept.setdefault(key, more)
        if kept is more:
            return
        kept.times += more.times
        worse = _severity(rule, more.worst) < _severity(rule, kept.worst)
        if worse:
            kept.worst, kept.own = more.worst, None
        for number, proof in enumerate(more.proofs):
            if kept.size < MOST_EVIDENCE:
                if worse and number == more.own:
                    kept.own = len(kept.proofs)
                kept.proofs.append(proof)
                kept.size += len(proof)


def _told(kept: Kept) -> Assessment:
    more, said = kept.times - 1, kept.worst
    if not more:
        return said
    return replace(
        said,
        why=_counted(said.why, more),
        evidence=(*said.evidence, *_others(kept)),
        hit=said.hit and replace(said.hit, message=_counted(said.hit.message, more)),
    )


def _others(kept: Kept) -> Iterator[Evidence]:
    for number, proof in enumerate(kept.proofs):
        if number != kept.own:
            yield from (replace(each, role="related") for each in proof)


def _outcome(verdict: Verdict) -> str:
    return "hit" if verdict in _HITS else verdict


def _more_severe(rule: Rule, worst: Assessment) -> bool:
    """Whether the rule's own severity is worse than that of a hit."""
    return SEVERITIES.index(rule.card.severity) < _severity(rule, worst)


def _severity(rule: Rule, said: Assessment) -> int:
    """The index in SEVERITIES: less is worse."""
    return SEVERITIES.index((said.hit and said.hit.severity) or rule.card.severity)


def _counted(text: str, more: int) -> str:
    return f"{text.rstrip('.')} (and {more} more {'run' if more == 1 else 'runs'})."
