"""Formats of a user's own as settings: wrong ones, formats by name, and the page on them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command_line import Here
from tests.mapped_samples import PLANNER, audit, event, looked_up, reading, rules
from tests.trace_samples import lines

from agentcheck.config import UsageError, load_settings
from agentcheck.model.event import Run
from agentcheck.trace.read import read_runs
from agentcheck.trace.readers import NAMED

DOC = (Path(__file__).parents[1] / "docs" / "traces.md").read_text("utf-8")


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


# What is wrong with a mapping


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('kinds = {a = "user"}\ntexd = "/t"', 'deskbot.texd"; did you mean "text"?'),
        ('kind = "ev"', 'deskbot.kind: "ev" is no JSON pointer; did you mean "/ev"?'),
        ('kind = "$.data.ev"', '"$.data.ev" is no JSON pointer; did you mean "/data/ev"?'),
        ('kind = "/a~b"', "write ~0 for ~ and ~1 for / in a key"),
        ("kind = 3", 'deskbot.kind: expected a JSON pointer, such as "/data/text"'),
        ("kind = []", "or a list of them"),
        ('kind = "/ev"', "deskbot: `kind` needs `kinds` beside it"),
        ('kinds = { a = "user" }', "deskbot: `kinds` needs `kind` beside it"),
        ('kind = "/e"\nkinds = { a = "usr" }', '"a" cannot mean "usr"; did you mean "user"?'),
        ('kind = "/e"\nkinds = "user"', "deskbot.kinds: expected a table of the log's values"),
        ('kind = "/e"\nkinds = { a = "tool-call" }', '"a" means tool-call, which needs `tool`'),
        ('text = "/t"\nfinish-reasons = { x = "cut" }', '"x" cannot mean "cut"; known: content_'),
        ('text = "/t"\nduration-unit = "hours"', "deskbot.duration-unit: expected 'seconds'"),
        ('run = "/r"', "name at least `kind` and `kinds`, or `text` or `tool` of a step"),
    ],
)
def test_a_wrong_mapping_is_one_line(here: Here, tmp_path: Path, text: str, told: str) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = audit(here, path, text=f"[trace.formats.deskbot]\n{text}\n")
    assert done.code == 2
    assert told in done.error
    assert "trace.formats.deskbot" in done.error


@pytest.mark.parametrize("name", ["chat", "chat messages", "otlp"])
def test_a_mapping_cannot_take_the_name_of_a_format_that_ships(tmp_path: Path, name: str) -> None:
    (tmp_path / "agentcheck.toml").write_text(f'[trace.formats."{name}"]\ntext = "/t"\n', "utf-8")
    with pytest.raises(UsageError, match=f'"{name}" is a format that ships; rename yours'):
        load_settings(tmp_path)


def test_the_settings_in_force_show_the_mapping_as_it_was_written(
    here: Here, tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text("x = 1\n", "utf-8")
    config = tmp_path / "agentcheck.toml"
    config.write_text(PLANNER, "utf-8")
    shown = here("scan", tmp_path, "--config", config, "--show-settings").out
    assert '"planner" = { "steps" = "/trace", "run" = "/id"' in shown
    (tmp_path / "again.toml").write_text(shown, "utf-8")
    again = load_settings(tmp_path, config=tmp_path / "again.toml").formats
    assert again == load_settings(tmp_path).formats


# The format by name


def test_a_format_can_be_forced_by_name_or_title(here: Here, tmp_path: Path) -> None:
    rows = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    path = lines(tmp_path / "log.jsonl", rows)
    shown = here("trace", path, "--isolated", "--summary").out
    assert "1 recorded run: 1 chat messages" in shown
    for name in ("transcript", "Transcript of Agents"):
        shown = here("trace", path, "--isolated", "--summary", "--format", name).out
        assert "1 recorded run: 1 transcript of agents" in shown


def test_an_own_format_can_be_forced(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", [event("heard", heard="Hi."), *looked_up("1")])
    done = audit(here, path, "--format", "deskbot")
    assert done.code == 0
    assert json.loads(done.out)["target"]["runs"] == 1
    (tmp_path / "bot.py").write_text("x = 1\n", "utf-8")
    scanned = ("scan", tmp_path, "--trace", path, "--format", "deskbot", "--output-format", "json")
    assert json.loads(here(*scanned).out)["target"]["runs"] == 1


def test_a_name_of_no_format_is_one_line_with_the_nearest(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = audit(here, path, "--format", "deskbt")
    assert (done.code, done.error) == (
        2,
        '--format: no trace format is called "deskbt"; did you mean "deskbot"?',
    )
    done = here("trace", path, "--isolated", "--format", "zzz")
    assert done.code == 2
    assert all(name in done.error for name in NAMED)
    done = here("scan", tmp_path, "--isolated", "--format", "chat")
    assert (done.code, done.error) == (
        2,
        "--format names the format of recorded runs; name them with --trace",
    )


def test_a_forced_format_that_finds_no_run_says_why(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", looked_up("1"))
    done = here("trace", path, "--isolated", "--format", "otlp")
    assert done.code == 2
    assert "no recorded run could be read" in done.error


# The page


def test_the_page_s_logs_are_read_by_the_page_s_mappings(here: Here, tmp_path: Path) -> None:
    section = DOC[DOC.index("## Logs of your own") : DOC.index("## Settings")]
    config = "\n".join(re.findall(r"```toml\n(.*?)```", section, re.DOTALL))
    desk, planner = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    for name, text in (("desk.jsonl", desk), ("planner.jsonl", planner)):
        (tmp_path / name).write_text(text, "utf-8")
    done = audit(here, tmp_path / "desk.jsonl", text=config)
    assert rules(done).keys() == {"unpaired-tool-call", "finish-reason-unchecked"}
    [run] = (one for one in read_runs(tmp_path / "planner.jsonl", None, reading(tmp_path, config)))
    assert isinstance(run, Run)
    assert (run.format, len(run.answers)) == ("planner", 1)


def test_the_page_names_every_format_as_the_command_does() -> None:
    table = DOC[: DOC.index("## Logs of your own")]
    assert all(f"`{name}`" in table for name in NAMED)


def test_the_page_explains_every_kind_of_record() -> None:
    from agentcheck.trace.mapped.mapping import KINDS as WORDS

    section = DOC[DOC.index("## Logs of your own") : DOC.index("## Settings")]
    assert all(f"`{word}`" in section for word in WORDS)
