"""Code quality report of GitLab: a list of issues, the subset of Code Climate that GitLab reads.

Keys and severities as in GitLab's documentation, "Code Quality report format". What has no line in
a file of the repository (a notebook's cell, a record of a run) stands on line 1 of its file.
"""

from __future__ import annotations

from typing import Any

import msgspec

from agentcheck.model.finding import Finding
from agentcheck.model.report import Report
from agentcheck.report.escape import json_text, one_line
from agentcheck.report.options import Options
from agentcheck.report.words import code_place, rooted, shown

_SEVERITIES = {"high": "critical", "medium": "major", "low": "minor", "info": "info"}


def issues(report: Report, options: Options) -> str:
    """Every finding that is not suppressed as an issue, in report order."""
    data = msgspec.json.encode([_issue(finding, options) for finding in shown(report)])
    if options.indent:
        data = msgspec.json.format(data, indent=options.indent)
    return json_text(data) + "\n"


def _issue(finding: Finding, options: Options) -> dict[str, Any]:
    title, message = one_line(finding.title).rstrip("."), one_line(finding.message)
    told = title if message in ("", title) else f"{title}. {message}"
    return {
        "description": f"{finding.code} {told}",
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": _location(finding, options),
    }


def _location(finding: Finding, options: Options) -> dict[str, Any]:
    """GitLab joins on paths as git writes them: from the root, with no "./" before them."""
    place = code_place(finding)
    file = finding.primary.file if place is None else place.file
    line = 1 if place is None or place.cell is not None else place.line
    return {"path": rooted(options.prefix, file), "lines": {"begin": line}}
