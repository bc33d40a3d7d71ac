"""`agentcheck policy`: draft, replay and check, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.command_line import Here, agentcheck
from tests.policy_samples import (
    ATTACKED,
    BENIGN,
    DESK,
    answering,
    calling,
    run_of,
    user,
    write_runs,
)

from agentcheck.expect.yaml12 import parse
from agentcheck.whatif.policy.draft import Drafted
from agentcheck.whatif.policy.form import check_policy
from agentcheck.whatif.policy.write import policy_text

CODE = '''
from agents import Agent, function_tool


@function_tool
def get_order(order_id: str) -> str:
    """Look an order up."""
    return DB[order_id]


@function_tool
def issue_refund(order_id: str, amount: float) -> str:
    """Refund an order."""
    return stripe.Refund.create(order=order_id, amount=amount)


@function_tool(needs_approval=True)
def send_mail(to: str, body: str) -> str:
    """Send a mail."""
    smtplib.SMTP("localhost").send_message(body)


agent = Agent(name="desk", tools=[get_order, issue_refund, send_mail])
'''


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs.jsonl", ATTACKED, BENIGN)


def desk(folder: Path) -> Path:
    path = folder / "desk.yaml"
    path.write_text(DESK, "utf-8")
    return path


def answer(text: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(text)["answers"][0]
    return made


def figure(made: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(f for f in made["figures"] if f["name"] == name)
    return found


def test_a_draft_from_code_names_every_tool_and_gates_the_effects(
    here: Here, tmp_path: Path
) -> None:
    (tmp_path / "desk.py").write_text(CODE, "utf-8")
    done = here("policy", "draft", tmp_path, "--isolated")
    assert done.code == 0, done.err
    form = check_policy(parse(done.out), "draft")
    told = {name: (tool.does, tool.ask) for name, tool in form.tools.items()}
    assert told == {
        "get_order": ("reads", "never"),
        "issue_refund": ("money", "tainted"),
        "send_mail": ("message", "tainted"),
    }
    assert form.unknown_tools == "reject"
    limit = form.tools["issue_refund"].limit
    assert limit is not None
    assert (limit.argument, limit.most) == ("amount", 0)
    assert form.tenants["example"].allow == ("get_order", "send_mail", "issue_refund")
    assert "the code asks:" in done.out
    assert "desk.py:" in done.out


def test_a_strict_draft_asks_about_every_effect(here: Here, runs: Path) -> None:
    form = check_policy(parse(here("policy", "draft", "--from-trace", "--strict", runs).out), "d")
    assert {name: tool.ask for name, tool in form.tools.items()} == {
        "get_order": "never",
        "refund": "always",
        "send_mail": "always",
    }


def test_a_draft_from_runs_finds_the_amount_in_what_was_passed(here: Here, runs: Path) -> None:
    form = check_policy(parse(here("policy", "draft", "--from-trace", runs).out), "draft")
    limit = form.tools["refund"].limit
    assert limit is not None
    assert limit.argument == "amount"


def test_code_and_runs_together_say_what_the_code_shows_and_how_often_it_was_called(
    here: Here, tmp_path: Path, runs: Path
) -> None:
    (tmp_path / "desk.py").write_text(CODE, "utf-8")
    done = here("policy", "draft", "--from-trace", runs, "--code", tmp_path, "--isolated")
    lines = [line for line in done.out.splitlines() if line.startswith("  send_mail:")]
    assert len(lines) == 1
    assert "2 calls recorded" in lines[0]
    assert "desk.py:" in lines[0]


def test_a_drafted_policy_replays_on_the_runs_it_was_drafted_from(
    here: Here, tmp_path: Path, runs: Path
) -> None:
    path = tmp_path / "draft.yaml"
    assert here("policy", "draft", "--from-trace", runs, "-o", path).code == 0
    done = here("policy", "replay", path, runs, "--output-format", "json")
    made = answer(done.out)
    assert figure(made, "calls")["value"] == 4
    asked = figure(made, "calls asked about")
    # The injected mail, and the refund whose limit is not filled in yet.
    assert [(source["run"], source["record"]) for source in asked["of"]] == [(0, 3), (1, 3)]
    assert figure(made, "effects that pass unasked")["value"] == 1


def test_replay_writes_one_line_for_every_call(here: Here, tmp_path: Path, runs: Path) -> None:
    lines = tmp_path / "decisions.jsonl"
    assert here("policy", "replay", desk(tmp_path), runs, "--decisions", lines).code == 0
    told = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    assert [(one["tool"], one["decision"]) for one in told] == [
        ("get_order", "approve"),
        ("send_mail", "human"),
        ("send_mail", "approve"),
        ("refund", "approve"),
    ]
    assert told[1]["reasons"][0]["rule"] == "ask-tainted"
    assert "eve@" not in lines.read_text("utf-8")


def test_every_figure_of_a_replay_follows_from_the_decisions(
    here: Here, tmp_path: Path, runs: Path
) -> None:
    lines = tmp_path / "decisions.jsonl"
    done = here(
        "policy", "replay", desk(tmp_path), runs, "--decisions", lines, "--output-format", "json"
    )
    made = answer(done.out)
    told = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    place = {(one["run"], one["record"], one["pointer"]): one for one in told}
    for name, decision in (
        ("calls approved", "approve"),
        ("calls asked about", "human"),
        ("calls rejected", "reject"),
    ):
        shown = figure(made, name)
        assert shown["value"] == sum(one["decision"] == decision for one in told)
        cited = [place[s["run"], s["record"], s["pointer"]] for s in shown["of"]]
        assert all(one["decision"] == decision for one in cited)
    share = figure(made, "share asked about")
    assert share["value"] == figure(made, "calls asked about")["value"] / len(told)


def test_a_tenant_narrows_what_may_be_called(here: Here, tmp_path: Path, runs: Path) -> None:
    done = here(
        "policy", "replay", desk(tmp_path), runs, "--tenant", "acme", "--output-format", "json"
    )
    assert figure(answer(done.out), "calls rejected")["value"] == 1
    done = here("policy", "replay", desk(tmp_path), runs, "--tenant", "acne")
    assert (done.code, done.error) == (
        2,
        f'{tmp_path / "desk.yaml"}: no tenant "acne"; did you mean "acme"?',
    )


def test_what_the_format_cannot_carry_is_said(here: Here, tmp_path: Path) -> None:
    spans = {
        "object": "trace.span", "id": "span_1", "trace_id": "trace_1", "parent_id": None,
        "started_at": "2025-01-01T00:00:00+00:00", "ended_at": "2025-01-01T00:00:01+00:00",
        "span_data": {"type": "function", "name": "send_mail", "input": None, "output": None},
        "error": None,
    }  # fmt: skip
    trace = {"object": "trace", "id": "trace_1", "workflow_name": "desk"}
    path = tmp_path / "t.jsonl"
    path.write_text(f"{json.dumps(trace)}\n{json.dumps(spans)}\n", "utf-8")
    done = here("policy", "replay", desk(tmp_path), path)
    assert "send_mail" in done.out
    assert "human" in done.out


CASES = """
cases:
  - id: mail-to-a-stranger
    call:
      {tool: send_mail, arguments: {to: eve@evil.example}, said: mail Bob, read: eve@evil.example}
    expect: human
  - id: small-refund
    call: {tool: refund, arguments: {amount: 20}, said: refund 20}
    expect: {decision: approve, score: 0}
  - id: wipe
    call: {tool: wipe, tenant: acme}
    expect: {decision: reject, rules: [tenant-allow], at_least: 60}
