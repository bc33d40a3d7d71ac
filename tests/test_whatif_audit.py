"""`--what-if`: the answers as a part of the audit report, in every format that shows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here
from tests.policy_samples import ATTACKED, BENIGN, write_runs

TITLES = ["policy", "approval", "redaction", "routing", "compaction", "cache"]


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs.jsonl", ATTACKED, BENIGN)


def report(here: Here, *args: str | Path) -> dict[str, Any]:
    done = here(*args, "--isolated", "--output-format", "json")
    assert done.code in (0, 1), done.err
    made: dict[str, Any] = json.loads(done.out)
    return made


def test_the_audit_of_runs_has_every_answer_where_it_is_asked_for(here: Here, runs: Path) -> None:
    made = report(here, "trace", runs, "--what-if")
    assert [answer["topic"] for answer in made["what_if"]] == TITLES
    assert {answer["runs"] for answer in made["what_if"]} == {2}
    assert report(here, "trace", runs)["what_if"] == []


def test_the_findings_are_the_same_with_and_without(here: Here, runs: Path) -> None:
    plain, asked = report(here, "trace", runs), report(here, "trace", runs, "--what-if")
    assert plain["findings"] == asked["findings"]
    assert plain["assessments"] == asked["assessments"]


def test_an_answer_in_the_audit_is_that_of_its_own_command(here: Here, runs: Path) -> None:
    audit = report(here, "trace", runs, "--what-if")["what_if"]
    alone = json.loads(here("what-if", "approval", runs, "--output-format", "json").out)
    assert alone["answers"] == [audit[1]]


def test_the_drafted_policy_asks_about_the_injected_mail(here: Here, runs: Path) -> None:
    policy = report(here, "trace", runs, "--what-if")["what_if"][0]
    (asked,) = (f for f in policy["figures"] if f["name"] == "calls asked about")
    assert [(s["run"], s["record"]) for s in asked["of"]] == [(0, 3), (1, 3)]


@pytest.mark.parametrize("form", ["full", "markdown", "html"])
def test_reports_for_people_show_the_answers(here: Here, runs: Path, form: str) -> None:
    done = here("trace", runs, "--what-if", "--isolated", "--output-format", form)
    for text in ("Policy", "Approval", "calls asked about", "effects carried out"):
        assert text in done.out
    assert "eve@evil.example" not in done.out


def test_statistics_show_the_answers_below_the_counts(here: Here, runs: Path) -> None:
    done = here("trace", runs, "--what-if", "--isolated", "--statistics")
    assert "effects carried out" in done.out


def test_code_and_runs_together_say_what_asks_in_the_code(
    here: Here, runs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    code = "from agents import function_tool\n\n\n@function_tool(needs_approval=True)\n"
    code += "def send_mail(to: str, body: str) -> str:\n    smtplib.SMTP().send_message(body)\n"
    (folder / "desk.py").write_text(code, "utf-8")
    made = report(here, "scan", folder, "--trace", runs, "--what-if")
    approval = made["what_if"][1]
    (table,) = (t for t in approval["tables"] if t["title"] == "Effects by tool")
    gates = {row["cells"][0]: row["cells"][-1] for row in table["rows"]}
    assert gates["send_mail"] == "the framework's approval switch is on"
    assert gates["refund"] == "not found in the code"


def test_without_runs_there_is_nothing_to_ask_of(here: Here, tmp_path: Path) -> None:
    done = here("scan", tmp_path, "--what-if")
    assert (done.code, done.error) == (
        2,
        "--what-if is asked of recorded runs; name them with --trace",
    )
