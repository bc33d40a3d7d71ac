"""A cross-checked hit -> a finding, still without number, fingerprint and acceptance test."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from agentcheck.crosscheck import Joined
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.card import CONFIDENCES, Confidence, Persona, Severity
from agentcheck.model.finding import Acceptance, Confidences, Finding
from agentcheck.model.kind import CodeKind, code_kind
from agentcheck.model.report import Profile
from agentcheck.rule import Rule
from agentcheck.run.priority import prioritise
from agentcheck.run.select import configured


class Draft(Struct, frozen=True):
    """A finding with what decides about its place in the report and whether it is shown."""

    finding: Finding
    rule: Rule
    persona: Persona
    kind: CodeKind


def draft(joined: Joined, profile: Profile, severities: Mapping[str, Severity]) -> Draft:
    """The finding that a hit makes; what the hit leaves open is taken from the rule's card.

    `severities` are those that the user gave to rules, by selector; they outdo the hit's own.
    Raises ValueError for an answer without a hit.
    """
    rule, said = joined.answer.rule, joined.answer.assessment
    card, hit = rule.card, said.hit
    if hit is None:
        raise ValueError(f"{rule.name}: no hit on {said.subject}")
    severity = configured(rule, severities) or hit.severity or card.severity
    sure = confidence(hit.confidence or card.confidence, joined)
    kind = _kind(joined)
    finding = Finding(
        id="",
        fingerprint="",
        rule=rule.name,
        code=card.code,
        topic=card.topic,
        priority=prioritise(severity, sure, rule, kind, profile),
        severity=severity,
        title=hit.title or card.title,
        message=hit.message,
        subject=said.subject,
        at_stake=hit.at_stake or card.at_stake,
        failure_path=hit.failure_path,
        consequence=hit.consequence or card.consequence,
        evidence=said.evidence,
        owner=hit.owner,
        smallest_change=hit.smallest_change or card.smallest_change,
        could_break=hit.could_break or card.could_break,
        acceptance=Acceptance(hit.acceptance or card.acceptance),
        known_by=joined.known_by,
        confidence=Confidences(sure, card.remedy_confidence),
        challenge=hit.challenge,
        trace=joined.verdict,
        names=hit.names,
        fix=hit.fix,
    )
    return Draft(finding, rule, hit.persona or card.persona, kind)


def confidence(said: Confidence, joined: Joined) -> Confidence:
    """How sure the defect is: a second witness makes it sure, one against it a step less."""
    if joined.verdict.verdict == "confirmed" and len(joined.known_by) > 1:
        return "high"
    if joined.verdict.verdict == "contradicted":
        return CONFIDENCES[min(CONFIDENCES.index(said) + 1, len(CONFIDENCES) - 1)]
    return said


def _kind(joined: Joined) -> CodeKind:
    """The purpose of the code a finding points at first; a run is taken for the product's."""
    code = [e for e in joined.answer.assessment.evidence if isinstance(e, CodeEvidence)]
    first = next((e for e in code if e.role == "primary"), None) or next(iter(code), None)
    return code_kind(first.file) if first else "code"
