"""Recorded runs become tests that replay their replies against today's code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.acceptance_samples import DESK, MENDED, PROJECT
from tests.command_line import Here


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


def replayed(folder: Path, target: Path) -> tuple[int, str]:
    """The exit code of the tests of a folder, and what they printed."""
    env = {**os.environ, "PYTHONPATH": str(PROJECT / "analyzer"), "AGENTCHECK_TARGET": str(target)}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "agentcheck.testing.plugin", "."],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
def test_recorded_runs_pass_on_the_code_that_made_them_and_tell_what_has_changed(
    here: Here, tmp_path: Path
) -> None:
    done = here("tests", "--from-trace", DESK / "runs.jsonl", DESK, "-o", tmp_path / "replays")
    assert done.out.startswith("wrote 3 tests to ")
    code, out = replayed(tmp_path / "replays", DESK)
    assert code == 0, out
    code, out = replayed(tmp_path / "replays", MENDED)
    assert code == 1
    assert "of to_refunds, is answered with 'Not taken: Depot already has" in out
    assert "the model was asked 20 times, by the record 29 times" in out


def test_what_tools_answered_is_answered_again_and_their_effects_stay_away(
    here: Here, tmp_path: Path
) -> None:
    desk = tmp_path / "desk"
    shutil.copytree(DESK, desk)
    tools = desk / "app" / "tools.py"
    tools.write_text(tools.read_text().replace("with urlopen(", "with no_such_name("))
    here("tests", "--from-trace", DESK / "runs.jsonl", desk, "-o", tmp_path / "replays")
    assert replayed(tmp_path / "replays", desk)[0] == 0


def write_run(folder: Path, *messages: dict[str, object]) -> Path:
    file = folder / "one.jsonl"
    file.write_text(json.dumps({"messages": messages}) + "\n")
    return file


def test_without_the_code_the_file_says_what_a_person_must_fill_in(
    here: Here, tmp_path: Path
) -> None:
    file = write_run(
        tmp_path,
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello to you."},
        {"role": "user", "content": "My key is sk-proj-abcdefghij0123456789abcdefghij0123456789."},
    )
    here("tests", "--from-trace", file, "-o", tmp_path / "replays")
    (source,) = (tmp_path / "replays").glob("test_replay_*.py")
    assert "a person must fill in: where the code is" in source.read_text()
    assert "only the first question is replayed" in source.read_text()
    record = json.loads(source.with_suffix(".json").read_text())
    assert record == {
        "question": "Hello.",
        "replies": [{"text": "Hello to you."}],
        "answers": [],
        "more": True,
    }
    assert replayed(tmp_path / "replays", tmp_path)[0] in (0, 5)


def test_secrets_of_a_run_give_way_to_placeholders(here: Here, tmp_path: Path) -> None:
    secret = "sk-proj-" + "abcdefghij0123456789" * 2
    call = {"id": "c1", "function": {"name": "look", "arguments": json.dumps({"key": secret})}}
    file = write_run(
        tmp_path,
        {"role": "user", "content": f"Use {secret}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"{secret} works"},
        {"role": "assistant", "content": "Done."},
    )
    here("tests", "--from-trace", file, "-o", tmp_path / "replays")
    (record,) = (tmp_path / "replays").glob("*.json")
    assert secret not in record.read_text()
    assert record.read_text().count("<key-1>") == 3


def test_a_run_without_a_question_is_left_out_and_said_so(here: Here, tmp_path: Path) -> None:
    file = write_run(tmp_path, {"role": "assistant", "content": "Anybody there?"})
    done = here("tests", "--from-trace", file, "-o", tmp_path / "replays")
    assert "wrote 0 tests" in done.out
    assert "left out one.jsonl#0: the run holds no question" in done.out


def test_errors_are_one_line(here: Here, tmp_path: Path) -> None:
    assert "name what to audit" in here("tests", "-o", tmp_path / "out").error
    no_file = here("tests", "--from-trace", tmp_path / "no.jsonl", "-o", tmp_path / "out")
    assert "no such file" in no_file.error
