"""A second run answers from the cache, never with what is no longer so, and survives any cache."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Done, agentcheck
from tests.run_targets import LOOP, write

from agentcheck.cache.folder import VARIABLE, cache_folder
from agentcheck.cache.store import NAME

ONE = ("--isolated", "--select", "unbounded-loop,hardcoded-model,prompt-names-missing-tool")
BOUNDED = LOOP.replace("while True:", "for _ in range(9):")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Two files, one with an agent loop that nothing bounds."""
    return write(tmp_path / "target", bot=LOOP, other="import bot\n\nprint(bot.answer([]))\n")


def scan(target: Path, cache: Path, *more: str) -> Done:
    command: tuple[str | Path, ...] = ("scan", target, *ONE, "--output-format", "json", *more)
    return agentcheck(*command, env={VARIABLE: str(cache)})


def report(done: Done) -> dict[str, Any]:
    assert done.code in (0, 1), done.err
    told: dict[str, Any] = json.loads(done.out)
    del told["summary"]["seconds"]
    return told


def found(done: Done) -> list[tuple[str, str]]:
    return [(f["rule"], f["evidence"][0]["file"]) for f in report(done)["findings"]]


def imported(target: Path, cache: Path) -> str:
    """The modules that a scan imports, as Python itself tells them."""
    command = [sys.executable, "-X", "importtime", "-m", "agentcheck", "scan", str(target), *ONE]
    seen = {"PYTHONPATH": os.pathsep.join(sys.path), VARIABLE: str(cache)}
    done = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, **seen}, text=True
    )
    return done.stderr


def test_a_second_run_gives_the_same_report_without_parsing_or_asking(
    target: Path, cache: Path
) -> None:
    cold = imported(target, cache)
    assert "agentcheck_rules" in cold
    warm = imported(target, cache)
    assert "libcst" not in warm
    assert "agentcheck_rules" not in warm
    assert report(scan(target, cache)) == report(scan(target, cache, "--no-cache"))


def test_a_scan_of_code_imports_what_it_needs_and_no_more(target: Path, cache: Path) -> None:
    seen = imported(target, cache)
    for unneeded in ("pydantic ", "agentcheck.trace.readers", "libcst"):
        assert unneeded not in seen, unneeded


def test_no_cache_leaves_nothing_behind(target: Path, cache: Path) -> None:
    assert found(scan(target, cache, "--no-cache")) == [("unbounded-loop", "bot.py")]
    assert not cache.exists()


@pytest.mark.slow
def test_a_change_of_the_same_size_with_the_old_time_is_seen(target: Path, cache: Path) -> None:
    file = target / "bot.py"
    old = 1_600_000_000
    os.utime(file, (old, old))
    before = report(scan(target, cache))
    file.write_text(LOOP.replace("while True:", "while None:"), "utf-8")
    os.utime(file, (old, old))
    assert file.stat().st_size == len(LOOP)
    after = report(scan(target, cache))
    assert after == report(scan(target, cache, "--no-cache"))
    assert after != before


def test_a_changed_an_added_and_a_removed_file_are_seen(target: Path, cache: Path) -> None:
    assert found(scan(target, cache)) == [("unbounded-loop", "bot.py")]
    write(target, bot=BOUNDED)
    assert found(scan(target, cache)) == []
    write(target, again=LOOP)
    assert found(scan(target, cache)) == [("unbounded-loop", "again.py")]
    (target / "again.py").unlink()
    assert found(scan(target, cache)) == []
    write(target, bot=LOOP)
    assert found(scan(target, cache)) == [("unbounded-loop", "bot.py")]


def test_a_test_that_changes_is_no_news_unless_it_was_read(target: Path, cache: Path) -> None:
    write(target, more="from tests.test_read import run\n", **{"tests/test_bot": "import bot\n"})
    write(target, **{"tests/test_read": "run = 1\n"})
    assert "agentcheck_rules" in imported(target, cache)
    write(target, **{"tests/test_bot": "import bot, json\n"})
    assert "agentcheck_rules" not in imported(target, cache)
    write(target, **{"tests/test_read": "run = 2\n"})
    assert "agentcheck_rules" in imported(target, cache)


def test_a_file_that_was_moved_is_reported_where_it_is_now(target: Path, cache: Path) -> None:
    scan(target, cache)
    (target / "deep").mkdir()
    (target / "bot.py").rename(target / "deep" / "moved.py")
    assert found(scan(target, cache)) == [("unbounded-loop", "deep/moved.py")]


def test_other_settings_get_another_answer(target: Path, cache: Path) -> None:
    assert found(scan(target, cache)) == [("unbounded-loop", "bot.py")]
    assert found(scan(target, cache, "--ignore", "unbounded-loop")) == []
    assert found(scan(target, cache, "--exclude", "bot.py")) == []
    assert found(scan(target, cache)) == [("unbounded-loop", "bot.py")]


