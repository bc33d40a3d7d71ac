"""What the data of LlamaIndex and CAMEL say, asked of code that uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.limit_targets import limits, worths
from tests.linking_targets import linked, scanned, tools_of, verdict, written

from agentcheck.frameworks.load import for_version, load
from agentcheck.frameworks.schema import Framework


def framework(name: str, version: str | None = None) -> Framework:
    return for_version(next(f for f in load() if f.name == name), version)


LLAMA = """
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI


def look_up(order: str) -> str:
    "Find an order."
    return order


async def refund(order: str) -> str:
    "Send its money back."
    return order


desk = FunctionAgent(
    name="desk",
    description="Answers.",
    system_prompt="Be kind.",
    tools=[look_up, FunctionTool.from_defaults(fn=refund, name="send_refund")],
    llm=OpenAI(model="m"),
    can_handoff_to=["clerk"],
)
clerk = FunctionAgent(name="clerk", tools=[look_up], llm=OpenAI(model="m"))
team = AgentWorkflow(agents=[desk, clerk], root_agent="desk", timeout={timeout})


async def answer(question):
    return await team.run(user_msg=question{more})
"""


class TestLlamaIndex:
    def test_finds_agents_their_tools_and_the_workflow(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, LLAMA.format(timeout="None", more=""))
        kinds = {a.name: a.data.is_group if a.data else None for a in graph.agents}
        assert kinds == {"desk": False, "clerk": False, "team": True}
        assert tools_of(graph, "desk") == ["look_up", "send_refund"]
        assert {t.fn.name for t in graph.tools if t.fn} == {"look_up", "refund"}

    def test_stops_a_workflow_after_twenty_calls_unless_told(self, tmp_path: Path) -> None:
        given = worths(tmp_path, LLAMA.format(timeout="None", more=""))
        assert given == [("max_iterations", "finite"), ("timeout", "infinite")]
        (tmp_path / "endless").mkdir()
        more = ', max_iterations=float("inf")'
        endless = worths(tmp_path / "endless", LLAMA.format(timeout="None", more=more))
        assert endless == [("max_iterations", "infinite"), ("timeout", "infinite")]

    def test_had_only_a_timeout_to_stop_a_workflow_before_0_12_47(self, tmp_path: Path) -> None:
        old = "llama-index-core==0.12.46\n"
        assert worths(tmp_path, LLAMA.format(timeout="None", more=""), old) == [
            ("timeout", "infinite")
        ]
        (tmp_path / "timed").mkdir()
        timed = worths(tmp_path / "timed", LLAMA.format(timeout="90", more=""), old)
        assert timed == [("timeout", "finite")]

    def test_finds_the_agents_of_old_and_their_bound(self, tmp_path: Path) -> None:
        main = """
            from llama_index.core.agent import ReActAgent
            from llama_index.core.tools import FunctionTool

            def add(a: int, b: int) -> int:
                return a + b

            agent = ReActAgent.from_tools(
                [FunctionTool.from_defaults(add)], max_iterations=6, verbose=True
            )
            print(agent.chat("What is 1 + 2?"))
        """
        graph = linked(tmp_path, main, **{"requirements.txt": "llama-index==0.11.10\n"})
        assert tools_of(graph, "agent") == ["add"]
        (limit,) = limits(graph)
        assert (limit.data.keyword, limit.worth, limit.data.unit) == (
            "max_iterations",
            "finite",
            "steps",
        )

    def test_drops_a_limit_that_the_constructor_does_not_take(self, tmp_path: Path) -> None:
        written(
            tmp_path,
            main="""
                from llama_index.core.agent import ReActAgent

                agent = ReActAgent(name="r", tools=[], max_iterations=5)
            """,
        )
        (finding,) = scanned(tmp_path, "unknown-agent-keyword").findings
        assert "`max_iterations`" in finding.message

    def test_says_what_is_gone_in_the_release_that_is_pinned(self) -> None:
        def gone(version: str) -> set[str]:
            return {m.module for m in framework("llama-index", version).moved}

        assert gone("0.9.48") == set()
        assert "llama_index.VectorStoreIndex" in gone("0.10.0")
        assert "llama_index.core.agent.AgentRunner" not in gone("0.12.52")
        assert "llama_index.core.agent.AgentRunner" in gone("0.13.0")


CAMEL = """
from camel.agents import ChatAgent
from camel.models import ModelFactory
from camel.toolkits import FunctionTool, SearchToolkit


