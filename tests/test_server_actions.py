"""What a language server offers at a finding: fixes, comments, the rule's page, at its columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import agentcheck
from tests.editor_client import Editor, applied, at
from tests.editor_samples import Start, codes, edits_of, inside, sharing, starting, workspace
from tests.fix_samples import KEYWORD, LIMIT


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
