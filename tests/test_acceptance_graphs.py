"""Steps of compiled state graphs, run by the graph that has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance_samples import shown
from tests.run_targets import scan, write

from agentcheck.acceptance import generate
from agentcheck.config import Settings

STEPS = """
import json
from dataclasses import dataclass
from typing import Annotated

from langgraph.graph import StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from openai import AsyncOpenAI


@dataclass
class State:
    messages: Annotated[list, add_messages]


@dataclass
class Context:
    model: str = "m"


async def ask(state: State, runtime: Runtime[Context]) -> dict:
    client = AsyncOpenAI(max_retries=0)
    asked = [{"role": "user", "content": str(m.content)} for m in state.messages]
    reply = await client.chat.completions.create(model=runtime.context.model, messages=asked)
    plan = json.loads(reply.choices[0].message.content)
    return {"messages": [{"role": "assistant", "content": str(plan)}]}


builder = StateGraph(State, context_schema=Context)
builder.add_node("ask", ask)
builder.add_edge("__start__", "ask")
graph = builder.compile()
"""
TOLERANT = STEPS.replace(
    "    plan = json.loads(reply.choices[0].message.content)\n",
    """    try:
        plan = json.loads(reply.choices[0].message.content)
    except ValueError:
        plan = "none"
""",
)


def test_a_step_of_a_compiled_graph_is_run_by_the_graph(tmp_path: Path) -> None:
    pytest.importorskip("langgraph.graph")
    today, after = shown(tmp_path, "reply-parsed-unguarded", STEPS, TOLERANT)
    assert today.verdict == "fails", today
    assert today.why.startswith("a reply that is no JSON ended graph: JSONDecodeError")
    assert after.verdict == "passes", after


def test_a_step_of_a_graph_in_which_others_ask_as_well_is_left_to_a_person(
    tmp_path: Path,
) -> None:
    more = STEPS[STEPS.index("async def ask(") : STEPS.index("builder =")].replace("ask(", "think(")
    two = STEPS.replace("builder =", f"{more}builder =").replace(
        'builder.add_edge("__start__", "ask")',
        'builder.add_node("think", think)\nbuilder.add_edge("ask", "think")\n'
        'builder.add_edge("__start__", "ask")',
    )
    target = write(tmp_path / "target", desk=two)
    report = scan(target, Settings(select=("reply-parsed-unguarded",), persona="auditor"))
    written = generate.write_tests(report.findings, target, tmp_path / "tests")
    why = "how a test can run {}: it is a step of a graph in which other steps ask a model as well"
    texts = [path.read_text() for path in written]
    assert all(any(why.format(name) in text for text in texts) for name in ("ask", "think")), texts


def test_the_test_of_a_step_says_which_graph_it_runs(tmp_path: Path) -> None:
    target = write(tmp_path / "target", desk=STEPS)
    report = scan(target, Settings(select=("reply-parsed-unguarded",), persona="auditor"))
    (path,) = generate.write_tests(report.findings, target, tmp_path / "tests")
    text = path.read_text()
    assert "from desk import graph\n" in text
    assert 'return driven(graph, "langgraph", TEXT)' in text
    assert 'came_from(sys.modules["desk"], TARGET)' in text
