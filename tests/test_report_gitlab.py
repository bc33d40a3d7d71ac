"""GitLab's code quality report."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, code, finding, record
from tests.report_samples import clean, hostile, large, make, ordinary

from agentcheck.model.card import SEVERITIES
from agentcheck.model.report import Report
from agentcheck.report import render


def issues(report: Report, **options: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(report, "gitlab", **options))
    return found


def test_issues_read_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "gitlab", prefix="services/") == snapshot


def test_each_severity_has_one_of_gitlabs_words() -> None:
    line = (code(1, "x", "here", role="primary"),)
    made = make(tuple(finding(n, line, severity=s) for n, s in enumerate(SEVERITIES, 1)))
    assert [i["severity"] for i in issues(made)] == ["critical", "major", "minor", "info"]


def test_fingerprints_are_those_of_the_report_and_no_two_are_equal() -> None:
    report = large(40)
    told = [issue["fingerprint"] for issue in issues(report)]
    assert told == [item.fingerprint for item in report.findings]
    assert len(set(told)) == 40


def test_what_somebody_accepted_is_left_out() -> None:
    assert len(issues(ordinary())) == 4
    assert issues(clean()) == []


def test_code_comes_before_runs_and_what_has_no_line_stands_on_the_first() -> None:
    said = record(3, "Done.", "claims it", role="primary")
    both = finding(1, (said, code(9, "refund()", "the tool")))
    alone, cell = finding(2, (said,)), finding(3, (code(9, "x", "here", file="a.ipynb", cell=2),))
    assert [issue["location"] for issue in issues(make((both, alone, cell)))] == [
        {"path": "desk/loop.py", "lines": {"begin": 9}},
        {"path": "runs/week.jsonl", "lines": {"begin": 1}},
        {"path": "a.ipynb", "lines": {"begin": 1}},
    ]


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE)])
def test_any_text_stays_within_its_value(text: str) -> None:
    (issue,) = issues(hostile(text))
    assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert "\n" not in issue["description"]
