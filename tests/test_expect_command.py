"""Golden cases on the command line: the exit code, what each format shows, the manual's example."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.command_line import Here
from tests.expect_samples import REFUND
from tests.report_parts import HOSTILE
from tests.trace_samples import Json, assistant, lines, user

from agentcheck.config.table import TraceTable
from agentcheck.trace.readers import FORMATS

DOC = (Path(__file__).parents[1] / "docs" / "traces.md").read_text("utf-8")


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


@pytest.fixture
def refund(tmp_path: Path) -> Path:
    return lines(tmp_path / "runs.jsonl", [{"messages": REFUND}])


def example(name: str) -> str:
    [text] = re.findall(rf"```{name}\n(.*?)```", DOC[DOC.index("## Golden cases") :], re.DOTALL)
    return str(text)


def test_the_example_of_the_manual_comes_out_as_it_says(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cases.yaml").write_text(example("yaml"), "utf-8")
    Path("runs.jsonl").write_text(example("json"), "utf-8")
    done = here("trace", "runs.jsonl", "--expect", "cases.yaml", "--isolated", "--exit-zero")
    assert done.code == 1
    assert example("text") in done.out


def test_the_manual_names_every_format_and_every_setting() -> None:
    assert [f.name for f in FORMATS if f.name not in DOC] == []
    keys = [name.replace("_", "-") for name in TraceTable.model_fields]
    assert [key for key in keys if f"`{key}`" not in DOC] == []


def cases(tmp_path: Path, *made: Json, **more: Any) -> Path:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": made, **more}), "utf-8")
    return path


def test_the_exit_code_is_that_of_the_cases_when_findings_count_for_nothing(
    here: Here, refund: Path, tmp_path: Path
) -> None:
    only = ("--isolated", "--exit-zero")
    good = {"id": "a", "task": "Refund order A-17.", "expect": {"calls": "refund"}}
    bad = {"id": "b", "task": "Refund order A-17.", "expect": {"not_calls": "refund"}}
    dim = {"id": "c", "task": "Refund order A-17.", "expect": {"max_cost_usd": 1}}
    assert here("trace", refund, "--expect", cases(tmp_path, good), *only).code == 0
    assert here("trace", refund, "--expect", cases(tmp_path, good, dim), *only).code == 0
    strict = cases(tmp_path, good, dim, strict=True)
    assert here("trace", refund, "--expect", strict, *only).code == 1
    done = here("trace", refund, "--expect", cases(tmp_path, good, bad), *only, "--quiet")
    assert done.code == 1
    assert "FAIL" in done.out
    counted = here("trace", refund, "--expect", cases(tmp_path, bad), *only, "--statistics")
    assert "FAIL" in counted.out


def test_json_markdown_and_html_hold_the_outcomes(here: Here, refund: Path, tmp_path: Path) -> None:
    bad = {"id": "b", "task": "Refund order A-17.", "expect": {"not_calls": "refund"}}
    args = ("trace", refund, "--expect", cases(tmp_path, bad), "--isolated", "--output-format")
    told = json.loads(here(*args, "json").out)["expectations"]
    assert [case["outcome"] for case in told["cases"]] == ["fail"]
    assert told["cases"][0]["remarks"][0]["record"] == "3"
    assert "## Golden cases" in here(*args, "markdown").out
    assert '<h2 id="cases">Golden cases</h2>' in here(*args, "html").out


def test_junit_has_a_test_for_each_case_and_is_legal_and_masked_for_any_text(
    here: Here, tmp_path: Path
) -> None:
    text = "mia@shop.example " + " ".join(HOSTILE)
    path = lines(tmp_path / "h.jsonl", [{"messages": [user("Hi"), assistant(text)]}])
    names = [f"{n} {hostile}" for n, hostile in enumerate(HOSTILE) if "\udc80" not in hostile]
    made = [
        {"id": name, "task": "Hi", "expect": {"not_contains": ["mia@shop.example", hostile]}}
        for name, hostile in zip(names, (h for h in HOSTILE if "\udc80" not in h), strict=True)
        if hostile
    ]
    dim = {"id": "dim", "task": "Hi", "expect": {"max_tokens": 1}}
    fine = {"id": "fine", "task": "Hi", "expect": {"contains": "mia"}}
    out = tmp_path / "out.xml"
    given = ("--expect", cases(tmp_path, *made, dim, fine), "--junit", out, "--isolated")
    assert here("trace", path, *given, "--exit-zero").code == 1
    assert "mia@shop" not in out.read_text("utf-8")
    suite = ET.fromstring(out.read_text("utf-8"))  # noqa: S314 - our own
    tests = suite.findall(".//testcase")
    assert len(tests) == len(made) + 2
    assert len(suite.findall(".//failure")) == len(made)
    [skipped] = suite.findall(".//skipped")
    assert "cannot tell" in skipped.attrib["message"]
    assert tests[-1].attrib["name"] == "fine"
    assert list(tests[-1]) == []


def test_junit_without_cases_is_refused(here: Here, refund: Path, tmp_path: Path) -> None:
    done = here("trace", refund, "--junit", tmp_path / "x.xml")
    assert done.code == 2
    assert "name them with --expect" in done.error
