"""Whether a report is one to fail on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcheck.model.card import Severity
    from agentcheck.model.finding import Finding
    from agentcheck.model.report import Report


def open_findings(report: Report) -> list[Finding]:
    """The findings that nobody has accepted."""
    return [finding for finding in report.findings if finding.suppressed is None]


def fails(report: Report, fail_on: Severity) -> bool:
    """Whether an open finding is at least as severe as this."""
    from agentcheck.model.card import SEVERITIES

    limit = SEVERITIES.index(fail_on)
    return any(SEVERITIES.index(f.severity) <= limit for f in open_findings(report))
