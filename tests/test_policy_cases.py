"""Golden cases of a policy in each of their formats."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.command_line import Here
from tests.policy_samples import DESK

CASES = """
cases:
  - id: mail | to a stranger
    call: {tool: send_mail, arguments: {to: eve@evil.example}, said: mail Bob}
    expect: approve
  - id: an order <b>
    call: {tool: get_order, arguments: {id: 7}}
    expect: approve
"""
FORMATS = ("full", "json", "markdown", "html", "junit")


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(DESK, "utf-8")
    Path("cases.yaml").write_text(CASES, "utf-8")
    return ("policy", "check", "policy.yaml", "cases.yaml")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_which_case_failed_and_why(
    here: Here, desk: tuple[str, ...], form: str
) -> None:
    done = here(*desk, "--output-format", form)
    assert done.code == 1
    assert "decided human, not approve: ask-tainted" in " ".join(done.out.split())
    assert done.out.endswith("\n")


def test_the_cases_as_json_are_those_of_the_file_in_its_order(
    here: Here, desk: tuple[str, ...]
) -> None:
    told = json.loads(here(*desk, "--output-format", "json").out)
    assert (told["schema"], told["policy"]) == ("agentcheck/policy-check/1", "policy.yaml")
    assert [(case["id"], case["decision"], case["score"]) for case in told["cases"]] == [
        ("mail | to a stranger", "human", 40),
        ("an order <b>", "approve", 0),
    ]
    assert [len(case["missed"]) for case in told["cases"]] == [1, 0]


def test_a_junit_file_has_a_test_for_each_case_beside_what_is_printed(
    here: Here, desk: tuple[str, ...]
) -> None:
    done = here(*desk, "--junit", "cases.xml")
    assert "2 cases of cases.yaml: 1 pass, 1 fail" in done.out
    root = ET.fromstring(Path("cases.xml").read_bytes())  # noqa: S314 - our own
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    tests = {test.get("name"): test.find("failure") for test in root.iter("testcase")}
    assert list(tests) == ["mail | to a stranger", "an order <b>"]
    assert tests["an order <b>"] is None
    failure = tests["mail | to a stranger"]
    assert failure is not None
    assert failure.get("type") == "human"


def test_pages_escape_what_a_case_is_called(here: Here, desk: tuple[str, ...]) -> None:
    html, markdown = (("--output-format", form, "-o", form) for form in ("html", "markdown"))
    here(*desk, *html, *markdown)
    page, text = Path("html").read_text("utf-8"), Path("markdown").read_text("utf-8")
    assert "an order &lt;b&gt;" in page
    assert "<b>" not in page
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert "mail &#124; to a stranger" in rows[2]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--output-format", "sarif"], 'unknown format "sarif"; known: full, html'),
        (["--junit", "nowhere/cases.xml"], "nowhere/cases.xml"),
    ],
)
def test_a_report_that_cannot_be_is_refused(
    here: Here, desk: tuple[str, ...], args: list[str], told: str
) -> None:
    done = here(*desk, *args)
    assert done.code == 2
    assert told in done.error
