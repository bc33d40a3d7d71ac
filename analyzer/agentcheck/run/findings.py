"""Hits that were cross-checked -> findings, filtered, suppressed, in report order, numbered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.config import Settings
from agentcheck.crosscheck import Joined
from agentcheck.model.assessment import CodeEvidence, TraceEvidence
from agentcheck.model.card import CONFIDENCES, PERSONAS, PRIORITIES, SEVERITIES
from agentcheck.model.finding import Acceptance, Finding
from agentcheck.model.kind import KINDS
from agentcheck.model.report import Profile
from agentcheck.rule import Rule
from agentcheck.run.baseline import Baseline
from agentcheck.run.draft import Draft, draft
from agentcheck.run.fingerprint import fingerprints
from agentcheck.run.focus import Focus
from agentcheck.run.since import Changes
from agentcheck.run.suppress import Suppressor
from agentcheck.trace.mask import without_identity

_Order: TypeAlias = tuple[int, int, int, int, str, int, str, str]


class Lens(Struct, frozen=True):
    """What is told of a finding besides what it is.

    The `focus` of what the user asked, every `known` rule, the `baseline`, and the `changes`
    outside of which nothing is reported.
    """

    suppressor: Suppressor
    focus: Focus
    known: tuple[Rule, ...] = ()
    baseline: Baseline | None = None
    changes: Changes | None = None


class Findings(Struct, frozen=True):
    """What a report shows, how many findings its settings hide, and how many no change touches.

    `names` are the fingerprints of all, also under the names that files had when the baseline was
    written.
    """

    shown: tuple[Finding, ...]
    hidden: int
    outside: int
    names: frozenset[str]


def make_findings(
    joined: Iterable[Joined], profile: Profile, settings: Settings, lens: Lens
) -> Findings:
    """The findings in report order, numbered F1, F2, ...; suppressed ones are among them.

    What was asked for comes first.
    """
    drafts = sorted((draft(one, profile, settings.severity) for one in joined), key=_order)
    renamed = lens.baseline.renamed if lens.baseline else {}
    names = list(fingerprints(_identity(d.finding, {}) for d in drafts))
    before = names
    if renamed:
        before = list(fingerprints(_identity(d.finding, renamed) for d in drafts))
    judged = [_judged(*each, lens.suppressor) for each in zip(drafts, names, before, strict=True)]
    touched = [d for d in judged if lens.changes is None or lens.changes.touches(d.finding)]
    kept = [d.finding for d in touched if _is_shown(d, settings)]
    kept.sort(key=lambda finding: not lens.focus.holds(finding))
    return Findings(
        shown=tuple(replace(finding, id=f"F{number}") for number, finding in enumerate(kept, 1)),
        hidden=len(touched) - len(kept),
        outside=len(judged) - len(touched),
        names=frozenset((*names, *before)),
    )


def _judged(one: Draft, name: str, before: str, suppressor: Suppressor) -> Draft:
    """The draft with its fingerprint, and with who accepted it if anybody did."""
    finding = replace(one.finding, fingerprint=name)
    accepted = suppressor.of(finding, one.rule, before)
    return replace(one, finding=replace(finding, suppressed=accepted))


def with_acceptance(
    finding: Finding, staged: Callable[[Finding], dict[str, str]] | None
) -> Finding:
    """The finding with its acceptance text filled in and, if asked for, its test's source.

    `staged` gives the names of what a test imports and calls; None where no test is asked for.
    """
    from agentcheck.acceptance.generate import test_source
    from agentcheck.acceptance.scenarios import TOPICS
    from agentcheck.acceptance.text import acceptance_text

    text = acceptance_text(finding.acceptance.text, finding.names)
    told = replace(finding, acceptance=Acceptance(text))
    if staged is None or finding.topic not in TOPICS:
        return told
    told = replace(told, names={**finding.names, **staged(finding)})
    return replace(told, acceptance=Acceptance(text, test_source(told)))


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


def _identity(finding: Finding, renamed: Mapping[str, str]) -> tuple[str, str, str, str]:
    primary = finding.primary
    text = primary.text
    if isinstance(primary, TraceEvidence):
        text = without_identity(text)  # which no two processes share
    return finding.rule, renamed.get(primary.file, primary.file), finding.subject, text


def _is_shown(one: Draft, settings: Settings) -> bool:
    finding = one.finding
    return (
        SEVERITIES.index(finding.severity) <= SEVERITIES.index(settings.min_severity)
        and CONFIDENCES.index(finding.confidence.defect)
        <= CONFIDENCES.index(settings.min_confidence)
        and PERSONAS.index(one.persona) <= PERSONAS.index(settings.persona)
    )