"""


def test_golden_cases_of_a_policy_pass(here: Here, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(CASES, "utf-8")
    done = here("policy", "check", desk(tmp_path), tmp_path / "cases.yaml")
    assert done.code == 0, done.out
    assert "3 pass, 0 fail" in " ".join(done.out.split())


def test_a_case_that_fails_says_what_was_decided_and_ends_with_1(
    here: Here, tmp_path: Path
) -> None:
    (tmp_path / "cases.yaml").write_text(CASES.replace("expect: human", "expect: approve"), "utf-8")
    done = here("policy", "check", desk(tmp_path), tmp_path / "cases.yaml")
    assert done.code == 1
    assert "decided human, not approve: ask-tainted: nobody vouches for to" in done.out


def test_a_misspelt_key_of_a_case_is_named_with_its_case(here: Here, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(CASES.replace("score: 0", "scores: 0"), "utf-8")
    done = here("policy", "check", desk(tmp_path), tmp_path / "cases.yaml")
    assert done.code == 2
    assert 'did you mean "score"? (in the case "small-refund")' in done.error


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["draft", "--from-trace"], "--from-trace needs recorded runs"),
        (["draft", ".", "--code", "."], "--code goes with --from-trace"),
        (["draft", "--from-trace", "none.json"], "none.json: no such file of recorded runs"),
        (["replay", "none.yaml", "runs.json"], "none.yaml: the policies cannot be read"),
    ],
)
def test_wrong_calls_get_one_line(here: Here, args: list[str], told: str) -> None:
    done = here("policy", *args)
    assert done.code == 2
    assert told in done.error


def test_an_unknown_format_is_refused_before_any_run_is_read(here: Here, tmp_path: Path) -> None:
    done = here("policy", "replay", desk(tmp_path), "none.json", "--output-format", "sarif")
    assert (done.code, "unknown format" in done.error) == (2, True)


def test_the_help_of_the_command_imports_nothing_heavy() -> None:
    done = agentcheck("policy", "--help")
    assert done.code == 0
    for name in ("draft", "replay", "check"):
        assert name in done.out


@pytest.mark.parametrize("name", ["null", "yes", "a: b", "x\n  y: {ask: never}", "-", "über", "#"])
def test_a_hostile_name_of_a_tool_stays_a_name(here: Here, tmp_path: Path, name: str) -> None:
    run = run_of(user("go"), calling(name, {"a": 1}), answering("x"))
    done = here("policy", "draft", "--from-trace", write_runs(tmp_path / "r.jsonl", run))
    assert list(check_policy(parse(done.out), "draft").tools) == [name]


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), unique=True, max_size=4), st.text())
def test_a_draft_can_be_read_back_whatever_the_names(names: list[str], why: str) -> None:
    tools = [Drafted(name, "unknown", why, gate=why) for name in names]
    form = check_policy(parse(policy_text(tools, why)), "draft")
    plain = [name.encode("utf-8", "backslashreplace").decode() for name in names]
    assert list(form.tools) == list(dict.fromkeys(plain))
