"""Annotations of a pull request: workflow commands of GitHub Actions, the gravest first.

Of a step GitHub keeps the first ten errors, warnings and notices (actions/toolkit,
docs/problem-matchers.md) and tells nobody of the rest, so the first notice gives the total. The
format and its escapes are those of actions/toolkit, packages/core/src/command.ts.
"""

from __future__ import annotations

from collections import Counter

from agentcheck.model.card import SEVERITIES
from agentcheck.model.finding import Finding
from agentcheck.model.report import Note, Report
from agentcheck.report.escape import one_line, visible
from agentcheck.report.options import Options
from agentcheck.report.words import code_place, rooted, shown, total

_KEPT = 10
_LEVELS = {"high": "error", "medium": "warning", "low": "notice", "info": "notice"}


def commands(report: Report, options: Options) -> str:
    """The total, then one command a finding, each on a line of its own."""
    ordered = sorted(shown(report), key=lambda finding: SEVERITIES.index(finding.severity))
    made = [_annotation(finding, options) for finding in ordered]
    made += [_noted(note, options) for note in report.notes]
    return "\n".join([_command("notice", {"title": "agentcheck"}, _told(report)), *made, ""])


def _told(report: Report) -> str:
    """The total, and that some findings stand in the log alone."""
    counts = Counter(_LEVELS[finding.severity] for finding in shown(report))
    counts["notice"] += len(report.notes)
    room = {"notice": _KEPT - 1}
    lost = sum(max(count - room.get(level, _KEPT), 0) for level, count in counts.items())
    if not lost:
        return total(report)
    return f"{total(report)}. GitHub shows ten of a kind: {lost} more stand in the log and reports"


def _annotation(finding: Finding, options: Options) -> str:
    properties = _where(finding, options)
    properties["title"] = one_line(f"{finding.code} {finding.rule}: {finding.title}")
    message = "\n".join(
        one_line(text)
        for text in (
            finding.message or finding.title,
            f"Change: {finding.smallest_change}",
            f"Prove it: {finding.acceptance.text}",
        )
    )
    return _command(_LEVELS[finding.severity], properties, message)


def _noted(note: Note, options: Options) -> str:
    where = {"file": visible(rooted(options.prefix, note.file))}
    if note.cell is None:
        where |= {"line": str(note.line), "col": str(note.column)}
    return _command("notice", where | {"title": note.kind}, one_line(note.text))


def _where(finding: Finding, options: Options) -> dict[str, str]:
    """Code before runs: an annotation stands on a line of the pull request."""
    place = code_place(finding)
    if place is None:
        return {"file": visible(rooted(options.prefix, finding.primary.file))}
    found = {"file": visible(rooted(options.prefix, place.file))}
    if place.cell is not None:
        return found
    found |= {"line": str(place.line), "endLine": str(place.end_line)}
    if place.line == place.end_line:  # GitHub takes columns only within one line
        found |= {"col": str(place.column), "endColumn": str(place.end_column)}
    return found


def _command(level: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
