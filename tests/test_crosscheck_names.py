"""What recorded runs call tools and agents, found again in the code that defines them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here
from tests.trace_samples import Json, asked, assistant, lines, result, user

DESK = """\
from agents import Agent, Runner, function_tool
from agents.mcp import MCPServerStdio


@function_tool
def send_mail(to: str) -> str:
    return "sent"


@function_tool
def find(title: str) -> str:
    return title


billing = Agent(name="Billing Agent", tools=[send_mail])
desk = Agent(name="Front desk", handoffs=[billing], tools=[find])


def answer(question: str) -> str:
    return Runner.run_sync(desk, question, max_turns=8).final_output
"""
SEND, FIND, BILLING = 6, 11, 15
PARCELS = Path(__file__).parent.parent / "fixtures" / "agents" / "parcel_desk"


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def again(name: str, count: int = 3) -> list[Json]:
    """A run that makes one call over and over."""
    rows = [user("Please.")]
    for n in range(count):
        rows += [assistant(None, asked(name, {"a": 1}, f"c{n}")), result("nothing", f"c{n}")]
    return [*rows, assistant("Sorry.")]


def findings(here: Here, folder: Path, *runs: Any, code: Path | None = None) -> list[Json]:
    """What is found in a program, by default DESK, and in runs of it."""
    target = code or folder / "bot.py"
    if code is None:
        target.write_text(DESK, "utf-8")
    path = lines(folder / "runs.jsonl", [{"messages": rows} for rows in runs])
    done = here("scan", target, "--trace", path, "--isolated", "--output-format", "json")
    assert done.code in (0, 1), done.err
    found: list[Json] = json.loads(done.out)["findings"]
    return found


def code_lines(finding: Json) -> list[int]:
    return [e["line"] for e in finding["evidence"] if e["kind"] == "code"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("send_mail", SEND),
        ("send-mail", SEND),
        ("sendMail", SEND),
        ("mcp__office__send_mail", SEND),
        ("office.send_mail", SEND),
        ("functions:send_mail", SEND),
        ("office_send_mail", SEND),
        ("find", FIND),
        ("mcp__books__find", FIND),
        ("transfer_to_billing_agent", BILLING),
        ("transferToBillingAgent", BILLING),
        ("handoff_to_billing_agent", BILLING),
    ],
)
def test_a_finding_of_runs_names_the_line_however_a_framework_spells_the_tool(
    here: Here, tmp_path: Path, name: str, line: int
) -> None:
    found = findings(here, tmp_path, again(name))
    [repeated] = [f for f in found if f["topic"] == "repeated-call"]
    assert repeated["known_by"] == ["trace"]
    assert code_lines(repeated) == [line]


@pytest.mark.parametrize("name", ["book_find", "finder", "mail", "send", "resend_mails"])
def test_a_name_that_is_merely_like_one_names_no_tool(
    here: Here, tmp_path: Path, name: str
) -> None:
    found = findings(here, tmp_path, again(name))
    [repeated] = [f for f in found if f["topic"] == "repeated-call"]
    assert not {SEND, FIND, BILLING} & {*code_lines(repeated)}


def test_runs_confirm_the_loops_and_the_race_of_a_framework_of_ones_own(
    here: Here, tmp_path: Path
) -> None:
    both = [
        user("P-1 is lost, and I want my money."),
        assistant(None, asked("to_depot", {}, "1"), asked("to_refunds", {}, "2"))
        | {"sender": "Front desk"},
        result(json.dumps({"assistant": "Depot"}), "1"),
        result(json.dumps({"assistant": "Refunds"}), "2"),
        assistant("How much was it?") | {"sender": "Refunds"},
    ]
    found = findings(here, tmp_path, again("look", 30), both, code=PARCELS)
    by: dict[str, dict[str, Json]] = {}
    for finding in found:
        if finding["trace"]["verdict"] in ("confirmed", "contradicted"):
            assert finding["trace"]["records"]
        if "code" in finding["known_by"]:
            by.setdefault(finding["topic"], {})[finding["subject"]] = finding["trace"]
    loops, races = by["unbounded-loop"], by["handoff-race"]
    assert {trace["verdict"] for trace in loops.values()} == {"confirmed"}
    assert races["Relay.perform"]["verdict"] == races["Front desk"]["verdict"] == "confirmed"
    assert all("runs.jsonl#0/" in each for each in loops["Relay.run"]["records"])
    assert all("runs.jsonl#1/" in each for each in races["Relay.perform"]["records"])
    verdicts = {finding["trace"]["verdict"] for finding in found}
    assert {"confirmed", "not-checkable"} <= verdicts
    assert verdicts <= {"confirmed", "contradicted", "not-exercised", "not-checkable"}


def test_a_finding_that_only_runs_show_names_some_line_of_the_code(
    here: Here, tmp_path: Path
) -> None:
    claim = [
        user("Mail them."),
        assistant(None, asked("send_mail", {"to": "x"})),
        result('{"success": false}'),
        assistant("I have sent the mail."),
    ]
    for finding in findings(here, tmp_path, claim, again("unheard_of")):
        assert code_lines(finding), finding["topic"]
