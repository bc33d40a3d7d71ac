"""The pytest plugin, used as a project uses it: in a process of its own, on files of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcheck.testing import portable

AGENT = """
import json
import os
import urllib.request

SENT = []


def send_mail(to):
    SENT.append(to)
    return "sent"


TOOLS = {"send_mail": send_mail}


def ask(messages, url=None):
    sent = {"model": "m", "messages": messages}
    sent["tools"] = [{"type": "function", "function": {"name": "send_mail", "parameters": {
        "type": "object", "required": ["to"], "properties": {"to": {"type": "string"}}}}}]
    url = url or os.environ["OPENAI_BASE_URL"]
    request = urllib.request.Request(url + "/chat/completions", json.dumps(sent).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


def run(question, turns=3):
    messages = [{"role": "user", "content": question}]
    for _ in range(turns):
        reply = ask(messages)
        messages.append(reply)
        if not reply.get("tool_calls"):
            return reply["content"]
        for call in reply["tool_calls"]:
            result = TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return None


if __name__ == "__main__":
    print(run("Write to them."))
"""


class Project:
    """A folder with an agent and its tests; nothing of agentcheck but its `testing` can be seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = portable.copy_to(folder / "path")
        (folder / "agent.py").write_text(AGENT)

    def run(self, tests: str, *options: str, ini: str = "", **environment: str) -> tuple[int, str]:
        """The status and the output of pytest."""
        (self.folder / "test_agent.py").write_text(tests)
        (self.folder / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
        start = [sys.executable, "-m", "pytest", "-p", "agentcheck.testing.plugin", "-q"]
        alone = {"PYTHONPATH": str(self.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(
            [*start, "-p", "no:cacheprovider", *options],
            cwd=self.folder,
            env={**os.environ, **alone, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_an_agent_runs_against_the_server(project: Project) -> None:
    status, output = project.run("""
import subprocess, sys
import agent
from agentcheck.testing import always, says

def test_here(scripted_server, effects):
    mail = effects("agent:send_mail", returns="recorded")
    model = scripted_server(always("send_mail"))
    assert agent.run("Write to them.") is None
    assert len(model.requests) == 3
    assert [call.arguments for call in mail.calls] == [{"to": "text"}] * 3
    assert list(model.requests[-1].answers.values()) == ["recorded"]
    assert agent.SENT == []

def test_in_another_process(scripted_server):
    model = scripted_server(says("All is well."))
    done = subprocess.run([sys.executable, "agent.py"], capture_output=True, text=True)
    assert done.stdout == "All is well.\\n"
    assert model.requests[0].messages[0].text == "Write to them."
""")
    assert (status, "2 passed" in output) == (0, True), output


def test_a_request_that_a_provider_refuses_fails_the_test_that_swallowed_it(
    project: Project,
) -> None:
    status, output = project.run("""
import agent, contextlib

def test_it(scripted_server):
    scripted_server()
    with contextlib.suppress(Exception):
        agent.ask([{"role": "tool", "tool_call_id": "a", "content": "x"}])

def test_that_looks_itself(scripted_server):
    model = scripted_server(verify=False)
    with contextlib.suppress(Exception):
        agent.ask([{"role": "tool", "tool_call_id": "a", "content": "x"}])
    assert model.faults
""")
    assert (status, "1 failed, 1 passed" in output) == (1, True), output
    assert "message 0 answers 'a', a call that waits for no answer" in output


# The network of the machine is down, so that no test can reach it when the guard lets it.
DOWN = """
import socket

def connect(self, address):
    raise OSError("the network is down")

socket.socket.connect = connect
"""
REACHES = """
import agent, contextlib, pytest

def reach():
    with contextlib.suppress(OSError):
        agent.ask([], url="http://192.0.2.1:9")

def test_scripted(scripted_model):
    reach()

def test_plain():
    reach()

@pytest.mark.network("192.0.2.1")
def test_allowed(scripted_model):
    reach()
"""


@pytest.mark.parametrize(
    ("setting", "failed"),
    [("scripted", ["scripted"]), ("all", ["scripted", "plain"]), ("none", [])],
)
def test_reaching_another_machine_fails_the_test(
    project: Project, setting: str, failed: list[str]
) -> None:
    (project.folder / "conftest.py").write_text(DOWN)
    status, output = project.run(REACHES, "-rf", ini=f"agentcheck_guard = {setting}")
    found = [name for name in ("scripted", "plain", "allowed") if f"::test_{name}" in output]
    assert (status, found) == (int(bool(failed)), failed), output
    assert output.count("the test reached for 192.0.2.1") >= len(failed)


def test_a_setting_that_is_unknown_is_an_error(project: Project) -> None:
    status, output = project.run("", ini="agentcheck_guard = some")
    assert status == 4
    assert "agentcheck_guard must be one of scripted, all, none" in output


@pytest.mark.parametrize("by", ["option", "environment"])
def test_the_user_may_let_an_effect_happen(project: Project, by: str) -> None:
    tests = """
import agent
from agentcheck.testing import asks

def test_it(scripted_server, effects):
    mail = effects("agent:send_mail")
    scripted_server(asks("send_mail"))
    agent.run("Write to them.", turns=1)
    assert (agent.SENT, mail.calls, mail.allowed) == (["text"], [], True)
"""
    name = "agent:send_mail"
    if by == "option":
        status, output = project.run(tests, f"--allow-effect={name}")
    else:
        status, output = project.run(tests, AGENTCHECK_ALLOW_EFFECTS=f"other:one, {name}")
    assert (status, "1 passed" in output) == (0, True), output


@pytest.mark.slow
def test_a_runaway_fails_the_test_and_the_next_one_runs(project: Project) -> None:
    pytest.importorskip("openai")
    status, output = project.run("""
import openai

def test_without_end(scripted_model):
    scripted_model(safety_stop=5)
    with openai.OpenAI() as client:
        while True:
            try:
                client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "Hello."}])
            except Exception:
                pass

def test_after_it(scripted_model):
    assert scripted_model().requests == []
""")
    assert (status, "1 failed, 1 passed" in output) == (1, True), output
    assert "the model was asked more than 5 times" in output
