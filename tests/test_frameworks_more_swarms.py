"""What the data of Swarms and Agency Swarm say, asked of code that uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.limit_targets import limits, worths
from tests.linking_targets import linked, scanned, tools_of, verdict, written

from agentcheck.config import load_settings
from agentcheck.run import Request, run

SWARMS = """
from swarms import Agent, SequentialWorkflow


def price(item: str) -> str:
    "Look up a price."
    return item


clerk = Agent(
    agent_name="clerk",
    system_prompt="You look up prices.",
    model_name="m",
    tools=[price],
{more})


def ask(question):
    return clerk.run(question)
"""


def swarms(*more: str) -> str:
    return SWARMS.format(more="".join(f"    {line},\n" for line in more))


class TestSwarms:
    def test_finds_the_agent_its_tools_and_its_single_turn(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, swarms())
        assert tools_of(graph, "clerk") == ["price"]
        (limit,) = limits(graph)
        assert (limit.text, limit.worth) == ("1", "finite")

    @pytest.mark.parametrize(
        ("release", "more", "expected"),
        [
            ("8.8.0", ['max_loops="auto"'], "not-met"),
            ("8.8.0", ["max_loops='auto'", "interactive=False"], "not-met"),
            ("8.8.0", ['max_loops="auto"', "interactive=True"], "cannot-tell"),
            ("8.8.0", ['max_loops="auto"', "stopping_func=price"], "cannot-tell"),
            ("8.8.0", ["max_loops=3"], "met"),
            ("8.8.0", [], "met"),
            ("8.9.0", ['max_loops="auto"'], "cannot-tell"),
            ("16.0.3", ['max_loops="auto"'], "cannot-tell"),
            ("16.0.3", [], "met"),
        ],
    )
    def test_auto_has_no_bound_before_8_9_only(
        self, tmp_path: Path, release: str, more: list[str], expected: str
    ) -> None:
        written(tmp_path, main=swarms(*more), **{"requirements.txt": f"swarms=={release}\n"})
        assert verdict(tmp_path, "unbounded-loop", "ask") == expected

    def test_a_workflow_is_a_group_that_goes_round_once(self, tmp_path: Path) -> None:
        main = """
            from swarms import Agent, SequentialWorkflow

            writer = Agent(agent_name="writer", model_name="m", max_loops=1)
            editor = Agent(agent_name="editor", model_name="m", max_loops=1)
            line = SequentialWorkflow(name="line", agents=[writer, editor], max_loops=1)
            line.run("Write about rain.")
        """
        graph = linked(tmp_path, main)
        groups = [a.name for a in graph.agents if a.data and a.data.is_group]
        assert groups == ["line"]
        assert [(x.data.keyword, x.worth) for x in limits(graph)] == [("max_loops", "finite")]

    def test_a_keyword_of_another_sdk_is_dropped(self, tmp_path: Path) -> None:
        written(tmp_path, main=swarms('instructions="Be brief."'))
        (finding,) = scanned(tmp_path, "unknown-agent-keyword").findings
        assert "dropped" in finding.title


AGENCY = """
from agency_swarm import Agency, Agent, BaseTool, function_tool
from pydantic import Field


class SendReport(BaseTool):
    "Send the report."

    to: str = Field(..., description="Who gets it.")

    def run(self):
        return self.to


@function_tool
def look_up(order: str) -> str:
    "Find an order."
    return order


ceo = Agent(name="CEO", instructions="Lead.", tools=[SendReport])
dev = Agent(name="Dev", instructions="Build.", tools=[look_up])
agency = Agency(ceo, communication_flows=[(ceo, dev)], shared_instructions="Be kind.")


async def ask(question):
    return await agency.get_response(question{more})
"""


class TestAgencySwarm:
    def test_finds_agents_and_tools_as_classes_and_functions(self, tmp_path: Path) -> None:
        graph = linked(tmp_path, AGENCY.format(more=""))
        assert tools_of(graph, "CEO") == ["SendReport"]
        assert tools_of(graph, "Dev") == ["look_up"]
        groups = [a.name for a in graph.agents if a.data and a.data.is_group]
        assert groups == ["agency"]

    @pytest.mark.parametrize(
        ("more", "expected"),
        [
            ("", "infinite"),
            (", max_turns=1_000_000", "infinite"),
            (", max_turns=12", "finite"),
        ],
    )
    def test_a_default_of_a_million_turns_is_no_bound(
        self, tmp_path: Path, more: str, expected: str
    ) -> None:
        assert worths(tmp_path, AGENCY.format(more=more)) == [("max_turns", expected)]

    def test_a_default_that_no_run_reaches_is_told_as_it_is(self, tmp_path: Path) -> None:
        written(tmp_path, main=AGENCY.format(more=""))
        settings = load_settings(
            tmp_path, isolated=True, flags={"select": ["unbounded-loop"], "persona": "pedantic"}
        )
        (finding,) = run(Request(paths=(str(tmp_path),), jobs=1), settings).findings
        assert "`max_turns` is 1000000 by default" in finding.message

    def test_before_1_0_an_agency_is_a_chart_and_runs_assistants(self, tmp_path: Path) -> None:
        main = """
            from agency_swarm import Agency, Agent

            ceo = Agent(name="CEO", instructions="Lead.", temperature=0.2)
            agency = Agency([ceo], temperature=0.5)
            print(agency.get_completion("Report."))
        """
        graph = linked(tmp_path, main, **{"requirements.txt": "agency-swarm==0.7.2\n"})
        assert [(r.framework, r.data.limit) for r in graph.runs] == [("agency-swarm", None)]
        assert scanned(tmp_path, "unknown-agent-keyword").findings == ()

    def test_says_where_the_settings_of_assistants_went(self, tmp_path: Path) -> None:
        written(
            tmp_path,
            main="""
                from agency_swarm import Agent

                ceo = Agent(name="CEO", instructions="Lead.", temperature=0.2)
            """,
            **{"requirements.txt": "agency-swarm==1.11.0\n"},
        )
        (finding,) = scanned(tmp_path, "unknown-agent-keyword").findings
        assert "since 1.7.0" in finding.message

    def test_knows_a_demo_for_a_talk_with_a_person(self, tmp_path: Path) -> None:
        main = AGENCY.format(more="").replace(
            "return await agency.get_response(question)", "agency.terminal_demo()"
        )
        (call,) = linked(tmp_path, main).runs
        assert call.data.interactive


def test_a_value_that_the_data_list_switches_a_limit_off(tmp_path: Path) -> None:
    main = """
        from google.adk.agents import Agent
        from google.adk.agents.run_config import RunConfig
        from google.adk.runners import Runner

        runner = Runner(app_name="a", agent=Agent(name="a", model="m"), session_service=None)

        async def ask(message):
            config = RunConfig(max_llm_calls={calls})
            async for event in runner.run_async(
                user_id="u", session_id="s", new_message=message, run_config=config
            ):
                print(event)
    """
    for calls, worth in (("0", "infinite"), ("-1", "infinite"), ("7", "finite")):
        folder = tmp_path / f"calls{calls}"
        assert worths(folder, main.format(calls=calls)) == [("run_config.max_llm_calls", worth)]
