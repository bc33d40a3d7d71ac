"""What the Markdown and the HTML audit say at their head, worked out once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from agentcheck.model.card import PRIORITIES, Priority
from agentcheck.model.finding import Finding
from agentcheck.model.report import Profile, Report
from agentcheck.report import words
from agentcheck.report.tally import rows, standing
from agentcheck.report.workflow_words import ways

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
_HARM = {
    "real": "Side effects here are real: a fault acts on the world at once.",
    "reversible": "Side effects here can be undone, so the harm is small until real systems are "
    "connected.",
    "none": "No tool was found that acts on the world, so the harm is lost time and money.",
}
_KINDS = {
    "interactive": "interactive",
    "unattended": "unattended",
    "both": "interactive and unattended",
    "unknown": "whether interactive is not known",
}
_HORIZONS = {
    "run": "nothing is kept after a run",
    "session": "conversations are kept in memory",
    "lasting": "conversations are stored",
    "unknown": "",
}
_SURFACE = {
    "money": "money",
    "message": "messages",
    "destructive": "deletion",
    "code": "running code",
    "change": "changes of data",
}
_WHEN: dict[Priority, str] = {
    "fix-now": "Do first, in this order",
    "investigate-next": "Then look into",
    "fix-when": "When the code is next touched, or its use grows",
    "leave": "Leave as it is",
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
        "unasked": _unasked(report),
        "kind": kind_of_code(report.profile),
        "harm": _HARM[report.profile.side_effects],
        "order": ordered(findings),
        "ways": ways(report.workflows),
        "fixable": words.fixable(report),
        "priorities": words.by_priority(findings),
        "unseen": words.unseen(report),
        "compared": words.compared(report),
        "families": words.listed(_FAMILIES[family] for family in families),
    }


def kind_of_code(profile: Profile) -> str:
    """What kind of agent code it is, in words, without the SDKs it is built on."""
    acts = words.listed(_SURFACE[kind] for kind in profile.surface if kind in _SURFACE)
    parts = (
        profile.form,
        _KINDS[profile.interaction],
        f"side effects: {profile.side_effects}{f' ({acts})' if acts else ''}",
        {"single": "one tenant", "many": "many tenants"}[profile.tenancy],
        _HORIZONS[profile.horizon],
    )
    return "; ".join(part for part in parts if part)


def _unasked(report: Report) -> str:
    count = report.summary.unasked
    if not count:
        return ""
    why = "for want of recorded runs or code, or by the settings"
    return f"{words.plural(count, 'more rule')} not asked ({why})"


def ordered(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """When to do what: the words for each priority that has findings, and these."""
    found: dict[Priority, list[Finding]] = {name: [] for name in PRIORITIES}
    for finding in findings:
        found[finding.priority].append(finding)
    return [(_WHEN[name], some) for name, some in found.items() if some]


def _found(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """The ids of the findings by the rule whose question they answer."""
    ids: dict[str, list[str]] = {}
    for finding in findings:
        ids.setdefault(finding.rule, []).append(finding.id)
    return ids


def urgent(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """The titles of what is to be fixed now, each with the findings that bear it."""
    titles: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.priority == "fix-now":
            titles.setdefault(finding.title, []).append(finding)
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
