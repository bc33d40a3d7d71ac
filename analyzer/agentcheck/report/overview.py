"""What the Markdown and the HTML audit say at their head, worked out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from agentcheck.model.card import PRIORITIES
from agentcheck.model.finding import Finding
from agentcheck.model.report import Report
from agentcheck.report import words
from agentcheck.report.tally import rows, standing

_FAMILIES = {
    "1": "limits on turns, time and money",
    "2": "how replies are read",
    "3": "tools and what they are given",
    "4": "approval of what acts on the world",
    "5": "handoffs",
    "6": "what enters the context",
    "7": "guards",
    "8": "records of runs",
    "9": "tests",
}
_VERDICTS = {
    "confirmed": "confirmed",
    "contradicted": "contradicted",
    "not-exercised": "no recorded run came to this place",
    "not-checkable": "the recorded runs do not carry what would tell",
    "no-runs": "none were given",
}
_WITNESSES = {"code": "reading the code", "trace": "recorded runs", "run": "running it"}


def overview(report: Report) -> dict[str, Any]:
    """The names that both templates use."""
    findings, made = words.shown(report), rows(report)
    codes = [row.question.code for row in made]  # those of other packages mean other families
    families = sorted({code[2:3] for code in codes if code.startswith("AC")} & set(_FAMILIES))
    return {
        "report": report,
        "findings": findings,
        "ran": report.verified is not None,
        "verified": words.verified(report),
        "rows": made,
        "found": _found(findings),
        "fine": [row for row in made if row.verdict in ("met", "met-differently")],
        "standing": standing(made),
        "priorities": words.by_priority(findings),
        "unseen": words.unseen(report),
        "compared": words.compared(report),
        "families": words.listed(_FAMILIES[family] for family in families),
    }


def _found(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """The ids of the findings by the rule whose question they answer."""
    ids: dict[str, list[str]] = {}
    for finding in findings:
        ids.setdefault(finding.rule, []).append(finding.id)
    return ids


def urgent(findings: Iterable[Finding]) -> list[tuple[str, list[str]]]:
    """The titles of what is to be fixed now, each with the ids of the findings that bear it."""
    titles: dict[str, list[str]] = {}
    for finding in findings:
        if finding.priority == "fix-now":
            titles.setdefault(finding.title, []).append(finding.id)
    return list(titles.items())


def counted(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """How many findings there are of each priority, gravest first."""
    counts = Counter(finding.priority for finding in findings)
    return [(name, counts[name]) for name in PRIORITIES]


def known_by(finding: Finding) -> str:
    """ "reading the code and recorded runs"."""
    return words.listed(_WITNESSES[witness] for witness in finding.known_by)


def runs_of(finding: Finding) -> str:
    """What recorded runs say of a finding, in words."""
    return _VERDICTS[finding.trace.verdict]
