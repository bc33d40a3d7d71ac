"""Golden cases against recorded runs: what passes, what fails, and what a record cannot tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.expect_samples import REFUND, handing, waiting
from tests.trace_samples import Json, assistant, lines, user

from agentcheck.expect import Judge
from agentcheck.expect.cases import check_cases
from agentcheck.model.event import Run
from agentcheck.model.expectation import CaseOutcome
from agentcheck.trace.read import read_runs


def judged(path: Path, expect: Json, **case: Any) -> CaseOutcome:
    """How one case comes out over the runs of a file, all of which it fits."""
    about = case or {"match": {"file": path.name}}
    judge = Judge(check_cases({"cases": [{"id": "a", "expect": expect, **about}]}, "c"), "c")
    for run in read_runs(path):
        if isinstance(run, Run):
            judge.add(run)
    [outcome] = judge.outcome().cases
    return outcome


@pytest.fixture
def refund(tmp_path: Path) -> Path:
    return lines(tmp_path / "runs.jsonl", [{"messages": REFUND}])


PASSES: list[Json] = [
    {"status": "completed"},
    {"status": ["error", "Completed"]},
    {"contains": "A-17 is refunded"},
    {"not_contains": ["card number", "sorry"]},
    {"said": "A-17"},
    {"not_said": "password"},
    {"calls": "refund"},
    {"calls": ["find_order", {"tool": "refund", "arguments": {"by": {"cents": 1250}}}]},
    {"calls": {"tool": "refund", "times": 1}},
    {"calls": {"tool": "cancel", "at_most": 0}},
    {"not_calls": ["send_mail", {"tool": "refund", "arguments": {"order": "A-18"}}]},
    {"not_calls": {"tool": "refund", "at_least": 2}},
    {"order": ["find_order", "refund"]},
    {"max_turns": 3, "max_tool_calls": 2},
]


@pytest.mark.parametrize("expect", PASSES, ids=str)
def test_what_a_run_shows_passes(refund: Path, expect: Json) -> None:
    assert judged(refund, expect) == CaseOutcome("a", "pass", 1, 0, 0)


FAILS: list[tuple[Json, str]] = [
    ({"status": "error"}, "ended with completed, not error"),
    ({"status": "awaiting_approval"}, "ended with completed"),
    ({"contains": ["refunded", "tomorrow"]}, '"tomorrow" is not in the final answer'),
    ({"not_contains": "refunded"}, '"refunded" stands in the final answer'),
    ({"not_said": "1250"}, '"1250" stands in what the agents wrote'),
    ({"calls": "send_mail"}, "send_mail is called never, not once or more"),
    ({"calls": {"tool": "refund", "arguments": {"by": {"card": 1}}}}, "never, not once or more"),
    ({"calls": {"tool": "refund", "arguments": {"order": "B"}}}, "; once in all"),
    ({"calls": {"tool": "refund", "times": 2}}, "is called once, not twice"),
    ({"calls": {"tool": "refund", "at_most": 0}}, "refund is called once"),
    ({"calls": {"tool": "refund", "result": "none"}}, "refund without a result is called never"),
    ({"not_calls": "refund"}, "refund is called once"),
    ({"order": ["refund", "find_order"]}, "find_order is not called after refund"),
    ({"max_turns": 2}, "used 3 turns; 2 allowed"),
    ({"max_tool_calls": 1}, "used 2 tool calls; 1 allowed"),
]


@pytest.mark.parametrize(("expect", "why"), FAILS, ids=str)
def test_what_a_run_shows_otherwise_fails(refund: Path, expect: Json, why: str) -> None:
    outcome = judged(refund, expect)
    assert (outcome.outcome, outcome.failed) == ("fail", 1)
    [remark] = outcome.remarks
    assert remark.expectation in expect
    assert why in remark.text
    assert (remark.file, remark.run) == ("runs.jsonl", 0)


UNCLEAR: list[tuple[Json, str]] = [
    ({"handoff_to": "Cards"}, "does not carry handoffs"),
    ({"not_handoff_to": "Cards"}, "Not all handoffs"),
    ({"max_tokens": 9}, "tokens are not counted for 3 of 3 replies"),
    ({"max_cost_usd": 1}, "the cost of 3 of 3 replies is not known"),
    ({"max_seconds": 1.5}, "the record has no times"),
    ({"calls": {"tool": "refund", "result": "ok"}}, "does not tell how calls of refund went"),
    ({"status": "complted"}, 'did you mean "completed"?'),
]


@pytest.mark.parametrize(("expect", "why"), UNCLEAR, ids=str)
def test_what_a_record_does_not_carry_cannot_be_told(refund: Path, expect: Json, why: str) -> None:
    outcome = judged(refund, expect)
    assert (outcome.outcome, outcome.unclear) == ("cannot-tell", 1)
    assert why in outcome.remarks[0].text


def test_nothing_is_missing_for_sure_from_a_run_that_was_not_read_whole(tmp_path: Path) -> None:
    torn = [*REFUND[:2], {"role": 7}, *REFUND[2:]]
    path = lines(tmp_path / "torn.jsonl", [{"messages": torn}])
    for expect in ({"not_calls": "send_mail"}, {"calls": "send_mail"}, {"not_contains": "x"}):
        assert judged(path, expect).outcome == "cannot-tell"
    assert judged(path, {"calls": "refund"}).outcome == "pass"
    assert judged(path, {"max_turns": 1}).outcome == "fail"


def test_a_call_that_waits_for_a_person_makes_the_run_wait(tmp_path: Path) -> None:
    path = waiting(tmp_path)
    held = {"tool": "cancel_card", "arguments": {"card": 7}, "result": "none"}
    assert judged(path, {"status": "awaiting_approval", "calls": held}).outcome == "pass"
    assert judged(path, {"status": "paused"}).outcome == "pass"
    assert judged(path, {"status": "completed"}).outcome == "fail"


def test_handoffs_tokens_and_times_are_judged_where_they_are_recorded(tmp_path: Path) -> None:
    path = handing(tmp_path)
    good = {"handoff_to": "Cards", "not_handoff_to": "Loans", "max_tokens": 118}
    assert judged(path, good | {"max_seconds": 60, "contains": "cancelled"}).outcome == "pass"
    outcome = judged(path, {"handoff_to": "Loans", "not_handoff_to": "Cards", "max_tokens": 117})
    assert [r.outcome for r in outcome.remarks] == ["fail"] * 3
    assert judged(path, {"max_seconds": 1}).outcome == "fail"


def test_a_detail_of_a_status_is_sought_in_the_words_of_the_record(tmp_path: Path) -> None:
    rows = [
        {"ts": 1, "event": "swarm_start", "run_id": "r"},
        {"ts": 2, "event": "injection_detected", "run_id": "r", "agent_id": "desk"},
    ]
    path = lines(tmp_path / "log.jsonl", rows)
    assert judged(path, {"status": "blocked:injection_detected"}).outcome == "pass"
    assert judged(path, {"status": "blocked:pii"}).outcome == "fail"
    failed = [*rows[:1], {"ts": 3, "event": "swarm_complete", "run_id": "r", "status": "failed"}]
    path = lines(tmp_path / "failed.jsonl", failed)
    assert judged(path, {"status": "failed"}).outcome == "pass"
    assert judged(path, {"status": "failed:budget_exceeded"}).outcome == "cannot-tell"
    assert judged(path, {"contains": "x"}).outcome == "cannot-tell"


MATCHES: list[tuple[Json, int]] = [
    ({"task": "Refund order A-17."}, 1),
    ({"task": "Refund order"}, 0),
    ({"match": {"task_contains": ["Refund", "A-17"]}}, 1),
    ({"match": {"task_contains": "Renew"}}, 0),
    ({"match": {"index": 0}}, 1),
    ({"match": {"index": 1}}, 0),
    ({"match": {"run": "0"}}, 1),
    ({"match": {"file": "runs.jsonl"}}, 1),
    ({"match": {"file": "s.jsonl"}}, 0),
    ({"match": {"agent": "Desk"}}, 0),
    ({"task": "Refund order A-17.", "match": {"index": 1}}, 0),
]


@pytest.mark.parametrize(("about", "count"), MATCHES, ids=str)
def test_a_case_is_about_the_runs_that_it_names(refund: Path, about: Json, count: int) -> None:
    outcome = judged(refund, {"calls": "refund"}, **about)
    assert outcome.runs == count
    assert outcome.outcome == ("pass" if count else "fail")


def test_a_workflow_and_an_agent_name_runs(tmp_path: Path) -> None:
    path = handing(tmp_path)
    about = {"workflow": "Library desk", "agent": "Cards", "run": "trace_1"}
    assert judged(path, {"max_turns": 2}, match=about).outcome == "pass"
    assert judged(path, {"max_turns": 2}, match=about | {"workflow": "Desk"}).runs == 0


def test_one_run_that_fails_fails_the_case_and_remarks_stay_few(tmp_path: Path) -> None:
    rows = [{"messages": [user("Hi"), assistant("Hello." if n else "Go.")]} for n in range(40)]
    outcome = judged(lines(tmp_path / "many.jsonl", rows), {"contains": "Go"}, task="Hi")
    assert (outcome.outcome, outcome.runs, outcome.failed) == ("fail", 40, 39)
    assert len(outcome.remarks) + outcome.more == 39
    assert len(outcome.remarks) <= 12
