"""What tests of the language server share: an editor's abilities, its workspace, its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.editor_client import Editor, Json
from tests.fix_samples import KEYWORD, LIMIT

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


def codes(diagnostics: list[Json]) -> list[str]:
    return [one["code"] for one in diagnostics]


def edits_of(action: Json) -> list[Json]:
    """The edits of an action that changes one document."""
    (change,) = action["edit"]["documentChanges"]
    edits: list[Json] = change["edits"]
    return edits


def starting() -> Iterator[Start]:
    """What a fixture yields to start editors; what is left of them ends with the test."""
    started: list[Editor] = []

    def one(
        folder: Path | None, *options: str, able: Json = ABLE, cwd: Path | None = None
    ) -> Editor:
        started.append(Editor(folder, able, *options, cwd=cwd))
        return started[-1]

    yield one
    for editor in started:
        editor.close()


def workspace(tmp_path: Path) -> Path:
    """A workspace with one fault that has a safe fix and one that has an unsafe one."""
    made = tmp_path / "work"
    made.mkdir()
    (made / "pyproject.toml").write_text(ONLY, "utf-8")
    (made / "guide.py").write_text(KEYWORD.before, "utf-8")
    (made / "loop.py").write_text(LIMIT.before, "utf-8")
    return made


def sharing() -> Iterator[Editor]:
    """One server for the tests that can share it: starting one takes longer than most of them."""
    editor = Editor(None, ABLE)
    yield editor
    editor.close()


def inside(shared: Editor, folder: Path) -> Iterator[Editor]:
    """A shared editor whose workspace is a folder for as long as a test takes."""
    shared.enter(folder)
    yield shared
    shared.reset(folder)
