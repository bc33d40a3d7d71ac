"""SARIF 2.1.0 (OASIS), within what GitHub code scanning reads of it.

Lines and columns need no change: both count from 1, columns in characters, the end exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from agentcheck.model.assessment import Evidence
from agentcheck.model.card import SEVERITIES
from agentcheck.model.finding import Finding
from agentcheck.model.report import Note, Question, Report
from agentcheck.report import words
from agentcheck.report.escape import json_text, one_line
from agentcheck.report.options import Options
from agentcheck.report.sarif_places import (
    artifact,
    link_free,
    located,
    logical,
    records_beside,
    suppression,
)

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"high": "error", "medium": "warning", "low": "note", "info": "note"}
_PROBLEMS = {
    "high": "error",
    "medium": "warning",
    "low": "recommendation",
    "info": "recommendation",
}
_SCORES = {"high": "8.0", "medium": "5.5", "low": "2.5", "info": "0.5"}
_MOST_RESULTS = 25_000  # GitHub refuses a file with more
_MOST_TEXT = 1_000
_MOST_TAGS = 10


def log(report: Report, options: Options) -> str:
    """The report as a SARIF log of one run, with a rule for every question that was asked."""
    rules = _rules(report, dict(options.manuals))
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    kept = report.findings[:_MOST_RESULTS]
    driver = {
        "name": report.tool.name,
        "semanticVersion": report.tool.version,
        "rules": rules,
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, options)],
        "results": [_result(finding, index, options) | _state(finding, report) for finding in kept],
        "properties": {"schema": report.schema, "root": report.target.root},
    }
    if report.target.commit:
        run["properties"]["commit"] = report.target.commit
    if options.category:
        run["automationDetails"] = {"id": f"{report.tool.name}/{options.category}/"}
    data = msgspec.json.encode({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})
    if options.indent:
        data = msgspec.json.format(data, indent=options.indent)
    return json_text(data) + "\n"


def _rules(report: Report, manuals: Mapping[str, str]) -> list[dict[str, Any]]:
    """A finding whose question is not in the report still gets its rule."""
    asked = {question.code: question for question in report.questions}
    fired: dict[str, list[Finding]] = {}
    for finding in report.findings:
        fired.setdefault(finding.code, []).append(finding)
        made = Question(finding.rule, finding.code, finding.topic, finding.title, finding.title)
        asked.setdefault(finding.code, made)
    return [
        _rule(question, fired.get(code, []), manuals.get(question.rule, ""))
        for code, question in sorted(asked.items())
    ]


def _rule(question: Question, findings: list[Finding], manual: str) -> dict[str, Any]:
    """A rule; GitHub shows its manual, where there is one, beside every result."""
    asked = one_line(question.question)
    rule: dict[str, Any] = {
        "id": question.code,
        "name": one_line(question.rule)[:255],
        "shortDescription": {"text": one_line(question.title)[:_MOST_TEXT] or question.rule},
        "fullDescription": {"text": asked[:_MOST_TEXT] or question.rule},
        "help": {"text": f"{asked} Read more: agentcheck rule {question.rule}".strip()},
        "properties": {"tags": [*question.tags, question.topic][:_MOST_TAGS]},
    }
    if manual:
        rule["help"]["markdown"] = manual
    severity, precision = _weight(question, findings)
    if severity:
        rule["defaultConfiguration"] = {"level": _LEVELS[severity]}
        rule["properties"] |= {"precision": precision, "problem.severity": _PROBLEMS[severity]}
        if "security" in question.tags:
            rule["properties"]["security-severity"] = _SCORES[severity]
    return rule


def _weight(question: Question, findings: list[Finding]) -> tuple[str | None, str]:
    """Severity and precision: the card's, else those of the gravest finding."""
    if question.severity:
        return question.severity, question.confidence or "medium"
    if not findings:
        return None, ""
    worst = min(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return worst.severity, worst.confidence.defect


def _result(finding: Finding, index: dict[str, int], options: Options) -> dict[str, Any]:
    primary = finding.primary
    others = [item for item in finding.evidence if item is not primary]
    others += records_beside(finding)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding, others)},
        "locations": [located(primary, options) | logical(finding.subject)],
        "relatedLocations": [
            {"id": number} | located(item, options) for number, item in enumerate(others, 1)
        ],
        "codeFlows": [{"threadFlows": [{"locations": _flow(finding, options)}]}],
        "partialFingerprints": {
            "agentcheck/v1": finding.fingerprint,
            "primaryLocationLineHash": finding.fingerprint,
        },
        "properties": {
            "id": finding.id,
            "priority": finding.priority,
            "topic": finding.topic,
            "owner": words.owned(finding).replace("`", ""),
            "knownBy": list(finding.known_by),
            **({"run": finding.run.verdict} if finding.run is not None else {}),
        },
    }
    if finding.suppressed:
        result["suppressions"] = [suppression(finding.suppressed, options)]
    return result


def _state(finding: Finding, report: Report) -> dict[str, str]:
    if report.summary.baseline is None:
        return {}
    known = finding.suppressed is not None and finding.suppressed.by == "baseline"
    return {"baselineState": "unchanged" if known else "new"}


def _message(finding: Finding, others: list[Evidence]) -> str:
    """The title as a first sentence, then what to do, then links to the related locations."""
    first = one_line(finding.title).rstrip(".") + "."
    told = [first, one_line(finding.message), f"Change: {one_line(finding.smallest_change)}"]
    links = [
        f"[{link_free(words.place(item))}]({number}): {link_free(one_line(item.says))}"
        for number, item in enumerate(others, 1)
    ]
    return "\n".join([*(link_free(text) for text in told if text), *links])


def _flow(finding: Finding, options: Options) -> list[dict[str, Any]]:
    """The steps of the failure path, which have no place of their own, then the evidence."""
    steps = [
        located(finding.primary, options)
        | {"message": {"text": link_free(one_line(step)) or "(no words)"}}
        for step in finding.failure_path
    ]
    return [
        {"location": item} for item in [*steps, *(located(e, options) for e in finding.evidence)]
    ]


def _invocation(report: Report, options: Options) -> dict[str, Any]:
    notes = [
        _note(f"{item.file}: {item.why}", words.rooted(options.prefix, item.file))
        for item in report.skipped
    ]
    notes += [_comment(note, options) for note in report.notes]
    lost = len(report.findings) - _MOST_RESULTS
    if lost > 0:
        notes.append({"level": "warning", "message": {"text": f"{lost} more findings left out"}})
    return {"executionSuccessful": True, "toolExecutionNotifications": notes}


def _comment(note: Note, options: Options) -> dict[str, Any]:
    made = _note(note.text, words.rooted(options.prefix, note.file))
    if note.cell is None:
        place_of = made["locations"][0]["physicalLocation"]
        place_of["region"] = {"startLine": note.line, "startColumn": note.column}
    return made | {"level": "note", "descriptor": {"id": note.kind}}


def _note(text: str, file: str) -> dict[str, Any]:
    place_of = {"physicalLocation": {"artifactLocation": artifact(file)}}
    return {"level": "warning", "message": {"text": one_line(text)}, "locations": [place_of]}
