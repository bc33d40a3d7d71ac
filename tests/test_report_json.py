"""The JSON report keeps its contract."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE
from tests.report_samples import clean, hostile, large, ordinary

from agentcheck.report import render
from agentcheck.report.json import schema

FINDING = [
    *("id", "rule", "code", "topic", "priority", "severity", "title", "message", "subject"),
    *("at_stake", "failure_path", "consequence", "evidence", "owner", "smallest_change"),
    *("could_break", "acceptance", "known_by", "confidence", "challenge", "trace"),
    *("fingerprint", "suppressed", "fix", "owner_file", "run"),
]
CODE = ["kind", "role", "file", "line", "end_line", "column", "end_column", "text", "says"]
TRACE = ["kind", "role", "file", "run", "record", "pointer", "text", "says"]
TOP = [
    *("schema", "tool", "target", "profile", "questions", "findings", "assessments"),
    *("skipped", "summary", "asked", "notes", "runs", "what_if", "expectations", "workflows"),
    "verified",
]


def closed(part: Any) -> Any:
    """The schema, allowing nothing that it does not name."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {key: closed(value) for key, value in part.items()}
    if "properties" in part:
        made["additionalProperties"] = False
    return made


def test_a_report_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "json") == snapshot


def test_the_schema_reads_as_before(snapshot: SnapshotAssertion) -> None:
    assert json.dumps(schema(), indent=2) == snapshot


def test_the_keys_are_those_of_the_contract() -> None:
    report = json.loads(render(ordinary(), "json"))
    assert list(report) == TOP
    for finding in report["findings"]:
        assert list(finding) == FINDING
        for item in finding["evidence"]:
            wanted = CODE if item["kind"] == "code" else TRACE
            assert list(item) == wanted + (["cell"] if item["file"].endswith("ipynb") else [])
    assert report["findings"][0]["suppressed"] is None
    assert report["findings"][2]["suppressed"]["by"] == "ignore"


@pytest.mark.parametrize("text", HOSTILE)
def test_every_report_fits_its_schema_and_says_nothing_beyond_it(text: str) -> None:
    strict = closed(schema())
    jsonschema.Draft202012Validator.check_schema(strict)
    validator = jsonschema.Draft202012Validator(strict)
    for report in (ordinary(), clean(), large(3), hostile(text)):
        validator.validate(json.loads(render(report, "json")))


@pytest.mark.parametrize("key", ["schema", "findings", "summary", "questions"])
def test_a_report_without_a_key_does_not_fit(key: str) -> None:
    report = json.loads(render(ordinary(), "json"))
    del report[key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema())


def test_indent_changes_the_layout_alone() -> None:
    short = render(ordinary(), "json", indent=None)
    assert short.count("\n") == 1
    assert json.loads(short) == json.loads(render(ordinary(), "json", indent=4))


def test_lines_are_the_findings_of_the_report() -> None:
    lines = render(ordinary(), "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render(ordinary(), "json"))[
        "findings"
    ]


def test_the_schema_can_be_printed() -> None:
    command = [sys.executable, "-m", "agentcheck.report.json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(printed.stdout) == schema()
