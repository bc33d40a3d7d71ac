"""Bad input through the command: one clear line or a named skip, the right exit code, no crash."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.command_line import Done, Here, agentcheck
from tests.run_targets import LOOP, write

ONE = ("--select", "unbounded-loop", "--isolated")
RUN = [
    {"role": "user", "content": "Where is my parcel?"},
    {"role": "assistant", "content": "It is on its way."},
]


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


def failed(done: Done) -> str:
    """The error of a command that could not work, on its one line."""
    assert (done.code, done.out) == (2, "")
    return done.error


# Paths


def test_a_missing_path(tmp_path: Path) -> None:
    said = failed(agentcheck("scan", tmp_path / "nowhere", "--isolated"))
    assert str(tmp_path / "nowhere") in said


def test_an_empty_folder(here: Here, tmp_path: Path) -> None:
    assert "no Python file or notebook found" in failed(here("scan", tmp_path, "--isolated"))


def test_a_binary_file_alone(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_bytes(bytes(range(256)) * 64)
    assert "nothing could be read; model.py: " in failed(here("scan", path, "--isolated"))


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(here: Here, tmp_path: Path) -> None:
    path = write(tmp_path, secret=LOOP) / "secret.py"
    path.chmod(0)
    assert "secret.py: " in failed(here("scan", tmp_path, "--isolated"))


HOSTILE = {
    "binary": bytes(range(256)) * 64,
    "a syntax error": b"def f(:\n",
    "a million lines": b"x = 1\n" * 1_000_000,
    "5,000 nested brackets": b"x = " + b"(" * 5_000 + b")" * 5_000 + b"\n",
    "5,000 nested blocks": b"".join(b" " * n + b"if x:\n" for n in range(5_000)),
    "20,000 minus signs": b"x = " + b"-" * 20_000 + b"1\n",
    "one line of 5 MB": b"x = [" + b"1," * 2_500_000 + b"]\n",
    "a null byte": b"x = 1\n\x00\n",
    "a lying encoding": b"# -*- coding: utf-16 -*-\nx = 1\n",
    "half a surrogate": b"x = '\xed\xa0\x80'\n",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_costs_at_most_itself(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, bot=LOOP)
    (tmp_path / "hostile.py").write_bytes(data)
    done = agentcheck("scan", tmp_path, *ONE, "--output-format", "json")
    assert (done.code, done.err) == (1, "")
    report = json.loads(done.out)
    assert {f["evidence"][0]["file"] for f in report["findings"]} == {"bot.py"}
    skipped = [s["file"] for s in report["skipped"]]
    assert skipped in ([], ["hostile.py"])
    assert report["target"]["files"] + len(skipped) == 2


def test_links_that_go_round_in_circles(here: Here, tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "dead.py").symlink_to(tmp_path / "nowhere.py")
    done = here("scan", tmp_path, *ONE, "--output-format", "concise")
    assert done.code == 1
    assert done.out.count("bot.py:7:") == 1


def test_a_file_beside_links_that_go_round_in_circles(here: Here, tmp_path: Path) -> None:
    path = write(tmp_path, bot=LOOP) / "bot.py"
    (tmp_path / "round.py").symlink_to("round.py")
    assert here("scan", path, *ONE, "--output-format", "concise").code == 1
    assert "no such file or folder" in failed(here("scan", tmp_path / "round.py"))


# Recorded runs


def runs(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_missing_trace(here: Here, tmp_path: Path) -> None:
    said = failed(here("trace", tmp_path / "nowhere.jsonl"))
    assert said.endswith("nowhere.jsonl: no such file of recorded runs; check the path")


def test_a_folder_of_traces(here: Here, tmp_path: Path) -> None:
    said = failed(here("trace", tmp_path))
    assert said.endswith(f"{tmp_path}: a folder; name the files in it, as {tmp_path}/*.jsonl")


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", "[]", "{}", "\x00" * 9, "[" * 100_000])
def test_a_file_without_a_recorded_run(here: Here, tmp_path: Path, text: str) -> None:
    path = runs(tmp_path / "runs.jsonl", text)
    assert "runs.jsonl: no recorded run" in failed(here("trace", path, "--isolated"))


def test_a_torn_last_line_is_skipped_by_name(here: Here, tmp_path: Path) -> None:
    whole = json.dumps({"messages": RUN}) + "\n"
    path = runs(tmp_path / "runs.jsonl", whole * 3 + whole[:30])
    done = here("trace", path, "--isolated", "--output-format", "json")
    report = json.loads(done.out)
    assert (done.code, report["target"]["runs"]) == (0, 3)
    assert len(report["skipped"]) == 1
    assert "runs.jsonl" in report["skipped"][0]["file"]


def test_fifty_megabytes_of_runs_are_read_to_the_end(tmp_path: Path) -> None:
    filler = {"role": "user", "content": "parcel " * 14_000}
    line = json.dumps({"messages": [filler, *RUN]}) + "\n"
    count = 50_000_000 // len(line)
    path = tmp_path / "runs.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(line for _ in range(count))
    done = agentcheck("trace", path, "--isolated", "--output-format", "json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["target"]["runs"] == count


# Configuration and flags


def test_an_unknown_key_in_the_configuration(here: Here, tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    runs(tmp_path / "agentcheck.toml", "min-severty = 'high'")
    said = failed(here("scan", tmp_path))
    assert said.endswith('agentcheck.toml: unknown key "min-severty"; did you mean "min-severity"?')


def test_a_missing_configuration(here: Here, tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    said = failed(here("scan", tmp_path, "--config", tmp_path / "no.toml"))
    assert said.endswith("no.toml: no such configuration file; check --config")


WRONG = {
    ("--select", "unbounded-lop"): '"unbounded-lop"; did you mean "unbounded-loop"?',
    ("--ignore", "AC999"): '--ignore: no rule is called "AC999"',
    ("--select", "AC101", "--ignore", "AC101"): "no selected rule can be asked of code",
    ("--per-file-ignores", "AC101"): "is not PATTERN:RULES",
    ("--per-file-ignores", "a:nothing"): 'no rule is called "nothing"',
    ("--output-format", "jsn"): 'unknown format "jsn"; did you mean "json"?',
    ("--output-format", "json", "--output-format", "full"): "both go to stdout",
    ("--output-file", "a", "--output-file", "b"): "--output-format that goes there before it",
    ("-o", "a", "-o", "b"): "--output-format that goes there before it",
    ("--output-format", "html", "-oa", "--output-format", "json", "--output-file", "./a"): (
        "two reports go there; give each a file of its own"
    ),
    ("",): 'a path is empty ("")',
    ("--statistics", "--output-format", "json"): "both go to stdout",
    ("--quiet", "--verbose"): "contradict each other",
    ("--isolated", "--config", "x.toml"): "contradict each other",
    ("--min-severity", "hgh"): "--min-severity: expected 'high'",
    ("--persona", "guru"): "--persona: expected 'regular'",
    ("--color", "red"): '"red" is not one of auto, always, never',
    ("--jobs", "0"): "--jobs",
    ("--jobs", "many"): "--jobs",
    ("--baseline", "nowhere.json"): "write it with `agentcheck baseline`",
    ("--stdin-filename", "a.py"): "give - as the path",
    ("-",): "cannot stand beside paths",
    ("--selct", "x"): "--selct",
    ("--trace", "nowhere.jsonl"): "no such file of recorded runs",
}


@pytest.mark.parametrize("flags", WRONG, ids=" ".join)
def test_wrong_flags(here: Here, tmp_path: Path, flags: tuple[str, ...]) -> None:
    write(tmp_path, bot=LOOP)
    assert WRONG[flags] in failed(here("scan", tmp_path, *flags))


def test_an_unknown_command_suggests_one(here: Here) -> None:
    said = failed(here("scann"))
    assert said.endswith("Did you mean 'scan'? see agentcheck --help")


@pytest.mark.skipif(not os.access("/proc", os.F_OK), reason="only Linux has such a folder")
def test_a_folder_that_takes_no_files(here: Here, tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    said = failed(here("scan", tmp_path, *ONE, "--output-format", "json", "-o", "/proc/report"))
    assert "there is no folder" not in said
    assert said.startswith("cannot write the report to /proc/report: ")


def test_an_unknown_rule(here: Here, tmp_path: Path) -> None:
    assert 'no rule is called "nothing"' in failed(here("rule", "nothing"))


@pytest.mark.parametrize("name", ["missing/report.json", ".", "\x01/\x02"])
def test_an_output_file_that_cannot_be_written(here: Here, tmp_path: Path, name: str) -> None:
    write(tmp_path, bot=LOOP)
    out = tmp_path / name
    done = here("scan", tmp_path, *ONE, "--output-format", "json", "--output-file", out)
    assert done.code == 2
    assert done.error.startswith("cannot write the report to ")
    assert done.error.isprintable()


def test_a_traceback_is_shown_only_on_request(tmp_path: Path) -> None:
    shown = agentcheck("scan", tmp_path / "no", env={"AGENTCHECK_TRACEBACK": "1"})
    assert "Traceback" in shown.err
    assert "Traceback" not in agentcheck("scan", tmp_path / "no").err
