"""What a language server tells of an editor's files, as an editor meets it: a process, JSON-RPC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.editor_client import Editor, at
from tests.editor_samples import (
    ENDED,
    ONLY,
    Start,
    codes,
    inside,
    sharing,
    starting,
    workspace,
)
from tests.fix_samples import LIMIT


@pytest.fixture
def start() -> Iterator[Start]:
    yield from starting()


@pytest.fixture(scope="module")
def shared() -> Iterator[Editor]:
    yield from sharing()


@pytest.fixture
def editor(shared: Editor, folder: Path) -> Iterator[Editor]:
    yield from inside(shared, folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def test_a_finding_is_told_with_its_place_and_its_evidence(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    (found,) = editor.diagnostics(path)
    assert (found["code"], found["source"], found["severity"]) == ("AC101", "agentcheck", 1)
    assert at(LIMIT.before, found["range"]) == "max_turns"
    assert "(unbounded-loop)" in found["message"]
    assert "codeDescription" not in found
    told = [(one["message"], one["location"]) for one in found["relatedInformation"]]
    assert [at(LIMIT.before, place["range"]) for _, place in told] == [
        "turns < max_turns",
        'client.chat.completions.create(model="gpt-4o", messages=messages)',
    ]
    assert {place["uri"] for _, place in told} == {path.as_uri()}
    assert all(says for says, _ in told)


def test_findings_of_files_that_are_not_open_are_told_too(editor: Editor, folder: Path) -> None:
    assert codes(editor.diagnostics(folder / "guide.py")) == ["AC503"]


def test_an_edit_takes_a_finding_away_and_another_brings_it_back(
    editor: Editor, folder: Path
) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    editor.change(path, ENDED)
    assert codes(editor.diagnostics(path)) == []
    editor.change(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    assert path.read_text("utf-8") == LIMIT.before


def test_closing_without_saving_brings_back_what_the_disk_holds(
    editor: Editor, folder: Path
) -> None:
    path = folder / "loop.py"
    editor.open(path, ENDED)
    editor.diagnostics(folder / "guide.py")
    editor.about("textDocument/didClose", path)
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_saving_looks_again(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    (folder / "pyproject.toml").write_text(ONLY + 'ignore = ["AC101"]\n', "utf-8")
    editor.about("textDocument/didSave", path)
    assert codes(editor.diagnostics(path)) == []


def test_on_save_a_change_waits_for_the_file_to_be_saved(start: Start, folder: Path) -> None:
    editor, path = start(folder, "--on-save"), folder / "loop.py"
    editor.open(path, LIMIT.before)
    (found,) = editor.diagnostics(path)
    editor.change(path, ENDED)
    assert editor.actions(path, found["range"]) == []
    path.write_text(ENDED, "utf-8")
    editor.about("textDocument/didSave", path)
    assert codes(editor.diagnostics(path)) == []
    told = [n["params"] for n in editor.notes if n["method"] == "textDocument/publishDiagnostics"]
    assert [one for one in told if one["uri"] == path.as_uri() and one.get("version") == 2] == []


def test_what_one_file_says_of_another_follows_the_buffer(editor: Editor, folder: Path) -> None:
    (folder / "limits.py").write_text("MOST = 20\n", "utf-8")
    loop = LIMIT.after.replace("= 20", "= MOST").replace(
        "import json\n", "import json\n\nfrom limits import MOST\n"
    )
    (folder / "loop.py").write_text(loop, "utf-8")
    limits = folder / "limits.py"
    editor.open(limits, 'MOST = float("inf")\n')
    assert codes(editor.diagnostics(folder / "loop.py")) == ["AC101"]
    editor.change(limits, "MOST = 20\n")
    assert codes(editor.diagnostics(folder / "loop.py")) == []


def test_of_many_quick_changes_the_last_one_counts(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    for number in range(40):
        editor.change(path, f"{LIMIT.before}# {number}\n" if number % 2 else "def broken(:\n")
    editor.change(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_a_file_that_was_never_saved_is_part_of_the_workspace(editor: Editor, folder: Path) -> None:
    path = folder / "inner" / "new.py"
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    assert not path.exists()


def test_a_document_without_a_place_is_looked_at_alone(start: Start, folder: Path) -> None:
    editor = start(None, cwd=folder)
    editor.open("untitled:Untitled-1", LIMIT.before)
    assert codes(editor.diagnostics("untitled:Untitled-1")) == ["AC101"]
    editor.change("untitled:Untitled-1", ENDED)
    assert codes(editor.diagnostics("untitled:Untitled-1")) == []
    editor.change("untitled:Untitled-1", LIMIT.before)
    assert codes(editor.diagnostics("untitled:Untitled-1")) == ["AC101"]
    editor.about("textDocument/didClose", "untitled:Untitled-1")
    assert codes(editor.diagnostics("untitled:Untitled-1")) == []


def test_a_file_keeps_the_address_that_the_editor_gives_it(editor: Editor, folder: Path) -> None:
    path = folder / "a b.py"
    address = path.as_uri().replace("%20b", "%20%62")  # other editors escape other letters
    editor.open(address, LIMIT.before)
    assert codes(editor.diagnostics(address)) == ["AC101"]
    editor.about("textDocument/didClose", address)
    assert codes(editor.diagnostics(address)) == []


def test_a_file_outside_the_workspace_is_looked_at_alone_and_forgotten(
    editor: Editor, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "lone.py"
    editor.open(path, LIMIT.before)
    assert "AC101" in codes(editor.diagnostics(path))
    editor.about("textDocument/didClose", path)
    assert codes(editor.diagnostics(path)) == []


def test_what_a_scan_leaves_out_is_left_out(editor: Editor, folder: Path) -> None:
    (folder / ".gitignore").write_text("scratch/\n", "utf-8")
    for hidden in (folder / "scratch" / "loop.py", folder / ".venv" / "loop.py"):
        editor.open(hidden, LIMIT.before)
    path = folder / "new.py"
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    told = {n["params"]["uri"] for n in editor.notes if "uri" in n.get("params", ())}
    assert not any("scratch" in uri or ".venv" in uri for uri in told)


def test_broken_syntax_is_said_on_its_line_and_heals(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]
    broken = LIMIT.before.replace("while turns < max_turns:", "while turns < (max_turns:")
    editor.change(path, broken)
    (found,) = editor.diagnostics(path)
    assert (found["code"], found["severity"]) == ("not-read", 3)
    assert at(broken, found["range"]) == "while turns < (max_turns:"
    editor.change(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_a_lone_broken_file_is_no_error_message(start: Start, tmp_path: Path) -> None:
    editor, path = start(tmp_path), tmp_path / "loop.py"
    editor.open(path, "def f(:\n")
    assert codes(editor.diagnostics(path)) == ["not-read"]
    assert [n for n in editor.notes if n["method"] == "window/showMessage"] == []
