"""State graphs: their nodes, where each leads, and which parts of them are agent loops."""

from __future__ import annotations

from pathlib import Path

from tests.linking_targets import linked

from agentcheck.graph.stategraph import END, START, StateGraph

HEAD = """
from typing import Literal

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.types import Command, Send

llm = ChatOpenAI(model="m")


def look_up(city: str) -> str:
    "The weather of a city."
    return city


def model(state):
    return {"messages": [llm.bind_tools([look_up]).invoke(state["messages"])]}


def note(state):
    return {"count": state["count"] + 1}

"""


def one(folder: Path, body: str, **more: str) -> StateGraph:
    graphs = linked(folder, HEAD + body, **more).state_graphs
    assert len(graphs) == 1
    return graphs[0]


def ways(graph: StateGraph) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.kind) for e in graph.edges}


REACT = """
builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_node("tools", ToolNode([look_up]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
app = builder.compile()
"""


def test_a_react_graph_is_nodes_edges_and_one_loop(tmp_path: Path) -> None:
    graph = one(tmp_path, REACT)
    assert graph.name == "builder"
    assert {n.name: (n.kind, n.asks_model) for n in graph.nodes.values()} == {
        "model": ("function", True),
        "tools": ("tools", False),
    }
    assert [t.name for t in graph.nodes["tools"].tools] == ["look_up"]
    assert ways(graph) == {
        (START, "model", "always"),
        ("model", "tools", "conditional"),
        ("model", END, "conditional"),
        ("tools", "model", "always"),
    }
    assert graph.model_cycles() == [("model", "tools")]
    assert not graph.open


def test_a_chain_of_calls_builds_the_same_graph(tmp_path: Path) -> None:
    found = linked(
        tmp_path,
        HEAD
        + """
app = (
    StateGraph(MessagesState)
    .add_node(model)
    .add_node(note)
    .set_entry_point("model")
    .add_edge("model", "note")
    .set_finish_point("note")
    .compile()
)
app.invoke({})
""",
    )
    (graph,) = found.state_graphs
    assert [r.framework for r in found.runs] == ["langgraph"]
    assert ways(graph) == {
        (START, "model", "always"),
        ("model", "note", "always"),
        ("note", END, "always"),
    }
    assert len(graph.compiled) == 1
    assert not graph.model_cycles()


def test_a_sequence_leads_from_each_node_to_the_next(tmp_path: Path) -> None:
    graph = one(tmp_path, 'b = StateGraph(dict)\nb.add_sequence([model, ("second", note)])\n')
    assert list(graph.nodes) == ["model", "second"]
    assert ways(graph) == {("model", "second", "always")}


def test_a_router_leads_where_its_answers_and_its_map_say(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        """
NEXT = "note"


def route(state):
    if state["count"] > 3:
        return END
    return [NEXT] if state["ok"] else "model"


def promised(state) -> Literal["model", "other"]:
    return state["next"]


builder = StateGraph(dict)
builder.add_node("model", model)
builder.add_node("note", note)
builder.add_node("other", lambda state: state)
builder.add_conditional_edges("model", route)
builder.add_conditional_edges("note", promised)
builder.add_conditional_edges("other", lambda s: s["yes"], {True: "model", False: END})
builder.add_conditional_edges(START, lambda s: [Send("note", s), Send("model", s)])
""",
    )
    assert {e.target for e in graph.out_of("model")} == {END, "note", "model"}
    assert {e.target for e in graph.out_of("note")} == {"model", "other"}
    assert {(e.target, e.label) for e in graph.out_of("other")} == {
        ("model", "True"),
        (END, "False"),
    }
    assert {e.target for e in graph.out_of(START)} == {"note", "model"}
    assert {e.router.name for e in graph.out_of("model") if e.router} == {"route"}


def test_a_router_whose_answers_nobody_can_tell_is_open(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        """
def route(state):
    return state["next"]


builder = StateGraph(dict)
builder.add_node("model", model)
builder.add_conditional_edges("model", route)
""",
    )
    assert [source for source, _ in graph.open] == ["model"]
    assert not graph.edges


def test_a_command_is_an_edge_of_the_node_that_answers_with_it(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        """
def triage(state) -> Command[Literal["billing", "__end__"]]:
    reply = llm.invoke(state["messages"])
    return Command(goto=reply.content, update={})


def billing(state):
    where = "triage" if state["more"] else END
    return Command(goto=where)


builder = StateGraph(MessagesState)
builder.add_node(triage)
builder.add_node(billing)
builder.add_edge(START, "triage")
""",
    )
    assert ways(graph) == {
        (START, "triage", "always"),
        ("triage", "billing", "goto"),
        ("triage", END, "goto"),
        ("billing", "triage", "goto"),
        ("billing", END, "goto"),
    }
    assert graph.model_cycles() == [("triage", "billing")]
    assert not graph.open


def test_agents_and_graphs_are_nodes_of_other_graphs(tmp_path: Path) -> None:
    graphs = linked(
        tmp_path,
        HEAD
        + """
helper = create_react_agent(llm, [look_up], name="helper")


def make_inner():
    inner = StateGraph(dict)
    inner.add_node("model", model)
    return inner.compile()


def through(state):
    return helper.invoke(state)


class Desk:
    def __init__(self):
        self.outer = StateGraph(dict)
        self._nodes()
        self.app = self.outer.compile(interrupt_before=["helper"], checkpointer=True)

    def _nodes(self):
        self.outer.add_node("helper", helper)
        self.outer.add_node("inner", make_inner())
        self.outer.add_node("through", through)
        self.outer.add_node("method", self.step)

    def step(self, state):
        return state
""",
    ).state_graphs
    outer = next(g for g in graphs if g.name == "self.outer")
    kinds = {n.name: n.kind for n in outer.nodes.values()}
    assert kinds == {
        "helper": "agent", "inner": "subgraph", "through": "function", "method": "function",
    }  # fmt: skip
    assert {n.name for n in outer.nodes.values() if n.asks_model} == {"helper", "inner", "through"}
    assert outer.nodes["through"].agent is outer.nodes["helper"].agent
    assert [t.name for t in outer.nodes["helper"].tools] == ["look_up"]
    assert outer.compiled[0].interrupt_before == ("helper",)
    assert outer.compiled[0].checkpointer is not None


def test_nodes_are_added_by_helpers_in_other_modules(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        """
import names
import parts

builder = StateGraph(dict)
parts.fill(builder)
builder.add_edge(START, names.FIRST)
""",
        names='FIRST = "first"\n',
        parts="""
            import names
            def step(state):
                return state
            def fill(graph):
                graph.add_node(names.FIRST, step)
            """,
    )
    assert list(graph.nodes) == ["first"]
    assert ways(graph) == {(START, "first", "always")}


def test_a_node_that_looks_tools_up_by_the_models_word_runs_tools(tmp_path: Path) -> None:
    graph = one(
        tmp_path,
        """
TOOLS = [look_up]
by_name = {t.__name__: t for t in TOOLS}


def act(state):
    found = []
    for call in state["messages"][-1].tool_calls:
        found.append(by_name[call["name"]](**call["args"]))
    return {"messages": found}


builder = StateGraph(MessagesState)
builder.add_node("act", act)
""",
    )
    assert graph.nodes["act"].kind == "tools"
    assert [t.name for t in graph.nodes["act"].tools] == ["look_up"]


def test_code_without_such_graphs_has_none(tmp_path: Path) -> None:
    graph = linked(tmp_path, "import re\nfound = re.compile('x')\nfound.add_node('a', 1)\n")
    assert graph.state_graphs == []
