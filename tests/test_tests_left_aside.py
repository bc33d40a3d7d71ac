"""Tests of a target are left aside: what that spares, and where they are read nevertheless."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Here
from tests.linking_targets import linked
from tests.run_targets import write

from agentcheck.config import Settings
from agentcheck.model.card import Persona
from agentcheck.model.report import Report
from agentcheck.run import Request, run

AGENT = "from agents import Agent\n\n\ndesk = Agent(name='{name}')\n"
TEST = AGENT.format(name="Stub")
TOPIC = "untested-behaviour"
LOOP = """\
from openai import OpenAI

client = OpenAI()
TOOLS = {"look_up": print}


def answer(messages):
    while True:
        reply = client.chat.completions.create(model="m", messages=messages, tools=[])
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            messages.append({"role": "tool", "content": TOOLS[call.function.name]()})
"""


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def scanned(*paths: Path, persona: Persona = "regular") -> Report:
    return run(Request(paths=tuple(map(str, paths)), jobs=1), Settings(persona=persona))


def test_tests_are_counted_and_not_linked(tmp_path: Path) -> None:
    target = write(tmp_path, **{"app": AGENT.format(name="Desk"), "tests/test_app": TEST})
    report = scanned(target)
    assert (report.target.files, report.target.tests, report.profile.agents) == (1, 1, 1)


def test_what_is_no_python_among_tests_is_no_trouble(tmp_path: Path) -> None:
    target = write(tmp_path, **{"app": AGENT, "tests/test_app": "def broken(:\n"})
    assert scanned(target).skipped == ()
    assert [one.file for one in scanned(target, persona="auditor").skipped] == ["tests/test_app.py"]


def test_a_test_that_other_code_imports_is_linked_with_what_it_imports(tmp_path: Path) -> None:
    graph = linked(
        tmp_path,
        "from tests.support import desk\n",
        **{
            "tests/__init__": "",
            "tests/support": "from tests.names import NAME\nfrom agents import Agent\n\n"
            "desk = Agent(name=NAME)\n",
            "tests/names": "NAME = 'Desk'\n",
            "tests/test_desk": TEST,
        },
    )
    assert [agent.site.fn.file.path for agent in graph.agents] == ["tests/support.py"]
    assert {"tests/names.py"} < graph.program.files.keys()
    assert "tests/test_desk.py" not in graph.program.files


def test_an_import_of_a_test_that_is_there_is_no_broken_one(tmp_path: Path) -> None:
    main = "import pkg.tests\nfrom pkg import tests, test_more\nfrom pkg.tests import test_app\n"
    parts = {"pkg/__init__": "", "pkg/tests/__init__": "", "pkg/test_more": "", "main": main}
    target = write(tmp_path, **parts, **{"pkg/tests/test_app": ""})
    report = scanned(target, persona="auditor")
    assert [f.topic for f in report.findings if f.topic == "missing-import-target"] == []


@pytest.mark.parametrize("named", ["tests/test_app.py", "tests"])
def test_tests_that_are_all_the_user_named_are_read(tmp_path: Path, named: str) -> None:
    target = write(tmp_path, **{"app": AGENT.format(name="Desk"), "tests/test_app": TEST})
    report = scanned(target / named)
    assert (report.target.files, report.target.tests, report.profile.agents) == (1, 0, 1)


def test_a_file_that_was_named_beside_a_folder_is_read(tmp_path: Path) -> None:
    target = write(tmp_path, **{"app": AGENT.format(name="Desk"), "tests/test_app": TEST})
    report = scanned(target, target / "tests" / "test_app.py")
    assert (report.target.files, report.target.tests, report.profile.agents) == (2, 0, 2)


def test_only_who_is_shown_the_rule_about_tests_has_it_asked(tmp_path: Path) -> None:
    target = write(tmp_path, app=LOOP)
    regular, auditor = scanned(target), scanned(target, persona="auditor")
    asked = {q.rule for q in auditor.questions} - {q.rule for q in regular.questions}
    assert asked == {"untested-behaviour"}


def test_a_rule_about_tests_is_asked_where_it_is_named(here: Here, tmp_path: Path) -> None:
    target = write(tmp_path, app=LOOP)
    done = here("scan", target, "--isolated", "--select", "AC901", "--output-format", "json")
    assert '"rule": "untested-behaviour"' in done.out


def test_the_rule_about_tests_sees_them(tmp_path: Path) -> None:
    alone = write(tmp_path / "alone", app=LOOP)
    test = "from app import answer\n\n\ndef test_max_turns():\n    answer([])\n"
    driven = write(tmp_path / "driven", app=LOOP, **{"tests/test_app": test})
    said = [
        [a.why for a in scanned(target, persona="auditor").assessments if a.topic == TOPIC]
        for target in (alone, driven)
    ]
    assert "No test that was read drives" in said[0][0]
    assert "The tests of" in said[1][0]
