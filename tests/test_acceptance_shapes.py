"""Findings in hand-written loops, tools, agents of frameworks and files, shown by running."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from tests.acceptance_samples import shown
from tests.run_targets import scan, write

from agentcheck.acceptance import generate
from agentcheck.acceptance.verify import Said, play_tests
from agentcheck.config import Settings

LOOP = """
from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai import OpenAI

TOOLS = [
    {"type": "function", "function": {"name": "pay", "parameters": {
        "type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}}}
]


def pay(order: str) -> str:
    \"\"\"Pay the money for an order back.\"\"\"
    with open("paid.txt", "a") as file:
        file.write(order)
    return "paid"


RUN = {"pay": pay}


def answer(client: OpenAI, messages: list, limit=None):
    while limit is None or limit > 0:
        limit = None if limit is None else limit - 1
        reply = client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            result = RUN[call.function.name](**arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("the limit of turns is reached")
"""


def test_a_folder_that_others_import_by_its_name_is_imported_by_it(tmp_path: Path) -> None:
    """Also without an `__init__.py`, and where pytest is not started in the target's folder."""
    looping = LOOP.replace("import json\n", "import json\n\nfrom parcels.tools import pay\n")
    tools = LOOP[LOOP.index("def pay(") : LOOP.index("RUN =")]
    looping = looping.replace(tools, "")
    target = write(tmp_path / "target" / "parcels", loop=looping, tools=tools).parent
    report = scan(target, Settings(select=("unbounded-loop",), persona="auditor"))
    (path,) = generate.write_tests(report.findings, target, tmp_path / "tests")
    text = path.read_text()
    assert "from parcels.loop import answer" in text
    assert "sys.path.insert(0, str(TARGET.resolve()))" in text
    (said,) = play_tests([path], target, sys.executable, 60).values()
    assert said.verdict == "fails", said


def test_what_a_tool_does_to_the_world_is_recorded_instead(tmp_path: Path) -> None:
    shown(tmp_path, "unbounded-loop", LOOP)
    assert list(tmp_path.rglob("paid.txt")) == []


WAITING = """
from urllib.request import urlopen


class Agent:
    def __init__(self, name, instructions, functions):
        self.functions = functions


def get_page(address: str) -> str:
    \"\"\"Read a page.\"\"\"
    return urlopen("https://pages.example/" + address).read().decode()


agent = Agent(name="Reader", instructions="Read pages.", functions=[get_page])
"""


def test_a_tool_that_waits_for_ever_is_shown_and_one_with_a_time_out_passes(
    tmp_path: Path,
) -> None:
    mended = WAITING.replace("+ address)", "+ address, timeout=9)")
    today, after = shown(tmp_path, "no-timeout", WAITING, mended)
    assert today == Said("fails", "get_page waits for pages.example with no time-out")
    assert after.verdict == "passes"


IMPORTING = "from desk_parts.presets import make_agent\n\nagent = make_agent()\n"


def test_an_import_of_what_is_not_there_is_shown(tmp_path: Path) -> None:
    for name in ("target", "target_0"):
        write(tmp_path / name / "desk_parts", __init__="", other="x = 1\n")
    (today,) = shown(tmp_path, "missing-import-target", IMPORTING)
    wanted = "desk.py cannot be imported: No module named 'desk_parts.presets'"
    assert today == Said("fails", wanted)


def test_a_package_that_is_not_installed_says_nothing_of_what_it_holds(tmp_path: Path) -> None:
    write(tmp_path / "target" / "desk_parts", __init__="", other="x = 1\n")
    (today,) = shown(tmp_path, "missing-import-target", IMPORTING)  # is run where none of it is
    assert today == Said("not-shown", "another import comes first: No module named 'desk_parts'")


NEEDED = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai import OpenAI


class Answerer:
    def __init__(self, connection: "OpenAI", pool_of_workers):
        self.connection = connection

    async def answer(self, messages):
        while True:
            reply = self.connection.chat.completions.create(model="m", messages=messages)
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message)
"""


def test_what_cannot_be_called_is_skipped_with_the_reason(tmp_path: Path) -> None:
    (today,) = shown(tmp_path, "unbounded-loop", NEEDED)
    assert today.verdict == "not-shown"
    assert today.why.startswith("a person must fill in: how a test can run Answerer.answer")


SHOP = '''
import smtplib

{imports}


{decorator}
def refund_order(order: str) -> str:
    """Pay the money for an order back to the customer.

    Args:
        order: the order's number
    """
    with smtplib.SMTP("bank.example") as server:
        server.sendmail("a@b.example", "c@d.example", order)
    return "refunded"

{agent}
'''
PYDANTIC = SHOP.format(
    imports="from pydantic_ai import Agent, DeferredToolRequests\n\n"
    "clerk = Agent('openai:gpt-4o', output_type=[str, DeferredToolRequests])",
    decorator="@clerk.tool_plain",
    agent="",
)
AGENTS = SHOP.format(
    imports="from agents import Agent, function_tool",
    decorator="@function_tool",
    agent="clerk = Agent(name='Clerk', instructions='Look after orders.', tools=[refund_order])",
)
LANGCHAIN = SHOP.format(
    imports="""from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
""",
    decorator="@tool",
    agent="clerk = create_agent('openai:gpt-4o', tools=[refund_order])",
)
ASKING = (
    "middleware=[HumanInTheLoopMiddleware(interrupt_on={'refund_order': True})], "
    "checkpointer=InMemorySaver())"
)


@pytest.mark.parametrize(
    ("package", "target", "old", "new"),
    [
        ("pydantic_ai", PYDANTIC, "tool_plain", "tool_plain(requires_approval=True)"),
        ("agents", AGENTS, "@function_tool", "@function_tool(needs_approval=True)"),
        ("langchain_openai", LANGCHAIN, "[refund_order])", f"[refund_order], {ASKING}"),
    ],
)
def test_an_agent_of_a_framework_fails_today_and_passes_once_somebody_is_asked(
    package: str, target: str, old: str, new: str, tmp_path: Path
) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    today, after = shown(tmp_path, "unguarded-side-effect", target, target.replace(old, new))
    assert today == Said("fails", "refund_order ran, and nobody was asked")
    assert after.verdict == "passes", after.why


def test_a_guard_inside_the_tool_is_not_taken_for_a_missing_one(tmp_path: Path) -> None:
    if importlib.util.find_spec("agents") is None:
        pytest.skip("openai-agents is not installed")
    inside = AGENTS.replace(
        "    with smtplib", "    if input('Yes? ') != 'y': return 'no'\n    with smtplib"
    )
    _, after = shown(tmp_path, "unguarded-side-effect", AGENTS, inside)
    assert after.verdict == "not-shown"
    assert "asks by input in its own body" in after.why
