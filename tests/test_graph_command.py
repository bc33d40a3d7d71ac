"""`agentcheck graph`: what is drawn of code, in which formats, hostile names included."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.command_line import Here, agentcheck
from tests.graph_reading import Drawn
from tests.run_targets import LOOP, write

ROOT = Path(__file__).parents[1]
DESK = ROOT / "fixtures" / "agents" / "parcel_desk"
FORMATS = ("mermaid", "dot", "json", "svg")
AGENTS = {"Claims", "Front desk", "Depot", "Refunds"}
TOOLS = {"track": "tool", "reroute": "effect-tool", "refund": "effect-tool",
         "send_mail": "effect-tool"}  # fmt: skip
HANDOFFS = {
    ("Front desk", "to_depot", "Depot"),
    ("Front desk", "to_refunds", "Refunds"),
    ("Depot", "to_front_desk", "Front desk"),
    ("Refunds", "to_front_desk", "Front desk"),
}
USES = {
    "Claims": {"track", "refund", "send_mail"},
    "Front desk": {"track", "send_mail", "to_depot", "to_refunds"},
    "Depot": {"track", "reroute", "to_front_desk"},
    "Refunds": {"track", "refund", "to_front_desk"},
}
SWARM = "from swarm import Agent\n\n"


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


@pytest.fixture
def drawn(here: Here) -> Drawn:
    """What a folder's graph is in JSON."""
    return Drawn(here)


# What is drawn


def test_every_agent_tool_and_handoff_of_the_fixture_is_a_node_or_edge(drawn: Drawn) -> None:
    graph = drawn(DESK)
    kinds = graph.kinds()
    assert {label for label, kind in kinds.items() if kind == "agent"} == AGENTS
    assert {label: kinds[label] for label in TOOLS} == TOOLS
    assert graph.edges("hands-to") == HANDOFFS
    uses = graph.pairs("uses")
    assert uses == {(agent, tool) for agent, tools in USES.items() for tool in tools}


def test_edges_tell_the_line_that_made_them(drawn: Drawn) -> None:
    graph = drawn(DESK)
    lines = (DESK / "app" / "main.py").read_text("utf-8").splitlines()
    (given,) = [
        edge
        for edge in graph.data["edges"]
        if (edge["kind"], graph.labels[edge["source"]]) == ("uses", "Depot")
        and graph.labels[edge["target"]] == "to_front_desk"
    ]
    assert given["file"] == "app/main.py"
    assert lines[given["line"] - 1] == "depot.functions.append(to_front_desk)"


def test_loops_ask_models_and_entries_run_loops_and_agents(drawn: Drawn) -> None:
    graph = drawn(DESK)
    assert graph.node("Relay.run")["kind"] == "loop"
    assert "none" in graph.node("Relay.run")["detail"]["limit"]
    assert ("Relay.run", "chat.completions.create") in graph.pairs("asks")
    assert {("main.py", "Front desk"), ("main.py", "talk"), ("talk", "Relay.run")} <= graph.pairs(
        "runs"
    )


def test_a_plain_loop_shows_the_tools_of_its_requests(drawn: Drawn, tmp_path: Path) -> None:
    code = LOOP.replace('model="m"', 'model="m-1", tools=TOOLS') + (
        "\n\ndef pay(amount: int) -> str:\n    return ''\n\n\n"
        "TOOLS = [{'type': 'function', 'function': {'name': 'pay', 'parameters': {}}}]\n"
    )
    graph = drawn(write(tmp_path, bot=code))
    assert graph.node("answer")["kind"] == "loop"
    assert graph.pairs("uses") == {("answer", "pay")}
    assert graph.pairs("asks") == {("answer", "m-1")}


