"""The language server, as an editor meets it: a process, JSON-RPC, real files."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command_line import agentcheck
from tests.editor_client import Editor, Json, applied, at
from tests.fix_samples import KEYWORD, LIMIT

from agentcheck.graph.program import Program
from agentcheck.run.request import silent
from agentcheck.server.look import Options, Superseded, look

ABLE: Json = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
ONLY = '[tool.agentcheck]\nselect = ["unbounded-loop", "unknown-agent-keyword"]\n'
ENDED = LIMIT.after
Start = Callable[..., Editor]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts editors, and ends what is left of them."""
    started: list[Editor] = []

    def one(
        folder: Path | None, *options: str, able: Json = ABLE, cwd: Path | None = None
    ) -> Editor:
        started.append(Editor(folder, able, *options, cwd=cwd))
        return started[-1]

    yield one
    for editor in started:
        editor.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Editor]:
    """One server for the tests that can share it: starting one takes longer than most of them."""
    editor = Editor(None, ABLE)
    yield editor
    editor.close()


@pytest.fixture
def editor(shared: Editor, folder: Path) -> Iterator[Editor]:
    """An editor whose workspace is the folder."""
    shared.enter(folder)
    yield shared
    shared.reset(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with one fault that has a safe fix and one that has an unsafe one."""
    made = tmp_path / "work"
    made.mkdir()
    (made / "pyproject.toml").write_text(ONLY, "utf-8")
    (made / "guide.py").write_text(KEYWORD.before, "utf-8")
    (made / "loop.py").write_text(LIMIT.before, "utf-8")
    return made


def codes(diagnostics: list[Json]) -> list[str]:
    return [one["code"] for one in diagnostics]


def edits_of(action: Json) -> list[Json]:
    """The edits of an action that changes one document."""
    (change,) = action["edit"]["documentChanges"]
    edits: list[Json] = change["edits"]
    return edits


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


def test_a_safe_fix_is_preferred_and_mends(editor: Editor, folder: Path) -> None:
    path = folder / "guide.py"
    editor.open(path, KEYWORD.before)
    (found,) = editor.diagnostics(path)
    fix, ignore = editor.actions(path, found["range"])
    assert (fix["kind"], fix["isPreferred"]) == ("quickfix", True)
    assert [one["code"] for one in fix["diagnostics"]] == ["AC503"]
    assert "isPreferred" not in ignore
    mended = applied(KEYWORD.before, edits_of(fix))
    assert mended == KEYWORD.after
    assert fix["edit"]["documentChanges"][0]["textDocument"]["version"] == 1
    editor.change(path, mended)
    assert codes(editor.diagnostics(path)) == []


def test_an_unsafe_fix_says_so_and_is_not_preferred(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    (found,) = editor.diagnostics(path)
    fix, _ = editor.actions(path, found["range"])
    assert "(unsafe: " in fix["title"]
    assert "isPreferred" not in fix
    assert applied(LIMIT.before, edits_of(fix)) == LIMIT.after


def test_of_many_quick_changes_the_last_one_counts(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    for number in range(40):
        editor.change(path, f"{LIMIT.before}# {number}\n" if number % 2 else "def broken(:\n")
    editor.change(path, LIMIT.before)
    assert codes(editor.diagnostics(path)) == ["AC101"]


def test_of_what_is_not_open_nothing_is_said(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    (found,) = editor.diagnostics(path)
    assert editor.actions(path, found["range"]) == []
    assert editor.hover(path, found["range"]["start"]) is None
    assert editor.hover(folder / "README.md", {"line": 0, "character": 0}) is None


def test_a_comment_that_accepts_a_finding_goes_on_its_line(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    (found,) = editor.diagnostics(path)
    ignore = editor.actions(path, found["range"])[-1]
    assert ignore["title"] == "Ignore unbounded-loop on this line"
    text = applied(LIMIT.before, edits_of(ignore))
    assert "# who needs a limit  # agentcheck: ignore[unbounded-loop]\n" in text
    editor.change(path, text)
    assert codes(editor.diagnostics(path)) == []


def test_an_editor_without_versions_gets_plain_changes(start: Start, folder: Path) -> None:
    editor, path = start(folder, able={}), folder / "guide.py"
    editor.open(path, KEYWORD.before)
    (found,) = editor.diagnostics(path)
    assert "relatedInformation" not in found
    fix = editor.actions(path, found["range"])[0]
    assert applied(KEYWORD.before, fix["edit"]["changes"][path.as_uri()]) == KEYWORD.after


def test_all_safe_fixes_at_once_are_made_only_when_asked_for(editor: Editor, folder: Path) -> None:
    path = folder / "guide.py"
    editor.open(path, KEYWORD.before)
    (found,) = editor.diagnostics(path)
    (fix,) = editor.actions(path, found["range"], only=["source.fixAll"])
    assert fix["kind"] == "source.fixAll.agentcheck"
    assert applied(KEYWORD.before, edits_of(fix)) == KEYWORD.after
    assert editor.actions(path, found["range"], only=["refactor"]) == []
    loop = folder / "loop.py"
    editor.open(loop, LIMIT.before)
    (unsafe,) = editor.diagnostics(loop)
    assert editor.actions(loop, unsafe["range"], only=["source.fixAll.agentcheck"]) == []


def test_no_action_is_offered_for_a_text_that_was_not_looked_at(
    editor: Editor, folder: Path
) -> None:
    path = folder / "guide.py"
    editor.open(path, KEYWORD.before)
    (found,) = editor.diagnostics(path)
    editor.change(path, "# moved\n" + KEYWORD.before)
    assert editor.actions(path, found["range"]) == []
    (moved,) = editor.diagnostics(path)
    assert moved["range"]["start"]["line"] == found["range"]["start"]["line"] + 1
    assert len(editor.actions(path, moved["range"])) == 2


def test_hover_shows_the_page_of_the_rule(editor: Editor, folder: Path) -> None:
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    (found,) = editor.diagnostics(path)
    shown = editor.hover(path, found["range"]["start"])
    assert shown["contents"]["kind"] == "markdown"
    assert shown["contents"]["value"] == agentcheck("rule", "AC101").out
    assert shown["range"] == found["range"]
    assert editor.hover(path, {"line": 0, "character": 0}) is None


WIDE = "😀 𝒳 é ﬁ"


def test_columns_count_utf16_code_units(editor: Editor, folder: Path) -> None:
    text = LIMIT.before.replace(
        "def run(messages, max_turns", f'def run(messages, note="{WIDE}", max_turns'
    )
    path = folder / "loop.py"
    editor.open(path, text)
    (found,) = editor.diagnostics(path)
    assert at(text, found["range"]) == "max_turns"
    line = text.splitlines()[found["range"]["start"]["line"]]
    characters = line.index("max_turns")
    assert found["range"]["start"]["character"] == characters + 2  # two are beyond U+FFFF
    fix = editor.actions(path, found["range"])[0]
    assert applied(text, edits_of(fix)) == text.replace('float("inf")', "20")


def test_an_editor_may_count_in_utf8(start: Start, folder: Path) -> None:
    text = LIMIT.before.replace(
        "def run(messages, max_turns", f'def run(messages, note="{WIDE}", max_turns'
    )
    editor = start(folder, able={"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    assert editor.capabilities["positionEncoding"] == "utf-8"
    path = folder / "loop.py"
    editor.open(path, text)
    (found,) = editor.diagnostics(path)
    line = text.splitlines()[found["range"]["start"]["line"]].encode()
    assert found["range"]["start"]["character"] == line.index(b"max_turns")


def test_a_form_feed_ends_no_line(editor: Editor, folder: Path) -> None:
    text = LIMIT.before.replace("def run", "\x0c\ndef run")
    path = folder / "loop.py"
    editor.open(path, LIMIT.before)
    editor.diagnostics(path)
    editor.change(path, text)
    (found,) = editor.diagnostics(path)
    assert at(text, found["range"]) == "max_turns"


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
