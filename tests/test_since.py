"""`scan --since REV` reports what the change since then touches, on the whole program's graph."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command_line import Here
from tests.git_targets import Repository, needs_git
from tests.run_targets import LOOP, UNBOUNDED, scan, write

from agentcheck.config import UsageError

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    write(made.folder, bot=LOOP, other=LOOP)
    made.commit()
    return made


def reported(folder: Path, since: str = "HEAD") -> list[str]:
    return [f.primary.file for f in scan(folder, since=since).findings]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_nothing_changed_is_nothing_reported_and_that_is_counted(repository: Repository) -> None:
    report = scan(repository.folder, since="HEAD")
    assert report.findings == ()
    assert report.summary.outside == 2
    assert report.target.since == "HEAD"


def test_a_changed_line_of_evidence_brings_its_finding(repository: Repository) -> None:
    edit(repository.folder / "bot.py", "while True:", "while 1:")
    assert reported(repository.folder) == ["bot.py"]


def test_any_line_of_evidence_counts(repository: Repository) -> None:
    edit(repository.folder / "bot.py", 'model="m"', 'model="n"')
    assert reported(repository.folder) == ["bot.py"]


def test_lines_that_only_moved_do_not_count(repository: Repository) -> None:
    edit(repository.folder / "bot.py", "client =", "# a\n# b\n\nclient =")
    assert reported(repository.folder) == []


def test_a_change_elsewhere_in_the_file_does_not_count(repository: Repository) -> None:
    edit(repository.folder / "bot.py", "client = OpenAI()", "client = OpenAI(timeout=3)")
    assert reported(repository.folder) == []


def test_a_line_taken_out_touches_its_neighbours(repository: Repository) -> None:
    target = repository.folder / "bot.py"
    edit(target, "    while True:", "    turns = 0\n    while True:")
    repository.commit()
    edit(target, "    turns = 0\n", "")
    assert reported(repository.folder) == ["bot.py"]


def test_files_that_git_does_not_track_are_new(repository: Repository) -> None:
    write(repository.folder, later=LOOP)
    assert reported(repository.folder) == ["later.py"]


def test_staged_files_are_new_too(repository: Repository) -> None:
    write(repository.folder, later=LOOP)
    repository("add", "later.py")
    assert reported(repository.folder) == ["later.py"]


def test_a_renamed_file_is_not_new(repository: Repository) -> None:
    repository("mv", "bot.py", "agent.py")
    assert reported(repository.folder) == []
    edit(repository.folder / "agent.py", "while True:", "while 1:")
    assert reported(repository.folder) == ["agent.py"]


def test_a_scanned_folder_below_the_top_is_found_in_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    write(tmp_path, **{"services/desk/bot": LOOP, "bot": LOOP})
    repository.commit()
    edit(tmp_path / "bot.py", "while True:", "while 1:")
    assert reported(tmp_path / "services") == []
    edit(tmp_path / "services/desk/bot.py", "while True:", "while 1:")
    assert reported(tmp_path / "services") == ["desk/bot.py"]


@pytest.mark.skipif(os.name != "posix", reason="such names are possible on POSIX only")
@pytest.mark.parametrize(
    "name", ['q"uote', "two\nlines", "tab\there", "-n", "ünï", "a b", "\\x", "diff --git a"]
)
def test_hostile_file_names_are_followed(repository: Repository, name: str) -> None:
    folder = repository.folder
    write(folder, **{name: LOOP})
    repository.commit()
    assert reported(folder) == []
    edit(folder / f"{name}.py", "while True:", "while 1:")
    assert reported(folder) == [f"{name}.py"]
    repository("mv", "--", f"{name}.py", "plain.py")
    assert reported(folder) == ["plain.py"]


def test_lines_that_look_like_a_patch_are_only_content(repository: Repository) -> None:
    hostile = 'NOTE = """\n-- a/bot.py\n++ b/bot.py\n@@ -1 +1,99 @@\ndiff --git a/x b/x\n"""\n'
    write(repository.folder, a_note=hostile)
    repository.commit()
    edit(
        repository.folder / "a_note.py", "++ b/bot.py", "++ b/bot.py\n@@ -1 +1,99 @@\n+++ b/bot.py"
    )
    assert reported(repository.folder) == []


def test_a_tag_and_a_hash_name_a_revision(repository: Repository) -> None:
    first = repository("rev-parse", "HEAD").strip()
    repository("tag", "first")
    edit(repository.folder / "bot.py", "while True:", "while 1:")
    repository.commit()
    assert reported(repository.folder, "first") == reported(repository.folder, first) == ["bot.py"]
    assert reported(repository.folder, "HEAD") == []


@pytest.mark.parametrize("revision", ["nowhere", "", "--help", "HEAD\n", "HEAD^{tree}", "\x00"])
def test_what_is_no_revision_is_an_error_that_says_so(
    repository: Repository, revision: str
) -> None:
    with pytest.raises(UsageError, match="--since: git knows no revision") as caught:
        scan(repository.folder, since=revision)
    assert "\n" not in str(caught.value)


def test_a_folder_in_no_work_tree_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match=r"--since HEAD: .*not a git repository"):
        scan(write(tmp_path, bot=LOOP), since="HEAD")


def test_without_git_the_error_says_so(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="git is not installed; scan without --since"):
        scan(repository.folder, UNBOUNDED, since="HEAD")


def test_the_command_takes_it_and_leaves_with_2_where_it_cannot_work(
    repository: Repository, capfd: pytest.CaptureFixture[str]
) -> None:
    here = Here(capfd)
    edit(repository.folder / "bot.py", "while True:", "while 1:")
    scan_it = ("scan", repository.folder, "--isolated", "--select", "AC101")
    done = here(*scan_it, "--since", "HEAD", "--output-format", "concise")
    assert done.code == 1
    assert "1 finding: 1 high (1 untouched since then); changed since HEAD; 2 files" in done.out
    wrong = here(*scan_it, "--since", "nowhere")
    assert wrong.code == 2
    assert wrong.error == (
        '--since: git knows no revision "nowhere"; '
        "a shallow clone may lack it: fetch it, or name another"
    )
    assert here("scan", "-", "--since", "HEAD").error.startswith("--since asks git about files")
