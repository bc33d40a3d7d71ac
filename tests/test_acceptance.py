"""Generated acceptance tests fail on the faulty desk, pass on the mended one, and tell why."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.acceptance_samples import (
    DESK,
    DESK_TOPICS,
    MENDED,
    NAMES,
    PROJECT,
    generated,
    make_finding,
)

from agentcheck.acceptance import generate

Edit = tuple[str, str, str]  # file, text, text instead


def run_tests(folder: Path, target: Path, *hidden: str) -> dict[str, list[str]]:
    """Topic -> a text for each test that failed, error or skip included; empty when all passed.

    `hidden` are packages that cannot be imported, as where they are not installed.
    """
    (folder / "hidden").mkdir(exist_ok=True)
    for name in hidden:
        (folder / "hidden" / f"{name}.py").write_text("raise ImportError('it is hidden')")
    path = os.pathsep.join([str(folder / "hidden"), str(PROJECT / "analyzer")])
    env = {**os.environ, "PYTHONPATH": path, "AGENTCHECK_TARGET": str(target)}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "--junitxml=r.xml"]
    command += ["-p", "agentcheck.testing.plugin"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    said: dict[str, list[str]] = {}
    for case in ET.parse(folder / "r.xml").iter("testcase"):  # noqa: S314 - our own pytest's file
        name = case.attrib["classname"] or case.attrib["name"]
        topic = name.rpartition(".")[2].removeprefix("test_").rpartition("_")[0].replace("_", "-")
        said.setdefault(topic, []).extend(f"{e.tag} {e.attrib.get('message')}" for e in case)
    return said


def copy_of(source: Path, folder: Path, edits: Sequence[Edit]) -> Path:
    shutil.copytree(source, folder)
    for file, text, instead in edits:
        path = folder / file
        assert text in path.read_text(), f"{file} no longer has {text!r}"
        path.write_text(path.read_text().replace(text, instead))
    return folder


@pytest.fixture(scope="module")
def tests_of_the_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("acceptance")
    assert len(generated(folder, DESK)) == len(DESK_TOPICS)
    return folder


@pytest.fixture(scope="module")
def tests_without_the_sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same but for the session, which makes its client with the SDK: much quicker."""
    folder = tmp_path_factory.mktemp("acceptance")
    names = {name: value for name, value in NAMES.items() if not name.startswith("session")}
    generate.write_tests([make_finding(topic, names) for topic in DESK_TOPICS], DESK, folder)
    return folder


REASONS = {
    "unbounded-loop": ["{} did not end by itself", "max_steps=6 does not count model calls: {}"],
    "finish-reason-unchecked": [
        "{} gives the same result for finish_reason 'length' as for 'stop'"
    ],
    "tool-args-unguarded": ["arguments that are no JSON ended {}: JSONDecodeError"],
    "tool-error-ends-run": [
        "a tool that raised ended {}: RuntimeError('the tool is out of order')"
    ],
    "no-budget": ["{} takes no budget of tokens or money"],
    "usage-unread": ["the result of {} holds none of the sums"],
    "unguarded-side-effect": ["nothing of {} takes somebody who approves a tool"],
    "provider-error-unhandled": ["what the tool had answered is lost: {} ended with"],
    "untyped-history": ["{} sends the provider fields that it does not know: ['messages[2].sender"],
    "handoff-race": ["{} answered to_first with 'Now speaking: First', as if it had been taken"],
}


def test_each_file_fails_on_the_faulty_desk_and_names_its_own_reason(
    tests_of_the_desk: Path,
) -> None:
    said = run_tests(tests_of_the_desk, DESK)
    assert sorted(topic for topic in said if said[topic]) == sorted(REASONS)
    for topic, reasons in REASONS.items():
        for reason in reasons:
            for method in ("Relay.run", "Relay.run_and_stream"):
                assert any(reason.format(method) in text for text in said[topic]), (topic, method)


def test_every_file_passes_on_the_mended_desk(tests_of_the_desk: Path) -> None:
    said = run_tests(tests_of_the_desk, MENDED)
    assert said == {topic: [] for topic in DESK_TOPICS}