def test_a_text_beside_the_code_is_looked_at_again(tmp_path: Path, cache: Path) -> None:
    agent = """\
from pathlib import Path

from agents import Agent, function_tool


@function_tool
def find_parcel(number: str) -> str:
    return number


desk = Agent(name="desk", instructions=Path("desk.md").read_text(), tools=[find_parcel])
"""
    target = write(tmp_path / "desk", desk=agent)
    (target / "desk.md").write_text("To look one up, call the find_parcel function.\n", "utf-8")
    assert found(scan(target, cache)) == []
    (target / "desk.md").write_text("To pay back, call the refund_parcel function.\n", "utf-8")
    assert found(scan(target, cache)) == [("prompt-names-missing-tool", "desk.py")]


def test_the_commit_is_told_anew(target: Path, cache: Path) -> None:
    git = target / ".git"
    git.mkdir()
    for commit in ("1" * 40, "2" * 40):
        (git / "HEAD").write_text(f"{commit}\n", "utf-8")
        assert report(scan(target, cache))["target"]["commit"] == commit


def test_a_pin_that_changes_is_seen(tmp_path: Path, cache: Path) -> None:
    agent = "from agents import Agent\n\nAgent(name='a', instructions='b', handoff_note='c')\n"
    target = write(tmp_path / "pinned", agent=agent)
    keywords = ("--isolated", "--select", "handoffs", "--output-format", "json")
    texts = []
    for pin in ("openai-agents==0.0.1", "openai-agents"):
        (target / "requirements.txt").write_text(f"{pin}\n", "utf-8")
        done = agentcheck("scan", target, *keywords, env={VARIABLE: str(cache)})
        plain = agentcheck("scan", target, *keywords, "--no-cache")
        texts.append(report(done))
        assert report(done) == report(plain)


@pytest.mark.parametrize("garbage", [b"", b"no database at all\n" * 400, b"SQLite format 3\0" * 99])
def test_a_damaged_cache_is_made_anew_and_said_so_once(
    target: Path, cache: Path, garbage: bytes
) -> None:
    want = report(scan(target, cache))
    (cache / NAME).write_bytes(garbage)
    done = scan(target, cache)
    assert report(done) == want
    assert done.err.count("was damaged and is made anew") == (1 if garbage else 0)
    again = scan(target, cache)
    assert (report(again), again.err) == (want, "")
    assert "libcst" not in imported(target, cache) or not garbage


def test_damage_inside_is_found_by_its_checksum(target: Path, cache: Path) -> None:
    want = report(scan(target, cache))
    with closing(sqlite3.connect(cache / NAME)) as file:
        rows = file.execute("SELECT key, data FROM kept").fetchall()
        assert len(rows) >= 4
        for key, data in rows:
            file.execute("UPDATE kept SET data = ? WHERE key = ?", (data[:-9] + bytes(9), key))
        file.commit()
    done = scan(target, cache)
    assert report(done) == want
    assert len(done.err.splitlines()) == 1
    again = scan(target, cache)
    assert (report(again), again.err) == (want, "")


def test_a_locked_cache_is_left_alone(target: Path, cache: Path) -> None:
    want = report(scan(target, cache))
    with closing(sqlite3.connect(cache / NAME, isolation_level=None)) as file:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("BEGIN EXCLUSIVE")
        file.execute("DELETE FROM kept")
        done = scan(target, cache)
        file.execute("ROLLBACK")
    assert (report(done), done.err) == (want, "")


def test_a_place_where_nothing_can_be_kept_is_no_error(target: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", "utf-8")
    for folder in (blocked, blocked / "below"):
        done = scan(target, folder)
        assert (found(done), done.err) == ([("unbounded-loop", "bot.py")], "")


def test_runs_at_the_same_time_do_not_spoil_each_other(tmp_path: Path, cache: Path) -> None:
    many = {f"bot{n}": LOOP.replace("answer", f"answer{n}") for n in range(12)}
    target = write(tmp_path / "many", **many)
    command = [sys.executable, "-m", "agentcheck", "scan", str(target), *ONE]
    seen = {"PYTHONPATH": os.pathsep.join(sys.path), VARIABLE: str(cache)}
    running = [
        subprocess.Popen(
            [*command, "--output-format", "json"],
            env={**os.environ, **seen},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    outputs = [process.communicate() for process in running]
    told = [Done(1, out.decode(), err.decode()) for out, err in outputs]
    assert [done.err for done in told] == [""] * 4
    want = report(scan(target, cache, "--no-cache"))
    assert [report(done) for done in told] == [want] * 4
    assert report(scan(target, cache)) == want


def test_the_configuration_names_the_folder(target: Path, tmp_path: Path) -> None:
    (target / "agentcheck.toml").write_text('cache-dir = "kept"\n', "utf-8")
    env = {VARIABLE: "", "XDG_CACHE_HOME": str(tmp_path / "system")}
    agentcheck("scan", target, "--select", "unbounded-loop", env=env)
    assert (target / "kept" / NAME).exists()
    assert not (tmp_path / "system").exists()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is for the others")
def test_without_a_word_it_lies_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere/cache")
    assert cache_folder() == Path("/somewhere/cache/agentcheck")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/agentcheck")
