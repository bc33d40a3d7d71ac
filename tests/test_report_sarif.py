"""SARIF 2.1.0 as GitHub code scanning takes it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, QUESTIONS
from tests.report_samples import clean, hostile, make, ordinary

from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.report import Report
from agentcheck.report import render


def run_of(report: Report, **options: object) -> dict[str, Any]:
    log = json.loads(render(report, "sarif", **options))
    assert log["version"] == "2.1.0"
    run: dict[str, Any] = log["runs"][0]
    return run


def test_a_log_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "sarif", prefix="services", category="nightly") == snapshot


def test_every_question_is_a_rule_with_what_github_requires() -> None:
    rules = run_of(clean())["tool"]["driver"]["rules"]
    assert sorted(rule["id"] for rule in rules) == sorted(q.code for q in QUESTIONS)
    for rule in rules:
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["name"]
        assert len(rule["properties"]["tags"]) <= 10


def test_the_manual_of_a_rule_goes_with_it() -> None:
    manuals = (("unbounded-loop", "# unbounded-loop\n\n`while True`"), ("other", "x"))
    rules = {
        rule["id"]: rule for rule in run_of(ordinary(), manuals=manuals)["tool"]["driver"]["rules"]
    }
    assert rules["AC101"]["help"]["markdown"] == manuals[0][1]
    assert "markdown" not in rules["AC401"]["help"]


def test_only_what_is_tagged_so_is_a_matter_of_security() -> None:
    rules = {rule["id"]: rule for rule in run_of(ordinary())["tool"]["driver"]["rules"]}
    assert rules["AC401"]["properties"]["security-severity"] == "8.0"
    assert rules["AC401"]["properties"]["precision"] == "medium"
    assert rules["AC101"]["properties"]["problem.severity"] == "error"
    assert "security-severity" not in rules["AC101"]["properties"]


def test_a_finding_of_an_unknown_question_gets_a_rule() -> None:
    report = msgspec.structs.replace(ordinary(), questions=())
    run = run_of(report)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_failure_path_is_a_code_flow_and_links_lead_to_related_places() -> None:
    finding, result = ordinary().findings[0], run_of(ordinary())["results"][0]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    told = [step["location"]["message"]["text"] for step in flow]
    assert told == [*finding.failure_path, *(item.says for item in finding.evidence)]
    for related in result["relatedLocations"]:
        assert f"]({related['id']}): " in result["message"]["text"]
    assert result["message"]["text"].startswith("Agent loop without an upper bound.\n")


def test_suppressed_findings_are_there_and_marked() -> None:
    results = run_of(ordinary())["results"]
    kinds = [[s["kind"] for s in result.get("suppressions", [])] for result in results]
    assert kinds == [[], [], ["inSource"], [], ["external"], []]


def test_skipped_files_are_notifications() -> None:
    invocation = run_of(ordinary())["invocations"][0]
    assert invocation["executionSuccessful"] is True
    texts = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert texts == ["desk/old.py: not valid Python: line 3, column 7", "data/dump.py: over 5 MB"]


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE)])
def test_messages_hold_no_link_but_ours(text: str) -> None:
    result = run_of(hostile(text))["results"][0]
    message = result["message"]["text"].replace("\\\\", "").replace("\\[", "").replace("\\]", "")
    assert message.count("[") == message.count("](") == len(result["relatedLocations"]) == 3


@pytest.mark.parametrize("report", [ordinary(), make(()), *map(hostile, HOSTILE)])
def test_primary_places_come_back_as_they_were(report: Report) -> None:
    results = run_of(report)["results"]
    assert len(results) == len(report.findings)
    for finding, result in zip(report.findings, results, strict=True):
        _same_place(finding.primary, result["locations"][0])


def _same_place(item: Any, location: dict[str, Any]) -> None:
    physical = location["physicalLocation"]
    file = item.file.encode("utf-8", "backslashreplace").decode()
    assert unquote(physical["artifactLocation"]["uri"]) == file
    if isinstance(item, CodeEvidence) and item.cell is None:
        region = physical["region"]
        assert region["startLine"] == item.line
        assert region["startColumn"] == item.column
        assert region["endLine"] == item.end_line
        assert region["endColumn"] == item.end_column
    elif not isinstance(item, CodeEvidence):
        assert location["properties"]["run"] == item.run
        assert location["properties"]["record"] == item.record