def send_mail(to: str, text: str) -> str:
    "Send a mail."
    return to


model = ModelFactory.create(model_platform="openai", model_type="gpt-4o")
assistant = ChatAgent(
    "You help.",
    model=model,
    tools=[FunctionTool(send_mail), *SearchToolkit().get_tools()],
{more})


{a}def ask(question):
    return {wait}assistant.{step}(question)
"""


def camel(step: str = "step", more: str = "") -> str:
    a, wait = ("async ", "await ") if step == "astep" else ("", "")
    return CAMEL.format(more=f"    {more}\n" if more else "", a=a, wait=wait, step=step)


class TestCamel:
    def test_finds_the_agent_and_its_tools(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, camel())
        assert tools_of(graph, "assistant") == ["SearchToolkit", "send_mail"]

    @pytest.mark.parametrize(
        ("release", "step", "more", "expected"),
        [
            ("0.2.90", "step", "", ["infinite"]),
            ("0.2.90", "step", "max_iteration=None,", ["infinite"]),
            ("0.2.90", "step", "max_iteration=5,", ["finite"]),
            ("0.2.90", "astep", "", ["infinite", "infinite"]),
            ("0.2.90", "astep", "step_timeout=60,", ["infinite", "finite"]),
            ("0.2.85", "astep", "", ["infinite", "finite"]),
            ("0.2.85", "astep", "step_timeout=None,", ["infinite", "infinite"]),
            ("0.2.79", "astep", "", ["infinite", "infinite"]),
            ("0.2.50", "step", "", ["infinite"]),
            ("0.2.50", "step", "single_iteration=False,", ["infinite"]),
            ("0.2.50", "step", "single_iteration=True,", ["unknown"]),
            ("0.2.10", "step", "", []),
        ],
    )
    def test_tells_what_bounds_a_step(
        self, tmp_path: Path, release: str, step: str, more: str, expected: list[str]
    ) -> None:
        found = worths(tmp_path, camel(step, more), f"camel-ai=={release}\n")
        assert [worth for _, worth in found] == expected

    @pytest.mark.parametrize(
        "tools",
        [
            "TerminalToolkit().get_tools()",
            "[*TerminalToolkit().get_tools()]",
            "[] + TerminalToolkit().get_tools()",
            "kit",
            "[*kit]",
        ],
    )
    def test_a_toolkit_is_found_however_it_is_given(self, tmp_path: Path, tools: str) -> None:
        main = f"""
            from camel.agents import ChatAgent
            from camel.toolkits import TerminalToolkit

            kit = TerminalToolkit().get_tools()
            worker = ChatAgent("You help.", tools={tools})
        """
        graph = linked(tmp_path, main)
        assert tools_of(graph, "worker") == ["TerminalToolkit"]
        assert [t.data.effect for t in graph.agents[0].tools if t.data] == ["effect"]

    def test_a_step_with_a_limit_is_no_unbounded_loop(self, tmp_path: Path) -> None:
        written(tmp_path, main=camel(more="max_iteration=5,"))
        assert verdict(tmp_path, "unbounded-loop", "ask") == "met"

    def test_a_loop_of_role_playing_is_a_loop_that_asks_a_model(self, tmp_path: Path) -> None:
        main = """
            from camel.societies import RolePlaying

            def play(task):
                session = RolePlaying("Programmer", "Trader", task_prompt=task)
                message = session.init_chat()
                while True:
                    reply, user = session.step(message)
                    if reply.terminated or "CAMEL_TASK_DONE" in user.msg.content:
                        break
                    message = reply.msg
        """
        written(tmp_path, main=main)
        assert verdict(tmp_path, "unbounded-loop", "play") == "not-met"
        counted = "\n".join(
            (
                "from camel.societies import RolePlaying",
                "def play(task):",
                "    session = RolePlaying('Programmer', 'Trader', task_prompt=task)",
                "    message = session.init_chat()",
                "    for _ in range(20):",
                "        reply, user = session.step(message)",
                "        message = reply.msg",
            )
        )
        written(tmp_path, main=counted)
        assert verdict(tmp_path, "unbounded-loop", "play") == "met"
