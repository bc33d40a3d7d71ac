"""The language server as a process: its configuration, watched files, its end, what it needs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.editor_samples import ABLE, ENDED, ONLY, Start, codes, starting, workspace
from tests.fix_samples import LIMIT

from agentcheck.graph.program import Program
from agentcheck.run.request import silent
from agentcheck.server.look import Options, Superseded, look


@pytest.fixture
def start() -> Iterator[Start]:
    yield from starting()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def test_a_broken_configuration_is_shown_and_no_crash(start: Start, folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.agentcheck]\nselekt = []\n", "utf-8")
    editor, path = start(folder), folder / "loop.py"
    said = editor.until(lambda one: one.get("method") == "window/showMessage")["params"]
    assert said["type"] == 1
    assert "selekt" in said["message"]
    assert "\n" not in said["message"]
    (folder / "pyproject.toml").write_text(ONLY, "utf-8")
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_files_that_change_elsewhere_are_watched(start: Start, folder: Path) -> None:
    able = {**ABLE, "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    editor = start(folder, able=able)
    asked = editor.until(lambda one: one.get("method") == "client/registerCapability")
    (watch,) = asked["params"]["registrations"]
    assert watch["method"] == "workspace/didChangeWatchedFiles"
    path = folder / "loop.py"
    assert codes(editor.diagnostics(path)) == ["AC101"]
    path.write_text(ENDED, "utf-8")
    changes = [{"uri": path.as_uri(), "type": 2}]
    editor.tell("workspace/didChangeWatchedFiles", {"changes": changes})
    assert codes(editor.diagnostics(path)) == []


def test_a_workspace_that_is_read_by_several_processes(start: Start, folder: Path) -> None:
    lines = "\n".join(f"def f{number}(value):\n    return value + {number}" for number in range(60))
    for number in range(120):
        (folder / f"more_{number}.py").write_text(f"{lines}\nx = {number}\n", "utf-8")
    assert sum(path.stat().st_size for path in folder.glob("*.py")) > 250_000
    editor, path = start(folder, "--jobs", "2", "--no-cache"), folder / "loop.py"
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_an_editor_that_leaves_in_order_ends_the_server(start: Start, folder: Path) -> None:
    editor = start(folder)
    editor.open(folder / "loop.py", LIMIT.before)
    assert editor.leave() == (0, "")


def test_an_editor_that_leaves_without_a_word_ends_the_server(start: Start, folder: Path) -> None:
    editor = start(folder)
    editor.diagnostics(folder / "loop.py")
    editor.tell("exit", None)
    assert editor.gone()[0] == 1


def test_an_editor_that_dies_ends_the_server(start: Start, folder: Path) -> None:
    editor = start(folder)
    editor.diagnostics(folder / "loop.py")
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert "Traceback" not in editor.gone()[1]


def test_without_the_extra_one_line_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; from agentcheck.cli import main; main(['server'])"
    )
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=path
    )
    assert done.returncode == 2
    assert done.stderr == (
        "agentcheck: error: the language server needs the extra lsp; "
        "pip install 'agentcheck-audit[lsp]'\n"
    )


def test_help_needs_nothing_of_the_protocol() -> None:
    code = (
        "import sys; from agentcheck.cli import run_command; run_command(['--help']); "
        "print({'pygls', 'lsprotocol', 'asyncio'} & set(sys.modules))"
    )
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=path
    )
    assert done.stdout.endswith("set()\n")


def test_a_look_holds_no_graph_when_it_is_done(folder: Path) -> None:
    before = {id(one) for one in gc.get_objects() if isinstance(one, Program)}
    found = look(folder, {}, Options(no_cache=True), silent)
    assert found.report is not None
    assert found.report.findings
    after = [one for one in gc.get_objects() if isinstance(one, Program) and id(one) not in before]
    assert after == []


def test_a_change_ends_a_look_at_its_next_step(folder: Path) -> None:
    def changed(_step: str) -> None:
        raise Superseded

    with pytest.raises(Superseded):
        look(folder, {}, Options(no_cache=True), changed)
