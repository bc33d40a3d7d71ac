"""What is found in code for Semantic Kernel, Haystack, Strands, DSPy, Bedrock and MCP servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.framework_samples import (
    BEDROCK,
    DSPY,
    FASTMCP,
    HAYSTACK,
    MCP,
    SEMANTIC_KERNEL,
    STRANDS,
)
from tests.linking_targets import agent, linked, tools_of

from agentcheck.frameworks.load import for_version, load
from agentcheck.frameworks.schema import AgentKind, Framework, Limit, RunEntry
from agentcheck.rule import AgentGraph, RunCall, limits_in_force


def framework(name: str, version: str | None = None) -> Framework:
    return for_version(next(f for f in load() if f.name == name), version)


def run_entry(name: str, entry: str, version: str | None = None) -> RunEntry:
    found = [run for run in framework(name, version).run if entry in run.names]
    assert len(found) == 1
    return found[0]


def agent_kind(name: str, kind: str, version: str | None = None) -> AgentKind:
    found = [each for each in framework(name, version).agent if kind in each.names]
    assert len(found) == 1
    return found[0]


def default(limit: Limit | None) -> str:
    assert limit is not None
    return limit.default


def run_in(graph: AgentGraph, owner: str) -> list[RunCall]:
    return [run for run in graph.runs if run.site.fn.qualname == owner]


def limits(graph: AgentGraph, owner: str) -> list[tuple[str, str, str]]:
    """Path, worth and text of each limit of the runs in a function."""
    found = [limit for run in run_in(graph, owner) for limit in limits_in_force(graph, run)]
    return [(limit.data.keyword, limit.worth, limit.text) for limit in found]


def asked(graph: AgentGraph, owner: str) -> list[str]:
    """What kinds of model call a function makes."""
    return [call.data.kind for call in graph.model_calls if call.site.fn.qualname == owner]


class TestSemanticKernel:
    def test_an_agent_has_the_decorated_methods_of_its_plugins(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, SEMANTIC_KERNEL)
        assert tools_of(graph, "Butler") == ["lamps", "switch"]
        assert agent(graph, "Critic").tools == []

    def test_the_steps_of_a_process_are_no_tools(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, SEMANTIC_KERNEL)
        assert sorted(tool.name for tool in graph.tools) == ["lamps", "switch"]

    def test_runs_have_the_rounds_given_to_the_agent_or_the_chat(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, SEMANTIC_KERNEL)
        rounds = "function_choice_behavior.maximum_auto_invoke_attempts"
        found = limits(graph, "main")
        assert [path for path, _, _ in found] == [
            rounds,
            rounds,
            "termination_strategy.maximum_iterations",
        ]
        assert [worth for _, worth, _ in found] == ["finite"] * 3
        assert "=3" in found[0][2]
        assert found[1][2] == "5"
        assert "=7" in found[2][2]

    def test_a_chat_service_is_asked(self, tmp_path: Path) -> None:
        assert asked(linked(tmp_path, SEMANTIC_KERNEL), "ask") == ["chat"]

    def test_a_group_chat_took_one_turn_before_1_21_and_takes_five_since(self) -> None:
        entry = "semantic_kernel.agents.AgentGroupChat.invoke"
        of = "semantic-kernel"
        assert default(run_entry(of, entry, "1.20.0").limit) == "1"
        assert default(run_entry(of, entry, "1.21.0").limit) == "5"

    def test_the_service_became_an_object_with_1_22(self) -> None:
        kind = "semantic_kernel.agents.ChatCompletionAgent"
        assert agent_kind("semantic-kernel", kind, "1.21.0").model_keyword == "service_id"
        assert agent_kind("semantic-kernel", kind).model_keyword == "service"
        gone = {g.keyword for g in framework("semantic-kernel", "1.22.0").removed}
        assert gone == {"execution_settings", "service_id"}


class TestHaystack:
    def test_an_agent_has_functions_wrapped_functions_and_components(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, HAYSTACK)
        assert tools_of(graph, "agent") == ["pay_out", "search", "weather"]
        bodies = {t.name: t.fn.name for t in agent(graph, "agent").tools if t.fn is not None}
        assert bodies == {"pay_out": "pay", "weather": "weather"}

    def test_a_run_has_the_steps_given_to_the_agent(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, HAYSTACK)
        ((path, worth, text),) = limits(graph, "main")
        assert (path, worth) == ("max_agent_steps", "finite")
        assert "12" in text

    def test_a_generator_that_is_run_is_asked(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, HAYSTACK)
        assert asked(graph, "once") == ["chat"]
        assert asked(graph, "main") == []

    def test_confirmation_went_from_a_keyword_to_a_hook_with_3(self) -> None:
        kind = "haystack.components.agents.Agent"
        assert "confirmation_strategies" in agent_kind("haystack", kind, "2.31.0").keywords
        assert "hooks" in agent_kind("haystack", kind).keywords
        moved = {gone.module: gone.instead for gone in framework("haystack").moved}
        assert moved["haystack.human_in_the_loop"] == "haystack.hooks.human_in_the_loop"
        assert framework("haystack", "2.31.0").moved == ()


class TestStrands:
    def test_an_agent_has_functions_and_ready_made_tools(self, tmp_path: Path) -> None:
        desk = agent(linked(tmp_path, STRANDS), "desk")
        assert sorted(tool.name for tool in desk.tools) == ["calculator", "refund", "shell"]
        assert {t.name: t.approval for t in desk.tools if t.approval} == {"shell": "maybe"}

    def test_a_module_that_is_given_is_the_tool_inside_it(self, tmp_path: Path) -> None:
        main = """
            from strands import Agent
            from desk import close, pay

            agent = Agent(tools=[pay, close])
        """
        decorated = "from strands import tool\n\n@tool\ndef pay_out(order: str): ..."
        plain = "TOOL_SPEC = {}\n\ndef close(tool, **kwargs): ...\n\ndef helper(): ..."
        graph = linked(tmp_path, main, **{"desk/pay": decorated, "desk/close": plain})
        assert tools_of(graph, "agent") == ["close", "pay_out"]

    def test_calling_the_agent_runs_it_and_building_it_does_not(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, STRANDS)
        assert [run.data.agent is not None for run in run_in(graph, "Desk.ask")] == [True]
        assert run_in(graph, "Desk.__init__") == []
        assert len(run_in(graph, "bounded")) == 1

    def test_nothing_bounds_it_unless_limits_are_given(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, STRANDS)
        assert {worth for _, worth, _ in limits(graph, "Desk.ask")} == {"infinite"}
        turns = [worth for path, worth, _ in limits(graph, "bounded") if path == "limits.turns"]
        assert turns == ["finite"]

    def test_no_keyword_could_bound_it_before_1_42(self) -> None:
        assert run_entry("strands", "strands.Agent.__call__", "1.41.0").limit is None
        assert default(run_entry("strands", "strands.Agent.__call__", "1.42.0").limit) == "none"

    def test_a_swarm_stops_at_its_handoffs_or_turns(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, STRANDS)
        swarm = [run for run in run_in(graph, "work") if run.called]
        given = [limit for run in swarm for limit in limits_in_force(graph, run)]
        assert [(i.data.keyword, i.worth) for i in given] == [
            ("max_handoffs", "finite"),
            ("max_iterations", "finite"),
        ]
        assert swarm[0].data.handoff_policy == "last-wins"

    def test_a_built_graph_is_a_group_that_is_run_by_a_call(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, STRANDS)
        kinds = {a.name: a.data.is_group for a in graph.agents if a.data is not None}
        assert kinds["graph"]
        assert [run.called for run in run_in(graph, "drawn")] == [True]


class TestDSPy:
    def test_react_has_functions_and_tools_of_its_own(self, tmp_path: Path) -> None:
        assert tools_of(linked(tmp_path, DSPY), "self.react") == ["search", "size"]

    def test_calling_a_module_runs_it_with_the_limit_of_the_call(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, DSPY)
        texts = [(path, worth) for path, worth, _ in limits(graph, "Answer.forward")]
        assert texts == [("max_iters", "finite"), ("max_iters", "finite")]

    def test_predictors_and_models_are_asked_by_calling_them(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, DSPY)
        assert asked(graph, "Answer.forward") == ["chat"]
        assert asked(graph, "main") == ["chat"]
        assert asked(graph, "Answer.__init__") == []

    def test_an_agent_that_writes_code_is_known_for_it(self, tmp_path: Path) -> None:
        data = agent(linked(tmp_path, DSPY), "act").data
        assert data is not None
        assert data.runs_code

    @pytest.mark.parametrize(
        ("version", "rounds"),
        [("2.6.24", "5"), ("2.6.27", "5"), ("3.0.0", "10"), ("3.1.2", "20"), (None, "20")],
    )
    def test_react_has_more_rounds_with_every_major_release(
        self, version: str | None, rounds: str
    ) -> None:
        assert default(run_entry("dspy", "dspy.ReAct.__call__", version).limit) == rounds


class TestBedrock:
    def test_converse_is_asked_through_a_session_and_a_default_client(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, BEDROCK)
        assert asked(graph, "converse") == ["messages"]
        assert asked(graph, "stream") == ["messages"]

    def test_a_client_nobody_can_resolve_is_known_by_its_words(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, BEDROCK)
        assert asked(graph, "Raw.ask") == ["completion"]
        assert asked(graph, "upload") == []

    def test_the_tools_of_a_tool_config_are_tools(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, BEDROCK)
        assert [(t.name, t.fn and t.fn.name) for t in graph.tools] == [("refund", "refund")]

    def test_reasons_and_usage_are_where_the_service_puts_them(self) -> None:
        (call,) = [c for c in framework("bedrock").model_call if "converse" in c.methods]
        assert (call.finish, call.usage) == (("stopReason",), ("usage",))
        assert "max_tokens" in call.truncated
        assert "guardrail_intervened" in call.blocked


class TestModelContextProtocol:
    def test_decorated_and_added_functions_are_tools(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, MCP)
        assert sorted(t.name for t in graph.tools) == ["cancel_order", "list_orders", "refund"]
        assert all(t.fn is not None and t.framework == "mcp" for t in graph.tools)

    def test_the_separate_distribution_has_its_own_ways(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, FASTMCP)
        assert sorted(t.name for t in graph.tools) == ["cancel", "close", "refund"]
        assert {t.framework for t in graph.tools} == {"fastmcp"}

    def test_add_tool_took_a_function_before_2_7(self) -> None:
        def adds(version: str) -> bool:
            tools = framework("fastmcp", version).tool
            return any("fastmcp.FastMCP.add_tool" in tool.constructors for tool in tools)

        assert adds("2.6.1")
        assert not adds("2.7.0")
