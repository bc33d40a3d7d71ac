"""Limits and approvals as the data of an SDK spell them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.linking_targets import linked, scanned, written

HOSTED = """
from agents import Agent, HostedMCPTool

agent = Agent(name="one", tools=[HostedMCPTool(tool_config={config})])
"""


@pytest.mark.parametrize(
    ("config", "approval"),
    [
        ('{"server_label": "x", "require_approval": "never"}', "no"),
        ('{"server_label": "x", "require_approval": "always"}', "yes"),
        ('{"server_label": "x", "require_approval": {"never": {}}}', "maybe"),
        ('{"server_label": "x"}', "maybe"),
    ],
)
def test_an_approval_inside_a_dict_is_read(tmp_path: Path, config: str, approval: str) -> None:
    graph = linked(tmp_path, HOSTED.format(config=config))
    assert [tool.approval for tool in graph.tools] == [approval]


ADK = """
from google.adk.agents import LlmAgent, RunConfig
from google.adk.runners import Runner

runner = Runner(agent=LlmAgent(name="one", model="m"), app_name="a")


def ask(message):
    return list(runner.run(new_message=message, run_config=RunConfig(max_llm_calls={limit})))
"""


@pytest.mark.parametrize(("limit", "found"), [("0", 1), ("-1", 1), ("40", 0)])
def test_numbers_that_switch_a_limit_off_are_no_limit(
    tmp_path: Path, limit: str, found: int
) -> None:
    report = scanned(written(tmp_path, main=ADK.format(limit=limit)), "unbounded-loop")
    assert len(report.findings) == found


RUNNER = """
{imports}


def ask(api, tools):
    return api.beta.messages.tool_runner(model="m", max_tokens=9, tools=tools, messages=[])
"""


@pytest.mark.parametrize(("imports", "found"), [("import anthropic", 1), ("import mine", 0)])
def test_a_run_on_an_unknown_object_is_told_by_how_it_is_written(
    tmp_path: Path, imports: str, found: int
) -> None:
    graph = linked(tmp_path, RUNNER.format(imports=imports))
    assert len(graph.runs) == found
