"""Hits that were cross-checked -> findings, filtered, suppressed, in report order, numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.config import Settings
from agentcheck.crosscheck import Joined
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.card import CONFIDENCES, PERSONAS, PRIORITIES, SEVERITIES
from agentcheck.model.finding import Acceptance, Finding
from agentcheck.model.kind import KINDS
from agentcheck.model.report import Profile
from agentcheck.run.draft import Draft, draft
from agentcheck.run.fingerprint import fingerprints
from agentcheck.run.suppress import Suppressor

_Order: TypeAlias = tuple[int, int, int, int, str, int, str, str]


class Findings(Struct, frozen=True):
    """What a report shows, and how many findings its settings hide."""

    shown: tuple[Finding, ...]
    hidden: int


def make_findings(
    joined: Iterable[Joined], profile: Profile, settings: Settings, suppressor: Suppressor
) -> Findings:
    """The findings in report order, numbered F1, F2, ...; suppressed ones are among them."""
    drafts = sorted((draft(one, profile) for one in joined), key=_order)
    names = fingerprints(_identity(d.finding) for d in drafts)
    named = [
        (replace(d.finding, fingerprint=name), d) for d, name in zip(drafts, names, strict=True)
    ]
    kept = [(finding, d) for finding, d in named if _is_shown(d, settings)]
    shown = [
        replace(finding, id=f"F{number}", suppressed=suppressor.of(finding, d.rule))
        for number, (finding, d) in enumerate(kept, 1)
    ]
    return Findings(tuple(shown), len(named) - len(kept))


def with_acceptance(finding: Finding, *, tests: bool) -> Finding:
    """The finding with its acceptance text filled in and, if asked for, its test's source."""
    from agentcheck.acceptance.generate import test_source
    from agentcheck.acceptance.text import acceptance_text

    text = acceptance_text(finding.acceptance.text, finding.names)
    told = replace(finding, acceptance=Acceptance(text))
    return replace(told, acceptance=Acceptance(text, test_source(told))) if tests else told


def _order(one: Draft) -> _Order:
    """Report order: what to do first, then how bad, how sure, in what kind of code, and where."""
    finding, primary = one.finding, one.finding.primary
    line = primary.line if isinstance(primary, CodeEvidence) else primary.run
    return (
        PRIORITIES.index(finding.priority),
        SEVERITIES.index(finding.severity),
        CONFIDENCES.index(finding.confidence.defect),
        KINDS.index(one.kind),
        primary.file,
        line,
        finding.code,
        finding.subject,
    )


def _identity(finding: Finding) -> tuple[str, str, str, str]:
    return finding.rule, finding.primary.file, finding.subject, finding.primary.text


def _is_shown(one: Draft, settings: Settings) -> bool:
    finding = one.finding
    return (
        SEVERITIES.index(finding.severity) <= SEVERITIES.index(settings.min_severity)
        and CONFIDENCES.index(finding.confidence.defect)
        <= CONFIDENCES.index(settings.min_confidence)
        and PERSONAS.index(one.persona) <= PERSONAS.index(settings.persona)
    )