CORE, DISPATCH, PROGRESS = "relay/core.py", "relay/dispatch.py", "relay/progress.py"
BUDGET_IGNORED: Edit = (PROGRESS, "if self.usage.total > self.token_budget:", "if False:")
USAGE_DROPPED: Edit = (
    PROGRESS,
    "self.usage.prompt_tokens += usage.prompt_tokens",
    "self.usage.prompt_tokens += 0 * usage.completion_tokens",
)
NO_BUDGET: Edit = (CORE, "TOKEN_BUDGET = 50_000", "TOKEN_BUDGET = 10**9")
NO_DEFAULT: Edit = (CORE, "max_steps: int = MAX_STEPS", 'max_steps: float = float("inf")')
LAST_WINS: list[Edit] = [
    (DISPATCH, "if outcome.agent and taken:", "if False:"),
    (DISPATCH, "taken = taken or outcome.agent", "taken = outcome.agent or taken"),
]
UNGUARDED_ARGUMENTS: Edit = (
    DISPATCH,
    """    try:
        arguments = json.loads(asked["arguments"])
    except json.JSONDecodeError as error:
        return Outcome(text=f"Error: the arguments are not valid JSON: {error}.")
""",
    '    arguments = json.loads(asked["arguments"])\n',
)
UNGUARDED_CALL: Edit = (
    DISPATCH,
    """    try:
        return as_outcome(known[name](**arguments))
    except Exception as error:
        return Outcome(text=f"Error: {name} failed: {error}.")
""",
    "    return as_outcome(known[name](**arguments))\n",
)
FAULTS: dict[str, tuple[str, list[Edit]]] = {
    "no default limit": (
        "unbounded-loop",
        [
            NO_DEFAULT,
            NO_BUDGET,
            (CORE, "for _ in range(max_steps):", "while run.usage.calls < max_steps:"),
        ],
    ),
    "limit that counts messages": (
        "unbounded-loop",
        [(CORE, "for _ in range(max_steps):", "while len(run.messages) < max_steps:")],
    ),
    "finish reason unread": (
        "finish-reason-unchecked",
        [(PROGRESS, "self.stop_reason = finish_reason", 'self.stop_reason = "stop"')],
    ),
    "finish reason of the stream unread": (
        "finish-reason-unchecked",
        [(CORE, "finish_reason = choice.finish_reason or finish_reason", 'finish_reason = "stop"')],
    ),
    "arguments unguarded": ("tool-args-unguarded", [UNGUARDED_ARGUMENTS]),
    "tool unguarded": ("tool-error-ends-run", [UNGUARDED_CALL]),
    "tool error told as nothing": (
        "tool-error-ends-run",
        [(DISPATCH, 'Outcome(text=f"Error: {name} failed: {error}.")', "Outcome()")],
    ),
    "budget never looked at": ("no-budget", [BUDGET_IGNORED]),
    "denied and done all the same": (
        "unguarded-side-effect",
        [(DISPATCH, "and not approve(name, arguments):", "and approve(name, arguments) is None:")],
    ),
    "history of a stream by another name": (
        "streaming-drift",
        [
            (
                CORE,
                "run.take(message, finish_reason, self.approve):",
                "run.take({**message, 'content': 'streamed'}, finish_reason, self.approve):",
            )
        ],
    ),
    "provider's error let out": (
        "provider-error-unhandled",
        [(CORE, "except Exception as error:", "except ZeroDivisionError as error:")],
    ),
    "sender sent along": ("untyped-history", [(CORE, 'if key != "sender"', "if key")]),
    "last handoff wins": ("handoff-race", LAST_WINS),
    "first handoff wins in silence": ("handoff-race", LAST_WINS[:1]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_put_back_fails_its_own_file_and_no_other(
    fault: str, tests_without_the_sdk: Path, tmp_path: Path
) -> None:
    topic, edits = FAULTS[fault]
    said = run_tests(tests_without_the_sdk, copy_of(MENDED, tmp_path / "desk", edits), "openai")
    assert [failed for failed, texts in said.items() if texts] == [topic]


def test_other_ways_to_mend_pass_too(tests_without_the_sdk: Path, tmp_path: Path) -> None:
    raising = 'if finish_reason in CUT_SHORT: raise RuntimeError(f"cut short: {finish_reason}")'
    ending = 'if run.stop_reason == "max_steps": raise RuntimeError("step limit reached")'
    kept = "            self.stop_reason = finish_reason\n"
    edits: list[Edit] = [
        *LAST_WINS,
        ("relay/types.py", "parallel_tool_calls: bool = True", "parallel_tool_calls: bool = False"),
        (PROGRESS, kept, f"            {raising}\n{kept}"),
        (CORE, "        return run.response()", f"        {ending}\n        return run.response()"),
    ]
    said = run_tests(tests_without_the_sdk, copy_of(MENDED, tmp_path / "desk", edits), "openai")
    assert said == {topic: [] for topic in DESK_TOPICS}


ASYNC_DESK = """
class Agent:
    def __init__(self, functions, title=""):
        self.functions = functions

class Runner:
    def __init__(self, llm):
        self.llm = llm

    async def go(self, who, talk, limit={limit}):
        talk = list(talk)
        while limit:
            limit -= 1
            names = [tool.__name__ for tool in who.functions]
            tools = [{{"type": "function", "function": {{"name": name}}}} for name in names]
            reply = await self.llm.chat.completions.create(model="m", messages=talk, tools=tools)
            talk.append(reply.choices[0].message)
            for call in talk[-1].tool_calls or []:
                talk.append({{"role": "tool", "tool_call_id": call.id, "content": "done"}})
            if talk[-1] is reply.choices[0].message:
                break
        return talk
"""


@pytest.mark.parametrize(("limit", "passes"), [("-1", False), ("9", True)])
def test_a_coroutine_with_other_names_in_a_source_folder_is_driven(
    limit: str, passes: bool, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    (target / "src").mkdir(parents=True)
    (target / "src" / "pump.py").write_text(ASYNC_DESK.format(limit=limit))
    names = {
        "shape": "runner",
        "module": "pump",
        "import_root": "src",
        "runner": "Runner",
        "run": "go",
    }
    names |= {"client_param": "llm", "agent_param": "who", "messages_param": "talk"}
    names |= {"agent_class": "pump.Agent", "functions_field": "functions", "stream": ""}
    finding = make_finding("unbounded-loop", names)
    generate.write_tests([finding], target, tmp_path / "tests")
    said = run_tests(tmp_path / "tests", target)
    assert (said == {"unbounded-loop": []}) is passes, said


def test_a_file_that_lacks_a_name_is_skipped_and_never_passes(tmp_path: Path) -> None:
    names = {name: value for name, value in NAMES.items() if name != "runner"}
    generate.write_tests([make_finding("handoff-race", names)], MENDED, tmp_path)
    generated(tmp_path, MENDED, ["tool-error-ends-run"])
    said = run_tests(tmp_path, MENDED)
    assert said.pop("tool-error-ends-run") == []
    assert [text.split()[0] for text in said.pop("handoff-race")] == ["skipped"]
    assert said == {}