def test_tools_bound_to_a_model_belong_to_who_asks_it(drawn: Drawn, tmp_path: Path) -> None:
    code = (
        "from langchain_core.tools import tool\n"
        "from langchain_openai import ChatOpenAI\n\n\n"
        "@tool\ndef look(x: str) -> str:\n    return x\n\n\n"
        "def ask(messages):\n"
        "    model = ChatOpenAI(model='m').bind_tools([look]).with_retry()\n"
        "    return model.invoke(messages)\n"
    )
    graph = drawn(write(tmp_path, bot=code))
    assert graph.pairs("uses") == {("ask", "look")}


def test_groups_hold_their_members(drawn: Drawn, tmp_path: Path) -> None:
    code = (
        "from crewai import Agent, Crew, Task\n\n"
        "writer = Agent(role='Writer', goal='g', backstory='b')\n"
        "task = Task(description='d', expected_output='o', agent=writer)\n"
        "crew = Crew(agents=[writer], tasks=[task])\n"
    )
    graph = drawn(write(tmp_path, crew=code))
    (member,) = graph.pairs("member")
    assert graph.kinds()[member[0]] == "group"
    assert graph.kinds()[member[1]] == "agent"


def test_state_graphs_show_their_steps_and_ways(drawn: Drawn, tmp_path: Path) -> None:
    code = (
        "from langgraph.graph import END, START, StateGraph\n\n\n"
        "def plan(state):\n    return state\n\n\n"
        "def act(state):\n    return state\n\n\n"
        "def choose(state):\n    return 'more' if state else 'done'\n\n\n"
        "builder = StateGraph(dict)\n"
        "builder.add_node('plan', plan)\n"
        "builder.add_node('act', act)\n"
        "builder.add_edge(START, 'plan')\n"
        "builder.add_edge('plan', 'act')\n"
        "builder.add_conditional_edges('act', choose, {'more': 'plan', 'done': END})\n"
        "flow = builder.compile()\n"
    )
    graph = drawn(write(tmp_path, flow=code))
    assert graph.edges("next") == {
        ("flow", None, "plan"),
        ("plan", None, "act"),
        ("act", "more", "plan"),
        ("act", "done", "end"),
    }
    assert graph.pairs("member") == {("flow", "plan"), ("flow", "act")}


def test_what_cannot_be_resolved_is_drawn_as_unresolved(drawn: Drawn, tmp_path: Path) -> None:
    code = SWARM + (
        "one = Agent(name='One', functions=[missing])\ntwo = Agent(name='Two', functions=load())\n"
    )
    graph = drawn(write(tmp_path, app=code))
    assert graph.pairs("uses") == {("One", "missing"), ("Two", "load()")}
    assert {graph.kinds()[label] for label in ("missing", "load()")} == {"unresolved"}


def test_approvals_stand_before_their_tools(drawn: Drawn, tmp_path: Path) -> None:
    code = SWARM + (
        "import os\n\n\n"
        "def wipe(path):\n"
        "    if input('sure?') != 'y':\n        return 'no'\n"
        "    os.remove(path)\n    return 'done'\n\n\n"
        "one = Agent(name='One', functions=[wipe])\n"
    )
    graph = drawn(write(tmp_path, app=code))
    assert graph.kinds()["wipe"] == "effect-tool"
    ((_, target),) = graph.pairs("approves")
    assert target == "wipe"


def test_agents_brought_by_a_star_import_are_found(drawn: Drawn, tmp_path: Path) -> None:
    agents = SWARM + "triage = Agent(name='Triage')\n"
    main = "from swarm.repl import run_demo_loop\nfrom team import *\n\nrun_demo_loop(triage)\n"
    graph = drawn(write(tmp_path, team=agents, main=main))
    assert graph.pairs("runs") == {("main.py", "Triage")}


def test_a_sibling_named_like_the_sdk_does_not_hide_it(drawn: Drawn, tmp_path: Path) -> None:
    agents = "from agents import Agent\n\nhelper = Agent(name='Helper')\n"
    checks = (
        "from agents import Agent, Runner\n\n"
        "judge = Agent(name='Judge')\n\n\n"
        "async def check(text):\n    return await Runner.run(judge, text)\n"
    )
    files = {"desk/__init__": "", "desk/agents": agents, "desk/checks": checks}
    graph = drawn(write(tmp_path, **files))
    assert graph.pairs("runs") == {("check", "Judge")}


