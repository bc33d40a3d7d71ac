"""A report reaches its file whole, or the file stays as it was."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from tests.report_samples import ordinary

from agentcheck.report import WriteError, render, write

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def test_text_is_written_as_utf8_without_changing_line_ends(tmp_path: Path) -> None:
    goal = tmp_path / "a.md"
    write("返金\r\nend\n", goal)
    assert goal.read_bytes() == "返金\r\nend\n".encode()
    assert list(tmp_path.iterdir()) == [goal]


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    goal = tmp_path / "a.json"
    goal.write_text("old")
    goal.chmod(0o640)
    write(render(ordinary(), "json"), str(goal))
    assert goal.read_text(encoding="utf-8") == render(ordinary(), "json")
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


@POSIX
def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    goal, other = tmp_path / "a.json", tmp_path / "b"
    write("x", goal)
    other.write_text("x")
    assert goal.stat().st_mode == other.stat().st_mode


@POSIX
def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    goal, link = tmp_path / "real" / "a.json", tmp_path / "latest.json"
    link.symlink_to(goal)
    write("x", link)
    assert link.is_symlink()
    assert goal.read_text() == "x"


@POSIX
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write("through", pipe)
    reader.join(timeout=10)
    assert got == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_lone_surrogate_is_written_as_an_escape(tmp_path: Path) -> None:
    write("a\udc80", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == rb"a\udc80"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    goal = tmp_path / "no" / "a.json"
    with pytest.raises(WriteError) as caught:
        write("x", goal)
    assert str(caught.value) == (
        f"cannot write the report to {goal}: there is no folder {goal.parent}; "
        "create it or name another"
    )


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"it is a folder; name a file in it$"):
        write("x", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_an_impossible_name_is_one_clear_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(WriteError) as caught:
        write("x", tmp_path / name)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_half_way_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = tmp_path / "a.json"
    goal.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left on device"):
        write("new", goal)
    assert goal.read_text() == "old"
    assert list(tmp_path.iterdir()) == [goal]
