"""The sample desk end to end: every planted fault, joined with its recorded runs, and its twin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import agentcheck

AGENTS = Path(__file__).parent.parent / "fixtures" / "agents"
DESK = AGENTS / "parcel_desk"
PLANTED = {
    "unbounded-loop": {"relay/core.py"},
    "no-budget": {"relay/core.py"},
    "usage-unread": {"relay/core.py"},
    "finish-reason-unchecked": {"relay/core.py"},
    "tool-args-unguarded": {"relay/core.py"},
    "tool-error-ends-run": {"relay/core.py"},
    "unguarded-side-effect": {"app/tools.py", "relay/core.py"},
    "missing-import-target": {"app/claims.py"},
    "unknown-agent-keyword": {"app/main.py"},
    "handoff-race": {"relay/core.py", "app/main.py"},
    "no-timeout": {"app/tools.py"},
}


@pytest.fixture(scope="module")
def audit() -> dict[str, Any]:
    """The desk's report, with its recorded runs."""
    done = agentcheck(
        "scan", DESK, "--trace", DESK / "runs.jsonl", "--output-format", "json", "--exit-zero"
    )
    assert done.code == 0, done.err
    report: dict[str, Any] = json.loads(done.out)
    return report


def test_every_planted_fault_is_found_where_it_is(audit: dict[str, Any]) -> None:
    found: dict[str, set[str]] = {}
    for finding in audit["findings"]:
        if "code" in finding["known_by"]:
            primary = next(e for e in finding["evidence"] if e["role"] == "primary")
            found.setdefault(finding["topic"], set()).add(primary["file"])
    assert found == PLANTED


def test_evidence_shows_the_line_it_names(audit: dict[str, Any]) -> None:
    for finding in audit["findings"]:
        for item in (e for e in finding["evidence"] if e["kind"] == "code"):
            lines = (DESK / item["file"]).read_text().splitlines()
            assert lines[item["line"] - 1] == item["text"]


def test_recorded_runs_confirm_the_runaway_and_the_two_handoffs(audit: dict[str, Any]) -> None:
    confirmed = {
        (f["topic"], f["subject"])
        for f in audit["findings"]
        if f["trace"]["verdict"] == "confirmed" and "code" in f["known_by"]
    }
    assert {("unbounded-loop", "Relay.run"), ("handoff-race", "Relay.perform")} <= confirmed


def test_a_fault_that_only_a_run_shows_names_its_line_of_code(audit: dict[str, Any]) -> None:
    [swinging] = [f for f in audit["findings"] if f["topic"] == "handoff-oscillation"]
    assert swinging["known_by"] == ["trace"]
    lines = {(e["file"], e["line"]) for e in swinging["evidence"] if e["kind"] == "code"}
    assert ("app/main.py", 8) in lines


def test_the_mended_desk_is_silent() -> None:
    done = agentcheck("scan", AGENTS / "parcel_desk_mended")
    assert done.code == 0, done.out
