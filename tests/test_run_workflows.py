"""What each start of a target leads to, where owners are defined, and how reports tell it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report_samples import make
from tests.run_targets import LOOP, scan, write

from agentcheck.config import Settings
from agentcheck.model.report import Report, Workflow
from agentcheck.report import render
from agentcheck.report.diagram_svg import svg
from agentcheck.report.workflow_words import ways

SHARED = """\
from agents import Runner


def talk(agent):
    history = []
    while True:
        history.append({"role": "user", "content": input("> ")})
        history = Runner.run_sync(agent, history).to_input_list()
"""
ORDERS = """\
from agents import Agent, function_tool
from shared import talk


@function_tool
def find_order(number: str) -> str:
    return "there"


@function_tool
def send_refund(number: str) -> str:
    return "done"


refunds = Agent(name="Refunds", tools=[send_refund])
desk = Agent(name="Desk", tools=[find_order], handoffs=[refunds])

if __name__ == "__main__":
    talk(desk)
"""
CLOUDS = """\
from agents import Agent
from shared import talk

clouds = Agent(name="Clouds")
lonely = Agent(name="Lonely")
talk(clouds)
"""


@pytest.fixture
def report(tmp_path: Path) -> Report:
    write(tmp_path, shared=SHARED, orders=ORDERS, clouds=CLOUDS)
    return scan(tmp_path, Settings(persona="auditor"), traced=True, drawn=True)


def test_a_start_leads_through_loops_and_handoffs_to_agents_and_tools(report: Report) -> None:
    orders = next(one for one in report.workflows if one.start == "orders.py")
    assert (orders.kind, orders.file, orders.line) == ("entry", "orders.py", 1)
    assert orders.loops == ("talk",)
    assert orders.agents == ("Desk", "Refunds")
    assert (orders.acts, orders.tools) == (("send_refund",), ("find_order",))


def test_a_loop_that_starts_share_leads_each_to_its_own_agents(report: Report) -> None:
    clouds = next(one for one in report.workflows if one.start == "clouds.py")
    assert (clouds.loops, clouds.agents) == (("talk",), ("Clouds",))


def test_an_agent_that_nothing_starts_is_named_as_such(report: Report) -> None:
    lonely = next(one for one in report.workflows if one.start == "Lonely")
    assert (lonely.kind, lonely.file) == ("agent", "clouds.py")
    assert "`Lonely` (`clouds.py:5`): no start of it was found" in render(report, "markdown")


def test_the_picture_joins_an_agent_to_its_start_and_not_to_the_shared_loop(
    report: Report,
) -> None:
    assert report.graph is not None
    drawn = svg(report.graph)
    assert "orders.py runs Desk" in drawn
    assert "talk runs Desk" not in drawn
    assert "orders.py runs talk" in drawn


def test_workflows_are_worked_out_only_for_who_shows_them(tmp_path: Path) -> None:
    write(tmp_path, shared=SHARED, orders=ORDERS)
    assert scan(tmp_path, Settings()).workflows == ()


def test_agents_that_only_hand_to_each_other_are_one_workflow(tmp_path: Path) -> None:
    text = "from agents import Agent\na = Agent(name='A')\nb = Agent(name='B', handoffs=[a])\n"
    write(tmp_path, ring=f"{text}a.handoffs.append(b)\n")
    found = scan(tmp_path, Settings(), traced=True).workflows
    assert [(one.start, one.agents) for one in found] == [("A", ("B",))]


def test_starts_that_lead_to_the_same_are_told_once() -> None:
    one, two, three = (Workflow(f"{n}.py", "entry", f"{n}.py", 1, loops=("run",)) for n in "abc")
    told = ways((one, two, Workflow("x", "entry", "c.py", 9, agents=("X",)), three))
    assert [[start.name for start in way.starts] for way in told] == [
        ["a.py", "b.py", "c.py"],
        ["x"],
    ]
    page = render(make((), workflows=(one, two)), "markdown")
    assert "- `a.py`, `b.py`: loops `run`\n" in page


def test_the_file_that_defines_an_owner_is_told(tmp_path: Path) -> None:
    write(tmp_path, **{"app/bot": LOOP, "app/other": "def unrelated():\n    pass\n"})
    found = scan(tmp_path).findings[0]
    assert (found.owner, found.owner_file) == ("answer", "app/bot.py")


def test_of_owners_of_one_name_the_one_that_the_evidence_shows_is_meant(tmp_path: Path) -> None:
    write(tmp_path, **{"app/bot": LOOP, "app/namesake": "def answer():\n    pass\n"})
    assert scan(tmp_path).findings[0].owner_file == "app/bot.py"


# The profile


def test_a_conversation_that_a_person_goes_on_with_is_a_session(report: Report) -> None:
    assert report.profile.horizon == "session"
    assert report.profile.basis["horizon"] == "shared.py:6 goes on with a person turn by turn"
    assert report.profile.surface == ("money",)
    page = render(report, "markdown")
    assert "side effects: real (money)" in page
    assert "conversations are kept in memory" in page


def test_a_store_of_conversations_makes_them_lasting(tmp_path: Path) -> None:
    text = "from langgraph.checkpoint.postgres import PostgresSaver\n"
    profile = scan(write(tmp_path, bot=text + LOOP)).profile
    assert profile.horizon == "lasting"
    assert profile.basis["horizon"] == "bot.py:1 imports PostgresSaver"


def test_without_a_sign_of_either_nothing_is_kept_after_a_run(tmp_path: Path) -> None:
    assert scan(write(tmp_path, bot=LOOP)).profile.horizon == "run"
    assert scan(write(tmp_path / "x", bot="x = 1\n")).profile.horizon == "unknown"


SHELL = """\
import json
import subprocess

from openai import OpenAI

client = OpenAI()


def answer(messages, tools):
    for _ in range(9):
        reply = client.chat.completions.create(model="m", messages=messages)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            RUN
"""


def test_what_a_model_writes_and_a_shell_runs_acts_on_the_world(tmp_path: Path) -> None:
    line = "subprocess.run(call.function.arguments, shell=True)"
    profile = scan(write(tmp_path, bot=SHELL.replace("RUN", line)), Settings()).profile
    assert (profile.tools, profile.side_effects) == (0, "real")
    assert profile.basis["side_effects"] == "bot.py:16 runs what a model wrote"


def test_tools_that_are_run_and_not_found_may_act_on_the_world(tmp_path: Path) -> None:
    line = "tools[call.function.name](**json.loads(call.function.arguments))"
    profile = scan(write(tmp_path, bot=SHELL.replace("RUN", line)), Settings()).profile
    assert (profile.tools, profile.side_effects) == (0, "real")
    assert profile.basis["side_effects"].startswith("bot.py:16 runs tools that the model names")
    assert scan(write(tmp_path, bot=SHELL.replace("RUN", "pass"))).profile.side_effects == "none"


def test_rules_that_were_not_asked_are_counted(report: Report, tmp_path: Path) -> None:
    asked = len(report.questions)
    unasked = report.summary.unasked
    assert unasked > 0  # those about recorded runs alone
    assert f"{unasked} more rules not asked" in render(report, "html")
    assert scan(tmp_path).summary.unasked == asked + unasked - 1
