"""Places in SARIF: locations of evidence, of suppressions and of files."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from agentcheck.model.assessment import CodeEvidence, Evidence, TraceEvidence
from agentcheck.model.finding import Finding, Suppression
from agentcheck.model.pattern import lazy_re
from agentcheck.report.escape import one_line
from agentcheck.report.options import Options
from agentcheck.report.words import place, rooted

_RECORD = lazy_re(r"(.*)#(\d+)/(.*)", re.DOTALL)
_MOST_RECORDS = 50


def records_beside(finding: Finding) -> list[TraceEvidence]:
    """The records that the runs' verdict rests on, where the evidence does not show them."""
    shown = {
        f"{e.file}#{e.run}/{e.record}" for e in finding.evidence if isinstance(e, TraceEvidence)
    }
    says = f"a recorded run: {finding.trace.verdict.replace('-', ' ')}"
    wanted = (_RECORD.fullmatch(name) for name in finding.trace.records if name not in shown)
    found = [match.groups() for match in wanted if match][:_MOST_RECORDS]
    return [TraceEvidence("related", file, int(run), rec, "", "", says) for file, run, rec in found]


def located(item: Evidence, options: Options) -> dict[str, Any]:
    """A place with its sentence. Lines of a notebook's cell are no lines of its file."""
    physical: dict[str, Any] = {"artifactLocation": artifact(rooted(options.prefix, item.file))}
    said = {"message": {"text": link_free(one_line(item.says)) or place(item)}}
    if isinstance(item, CodeEvidence) and item.cell is None:
        physical["region"] = {
            "startLine": item.line,
            "startColumn": item.column,
            "endLine": item.end_line,
            "endColumn": item.end_column,
            "snippet": {"text": item.text},
        }
        return {"physicalLocation": physical} | said
    inside: dict[str, Any] = (
        {"cell": item.cell, "line": item.line, "column": item.column}
        if isinstance(item, CodeEvidence)
        else {"run": item.run, "record": item.record, "pointer": item.pointer}
    )
    return {"physicalLocation": physical, "properties": inside | {"text": item.text}} | said


def logical(subject: str) -> dict[str, Any]:
    """What the finding is about, by its qualified name."""
    return {"logicalLocations": [{"fullyQualifiedName": subject}]} if subject else {}


def artifact(file: str) -> dict[str, str]:
    """A file as an address relative to the repository's root."""
    return {"uri": quote(file), "uriBaseId": "%SRCROOT%"}


def suppression(why: Suppression, options: Options) -> dict[str, Any]:
    """A comment in the code is `inSource`, a baseline or a setting `external`."""
    kind = "inSource" if why.by == "ignore" else "external"
    made: dict[str, Any] = {"kind": kind, "justification": f"{why.by}: {why.reason}"}
    if why.file:
        physical: dict[str, Any] = {"artifactLocation": artifact(rooted(options.prefix, why.file))}
        if why.line:
            physical["region"] = {"startLine": why.line}
        made["location"] = {"physicalLocation": physical}
    return made


def link_free(text: str) -> str:
    """Brackets would make a link (SARIF 2.1.0, 3.11.6)."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
