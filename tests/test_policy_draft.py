"""What a draft makes of tools whose name and code do not say the same, and how it tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Here
from tests.policy_samples import ATTACKED, write_runs

from agentcheck.expect.yaml12 import parse
from agentcheck.whatif.policy.form import check_policy

STUBS = """
from agents import Agent, RunContextWrapper, function_tool

@function_tool
async def cancel_flight(context: RunContextWrapper) -> str:
    context.context.scenario = "cancelled"
    if context.context.flight is None:
        context.context.flight = "PA441"
    return f"Flight {context.context.flight} is cancelled."

@function_tool
async def flight_status(number: str) -> str:
    return f"{number} is on time"

@function_tool
async def seat_tool(context: RunContextWrapper) -> str:
    context.context.scenario = "seat"
    return "12A"

desk = Agent(name="desk", tools=[cancel_flight, flight_status, seat_tool])
"""


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def test_what_is_named_as_an_effect_is_gated_though_its_code_is_a_stub(
    here: Here, tmp_path: Path
) -> None:
    (tmp_path / "stub.py").write_text(STUBS, "utf-8")
    done = here("policy", "draft", tmp_path, "--isolated")
    form = check_policy(parse(done.out), "draft")
    assert {name: (tool.does, tool.ask) for name, tool in form.tools.items()} == {
        "cancel_flight": ("change", "tainted"),
        "flight_status": ("reads", "never"),
        "seat_tool": ("reads", "never"),
    }
    assert "by its name, though its code shows no effect" in done.out


def test_one_recorded_call_is_one_call(here: Here, tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs.jsonl", ATTACKED)
    assert "1 call recorded" in here("policy", "draft", "--from-trace", runs).out
