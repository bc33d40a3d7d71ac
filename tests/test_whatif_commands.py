"""`agentcheck what-if redaction|routing|compaction|cache`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Done, Here


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


TOPICS = ("redaction", "routing", "compaction", "cache")


def runs(tmp_path: Path) -> Path:
    lines = []
    for n in range(3):
        talk = [{"role": "user", "content": "I am ida@reader.example. Where is my parcel?"}]
        for turn in range(8):
            talk += [{"role": "assistant", "content": f"On shelf {turn}, run {n}."}]
            talk += [{"role": "user", "content": f"And parcel {turn}?"}]
        lines.append(json.dumps({"messages": talk}))
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def told(done: Done) -> dict[str, Any]:
    assert done.code == 0, done.err
    answers: dict[str, Any] = json.loads(done.out)
    return answers


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_is_answered_as_json_and_shows_nothing_personal(
    here: Here, tmp_path: Path, topic: str
) -> None:
    done = here("what-if", topic, runs(tmp_path), "--output-format", "json", "-q")
    answers = told(done)
    assert [answer["topic"] for answer in answers["answers"]] == [topic]
    assert answers["runs"] == 3
    assert "ida@" not in done.out


@pytest.mark.parametrize("topic", TOPICS)
def test_each_question_is_answered_on_the_terminal_and_in_files(
    here: Here, tmp_path: Path, topic: str
) -> None:
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    files = [("html", page), ("markdown", text)]
    forms = [a for form, file in files for a in ("--output-format", form, "--output-file", file)]
    assert here("what-if", topic, runs(tmp_path), *forms, "-q").code == 0
    assert "ida@" not in page.read_text("utf-8") + text.read_text("utf-8")
    assert text.read_text("utf-8").count("|") > 10


def test_settings_come_from_the_configuration_and_flags_go_before(
    here: Here, tmp_path: Path
) -> None:
    config = tmp_path / "agentcheck.toml"
    config.write_text(
        '[what-if]\nmodel = "gpt-4o"\n[what-if.compaction]\nkeep-last = 3\n'
        '[what-if.routing.models]\nsmall = "gpt-4o-mini"\nmedium = "gpt-4o"\nlarge = "o3"\n',
        "utf-8",
    )
    path = runs(tmp_path)
    args = (path, "--config", config, "--output-format", "json", "-q")
    (compaction,) = told(here("what-if", "compaction", *args))["answers"]
    assert compaction["settings"]["last messages kept"] == 3
    assert compaction["settings"]["model where none is named"] == "gpt-4o"
    (flagged,) = told(here("what-if", "compaction", *args, "--keep-last", "5"))["answers"]
    assert flagged["settings"]["last messages kept"] == 5
    (routing,) = told(here("what-if", "routing", *args))["answers"]
    costs = [row["cells"][1]["value"] for row in routing["tables"][0]["rows"]]
    assert all(cost is not None for cost in costs)


def test_a_wrong_word_or_file_is_one_line_of_error(here: Here, tmp_path: Path) -> None:
    path = runs(tmp_path)
    wrong = here("what-if", "cache", path, "--search", "meaning").error
    assert wrong == '--search: "meaning" is not one of words, embeddings'
    assert "no such file" in here("what-if", "routing", tmp_path / "none.jsonl").error
