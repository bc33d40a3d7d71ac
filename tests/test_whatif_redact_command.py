"""`agentcheck trace --redact-to`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import Here


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def runs(tmp_path: Path, name: str = "runs.jsonl") -> Path:
    asks = {"role": "user", "content": "I am ida@reader.example, ring +49 30 901820"}
    again = {"role": "assistant", "content": "Thank you, IDA@reader.example"}
    path = tmp_path / name
    path.write_text(json.dumps({"messages": [asks, again]}), "utf-8")
    return path


def test_a_copy_is_written_and_what_was_taken_is_told(here: Here, tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    done = here("trace", runs(tmp_path), "--redact-to", copy, "--exit-zero")
    assert done.code == 0
    assert done.err == f"agentcheck: {copy}: taken out of 1 record: 2 email, 1 phone\n"
    said = [message["content"] for message in json.loads(copy.read_text("utf-8"))["messages"]]
    assert said == ["I am <email-1>, ring <phone-1>", "Thank you, <email-1>"]


def test_the_copy_of_a_copy_is_the_same(here: Here, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    here("trace", runs(tmp_path), "--redact-to", one, "--exit-zero")
    here("trace", one, "--redact-to", two, "--exit-zero")
    assert one.read_bytes() == two.read_bytes()


def test_several_files_go_into_a_folder(here: Here, tmp_path: Path) -> None:
    files = runs(tmp_path, "one.jsonl"), runs(tmp_path, "two.jsonl")
    goal = tmp_path / "copies"
    told = here("trace", *files, "--redact-to", goal).error
    assert told == f"--redact-to {goal}: 2 files need a folder; create it or name another"
    goal.mkdir()
    assert here("trace", *files, "--redact-to", goal, "--exit-zero").code == 0
    assert sorted(path.name for path in goal.iterdir()) == ["one.jsonl", "two.jsonl"]


def test_files_of_one_name_are_not_written_over_each_other(here: Here, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    files = runs(tmp_path / "a"), runs(tmp_path / "b")
    told = here("trace", *files, "--redact-to", tmp_path).error
    assert told.endswith("two files are called runs.jsonl; redact them apart")


def test_the_source_is_never_replaced(here: Here, tmp_path: Path) -> None:
    path = runs(tmp_path)
    before = path.read_bytes()
    assert "would replace" in here("trace", path, "--redact-to", path).error
    assert path.read_bytes() == before
