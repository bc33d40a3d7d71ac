"""Approval a node away: a tool that runs only past a stop or a yes is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import verdict, written

HEAD = """
import requests
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.types import Command, interrupt

llm = ChatOpenAI(model="m")


@tool
def send_refund(order: str) -> str:
    "Send the money for an order back."
    return requests.post("https://pay.example/refunds", json={"order": order}).text


def model(state):
    return {"messages": [llm.bind_tools([send_refund]).invoke(state["messages"])]}

"""
BUILD = """

def build():
    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode([send_refund]))
    builder.add_edge(START, "model")
    builder.add_edge("tools", "model")
    return builder

"""
STRAIGHT = """
builder = build()
builder.add_conditional_edges("model", tools_condition)
app = builder.compile({stops})
"""


def judged(folder: Path, body: str) -> str:
    written(folder, main=HEAD + (BUILD if "build()" in body else "") + body)
    return verdict(folder, "unguarded-side-effect", "send_refund")


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        ("", "not-met"),
        ('interrupt_before=["tools"], checkpointer=True', "met"),
        ('interrupt_before="*"', "met"),
        ('interrupt_after=["model"]', "met"),
        ('interrupt_before=["model"]', "not-met"),
        ('interrupt_after=["tools"]', "not-met"),
    ],
)
def test_a_compiled_graph_that_stops_before_the_tools_asks(
    tmp_path: Path, stops: str, expected: str
) -> None:
    assert judged(tmp_path, STRAIGHT.format(stops=stops)) == expected


REVIEWED = """
def review(state):
    {asks}


def route(state):
    return "review" if state["messages"][-1].tool_calls else END


builder = build()
builder.add_node("review", review)
builder.add_conditional_edges("model", route)
{edges}
app = builder.compile()
"""
TO_TOOLS = 'builder.add_edge("review", "tools")'
ON_YES = 'builder.add_conditional_edges("review", lambda s: s["yes"], {"y": "tools", "n": "model"})'


@pytest.mark.parametrize(
    ("asks", "edges", "expected"),
    [
        ('return {"answer": interrupt("pay?")}', TO_TOOLS, "met"),
        (
            'ok = interrupt("pay?")\n    return Command(goto="tools" if ok else "model")',
            "",
            "met",
        ),
        ('return {"yes": input("pay? ")}', ON_YES, "met"),
        ('return {"note": input("a note for the log: ")}', TO_TOOLS, "not-met"),
        ('return {"seen": True}', TO_TOOLS, "not-met"),
    ],
)
def test_a_node_that_asks_on_the_only_way_to_the_tools_counts(
    tmp_path: Path, asks: str, edges: str, expected: str
) -> None:
    assert judged(tmp_path, REVIEWED.format(asks=asks, edges=edges)) == expected


def test_a_second_way_round_the_one_who_asks_lets_the_tool_run(tmp_path: Path) -> None:
    body = REVIEWED.format(asks='return {"answer": interrupt("pay?")}', edges=TO_TOOLS)
    around = body.replace('"review" if', '"tools" if state["fast"] else "review" if')
    assert judged(tmp_path, around) == "not-met"


def test_a_router_that_sends_this_tool_to_the_one_who_asks_counts(tmp_path: Path) -> None:
    body = REVIEWED.format(asks='return {"answer": interrupt("pay?")}', edges=TO_TOOLS).replace(
        'return "review" if state["messages"][-1].tool_calls else END',
        """names = {c["name"] for c in state["messages"][-1].tool_calls}
    if names & RISKY:
        return "review"
    return "tools" if names else END""",
    )
    assert judged(tmp_path, 'RISKY = {"send_refund"}\n' + body) == "met"


def test_a_router_that_tests_an_approval_counts(tmp_path: Path) -> None:
    assert (
        judged(
            tmp_path,
            """
def route(state):
    if state["approved"]:
        return "tools"
    return END


builder = build()
builder.add_conditional_edges("model", route)
app = builder.compile()
""",
        )
        == "met"
    )


def test_words_of_a_user_before_the_model_are_no_approval(tmp_path: Path) -> None:
    assert (
        judged(
            tmp_path,
            """
def human(state):
    return {"messages": [("user", input("you: "))]}


builder = StateGraph(MessagesState)
builder.add_node("human", human)
builder.add_node("model", model)
builder.add_node("tools", ToolNode([send_refund]))
builder.add_edge(START, "human")
builder.add_conditional_edges("human", lambda s: "model" if s["messages"] else END)
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "human")
""",
        )
        == "not-met"
    )


def test_a_node_that_stops_before_it_runs_the_tools_itself_counts(tmp_path: Path) -> None:
    body = """
by_name = {{"send_refund": send_refund}}


def act(state):
    found = []
    for call in state["messages"][-1].tool_calls:
        {ask}
        found.append(by_name[call["name"]].invoke(call["args"]))
    return {{"messages": found}}


builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_node("act", act)
builder.add_edge(START, "model")
builder.add_edge("model", "act")
app = builder.compile()
"""
    assert judged(tmp_path, body.format(ask='interrupt({"call": call})')) == "met"
    assert judged(tmp_path, body.format(ask='print("calling", call)')) == "not-met"


ASKING = "create_agent(llm, [send_refund], middleware=[HumanInTheLoopMiddleware(interrupt_on={})])"


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        ("create_react_agent(llm, [send_refund])", "not-met"),
        ('create_react_agent(llm, [send_refund], interrupt_before=["tools"])', "met"),
        (ASKING.format('{"send_refund": True}'), "met"),
        (ASKING.format('{"send_refund": False}'), "not-met"),
        (ASKING.format('{"send_mail": True}'), "not-met"),
    ],
)
def test_an_agent_that_is_built_to_ask_for_the_tool_asks(
    tmp_path: Path, built: str, expected: str
) -> None:
    assert judged(tmp_path, f"agent = {built}\n") == expected


def test_one_agent_that_does_not_ask_is_enough(tmp_path: Path) -> None:
    body = """
careful = create_react_agent(llm, [send_refund], interrupt_before=["tools"])
hasty = create_react_agent(llm, [send_refund])
"""
    assert judged(tmp_path, body) == "not-met"


def test_plain_functions_of_a_tool_node_are_tools(tmp_path: Path) -> None:
    body = """
import os


def delete_file(path: str) -> str:
    "Delete a file."
    os.remove(path)
    return "done"


builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_node("tools", ToolNode([delete_file]))
builder.add_edge("model", "tools")
app = builder.compile(interrupt_before=["tools"])
"""
    written(tmp_path, main=HEAD + body)
    assert verdict(tmp_path, "unguarded-side-effect", "delete_file") == "met"
