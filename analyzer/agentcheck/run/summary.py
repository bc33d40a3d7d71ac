"""The counts at the end of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from agentcheck.model.assessment import VERDICTS
from agentcheck.model.card import PRIORITIES, SEVERITIES
from agentcheck.model.report import Compared, ReportedAssessment, Skipped, Summary
from agentcheck.run.findings import Findings


def summarise(
    findings: Findings,
    assessments: Iterable[ReportedAssessment],
    skipped: Sequence[Skipped],
    baseline: Compared | None = None,
    unasked: int = 0,
) -> Summary:
    """Counts of findings that are neither suppressed nor hidden, and of those that are."""
    counted = [f for f in findings.shown if f.suppressed is None]
    return Summary(
        findings=len(counted),
        by_priority=_counts(PRIORITIES, (f.priority for f in counted)),
        by_severity=_counts(SEVERITIES, (f.severity for f in counted)),
        verdicts=_counts(VERDICTS, (a.verdict for a in assessments)),
        suppressed=len(findings.shown) - len(counted),
        hidden=findings.hidden,
        skipped=len(skipped),
        outside=findings.outside,
        baseline=baseline,
        unasked=unasked,
    )


def _counts(keys: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    counter = Counter(values)
    return {key: counter[key] for key in keys}