# The command


def test_the_json_keeps_its_contract(here: Here) -> None:
    data = json.loads(here("graph", DESK, "--isolated", "--format", "json").out)
    assert data["schema"] == "agentcheck/graph/1"
    assert data["target"] == "parcel_desk"
    ids = [node["id"] for node in data["nodes"]]
    assert len(ids) == len(set(ids))
    for edge in data["edges"]:
        assert {edge["source"], edge["target"]} <= set(ids)
        assert (DESK / edge["file"]).is_file()


def test_the_default_is_mermaid(here: Here) -> None:
    done = here("graph", DESK, "--isolated")
    assert done.code == 0
    assert done.out.startswith("flowchart LR\n")
    assert done.err == ""


@pytest.mark.parametrize("form", FORMATS)
def test_every_agent_tool_and_handoff_of_the_fixture_is_in_every_format(
    here: Here, form: str
) -> None:
    text = here("graph", DESK, "--isolated", "--format", form).out
    for label in (*AGENTS, *TOOLS, *(tool for _, tool, _ in HANDOFFS)):
        assert label in text


def test_mermaid_and_dot_draw_every_edge(here: Here) -> None:
    count = len(json.loads(here("graph", DESK, "--isolated", "--format", "json").out)["edges"])
    mermaid = here("graph", DESK, "--isolated").out
    dot = here("graph", DESK, "--isolated", "--format", "dot").out
    assert len(re.findall(r"^  n\d+ (?:==>|-\.->|---|-->|-\.-)", mermaid, re.MULTILINE)) == count
    assert len(re.findall(r"^  n\d+ -> n\d+ \[", dot, re.MULTILINE)) == count


@pytest.mark.parametrize("form", FORMATS)
def test_two_runs_print_the_same(form: str) -> None:
    one, other = (
        agentcheck("graph", DESK, "--isolated", "--format", form, env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    )
    assert one.out == other.out


def test_a_file_is_written_whole_and_stdout_stays_empty(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    done = here("graph", DESK, "--isolated", "--format", "svg", "-o", path)
    assert (done.code, done.out) == (0, "")
    assert path.read_text("utf-8").startswith("<svg ")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found_is_said_on_stderr_and_drawn_as_an_empty_graph(
    here: Here, tmp_path: Path, form: str
) -> None:
    done = here("graph", write(tmp_path, plain="x = 1\n"), "--isolated", "--format", form)
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
    assert "no agent, tool or model call was found" in done.err
    if form == "json":
        assert json.loads(done.out)["nodes"] == json.loads(done.out)["edges"] == []
    if form == "svg":
        assert ET.fromstring(done.out).tag.endswith("svg")  # noqa: S314 - our own


def test_an_unknown_format_is_named_with_the_one_that_was_meant(here: Here) -> None:
    done = here("graph", DESK, "--format", "mermiad")
    assert done.code == 2
    assert 'did you mean "mermaid"?' in done.error


def test_a_path_that_is_not_there_is_an_error(here: Here, tmp_path: Path) -> None:
    done = here("graph", tmp_path / "nowhere")
    assert done.code == 2
    assert "nowhere" in done.error


def test_what_stands_in_tests_is_drawn_when_asked_for(
    here: Here, drawn: Drawn, tmp_path: Path
) -> None:
    agent = SWARM + "one = Agent(name='One')\n"
    target = write(tmp_path, **{"app": agent, "tests/test_app": agent.replace("One", "Two")})
    done = here("graph", target, "--isolated")
    assert "Two" not in done.out
    assert "1 file of tests left out; --tests draws them too" in done.err
    assert set(drawn(target, "--tests").kinds()) == {"One", "Two"}
