"""`scan --fix` and `--diff` as commands: what they touch, what they say, how they exit."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import Here, agentcheck
from tests.fix_samples import ARGUMENTS, FINISH, KEYWORD, LIMIT, OPENAI, TOOL

from agentcheck.report.json import schema

SAFE, UNSAFE = KEYWORD, LIMIT


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """The command inside this process."""
    return Here(capfd)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A folder with one fault that is safe to mend and one that is not."""
    folder = tmp_path / "target"
    folder.mkdir()
    (folder / "guide.py").write_text(SAFE.before, "utf-8")
    (folder / "loop.py").write_text(UNSAFE.before, "utf-8")
    return folder


ONLY = ("--isolated", "--select", "unbounded-loop,unknown-agent-keyword")


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}


BEFORE = {"guide.py": SAFE.before, "loop.py": UNSAFE.before}
SAFELY = {"guide.py": SAFE.after, "loop.py": UNSAFE.before}
WHOLLY = {"guide.py": SAFE.after, "loop.py": UNSAFE.after}


def test_only_what_is_safe_is_mended_unasked(here: Here, target: Path) -> None:
    done = here("scan", target, *ONLY, "--fix", "--output-format", "concise")
    assert texts(target) == SAFELY
    assert done.err == "Fixed 1 finding (1 more with --unsafe-fixes)\n"
    assert "AC101" in done.out
    assert "AC503" not in done.out
    assert done.code == 1


def test_unsafe_fixes_are_made_when_asked_for(here: Here, target: Path) -> None:
    done = here("scan", target, *ONLY, "--fix", "--unsafe-fixes")
    assert texts(target) == WHOLLY
    assert (done.err, done.code) == ("Fixed 2 findings\n", 0)


def test_the_json_report_tells_what_a_fix_does(here: Here, target: Path) -> None:
    report = json.loads(here("scan", target, *ONLY, "--output-format", "json").out)
    jsonschema.validate(report, schema())
    fixes = {finding["rule"]: finding["fix"] for finding in report["findings"]}
    assert fixes == {
        "unbounded-loop": {"applicability": "unsafe", "what": "Make the default 20 turns."},
        "unknown-agent-keyword": {
            "applicability": "safe",
            "what": "Rename `instructon` to `instructions`.",
        },
    }


def test_a_diff_writes_nothing_and_exits_with_1(here: Here, target: Path) -> None:
    done = here("scan", target, *ONLY, "--diff")
    assert texts(target) == BEFORE
    assert done.out.startswith("--- a/guide.py\n+++ b/guide.py\n@@ ")
    assert '-    instructon = "Show the way.",\n+    instructions = "Show' in done.out
    assert "loop.py" not in done.out
    assert done.err == "Would fix 1 finding (1 more with --unsafe-fixes)\n"
    assert done.code == 1


def test_a_diff_without_changes_exits_with_0(here: Here, target: Path) -> None:
    (target / "guide.py").unlink()
    done = here("scan", target, *ONLY, "--diff")
    assert (done.out, done.code) == ("", 0)
    assert done.err == "Would fix 0 findings (1 more with --unsafe-fixes)\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_applies_the_diff(target: Path) -> None:
    text = UNSAFE.before.rstrip().replace("\n", "\r\n")
    (target / "loop.py").write_bytes(text.encode())
    done = agentcheck("scan", target, *ONLY, "--diff", "--unsafe-fixes")
    patch = target / "all.patch"
    patch.write_bytes(done.out.encode())
    subprocess.run(["git", "apply", "all.patch"], cwd=target, check=True)
    wanted = UNSAFE.after.rstrip().replace("\n", "\r\n")
    assert (target / "loop.py").read_bytes() == wanted.encode()
    assert (target / "guide.py").read_text("utf-8") == SAFE.after


def test_quiet_says_nothing_of_the_fixes(here: Here, target: Path) -> None:
    done = here("scan", target, *ONLY, "--fix", "--unsafe-fixes", "--quiet")
    assert (done.out, done.err) == ("", "")
    assert texts(target) == WHOLLY


def test_what_somebody_accepted_is_not_mended(here: Here, target: Path) -> None:
    ignored = SAFE.before.replace(
        '"Show the way.",', '"Show the way.",  # agentcheck: ignore[unknown-agent-keyword] later'
    )
    (target / "guide.py").write_text(ignored, "utf-8")
    done = here("scan", target, *ONLY, "--fix")
    assert (target / "guide.py").read_text("utf-8") == ignored
    assert done.err == "Fixed 0 findings (1 more with --unsafe-fixes)\n"


# What is left alone


def test_a_notebook_is_left_and_named(here: Here, target: Path) -> None:
    cell = {"cell_type": "code", "source": SAFE.before, "metadata": {}, "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (target / "guide.py").unlink()
    (target / "guide.ipynb").write_text(notebook, "utf-8")
    done = here("scan", target, *ONLY, "--fix")
    assert done.err.splitlines() == [
        "agentcheck: not fixed: guide.ipynb: notebooks are not changed",
        "Fixed 0 findings (1 more with --unsafe-fixes)",
    ]
    assert (target / "guide.ipynb").read_text("utf-8") == notebook


def test_a_read_only_file_is_left_and_named(here: Here, target: Path) -> None:
    (target / "guide.py").chmod(0o444)
    done = here("scan", target, *ONLY, "--fix", "--unsafe-fixes")
    assert done.err.splitlines() == [
        "agentcheck: not fixed: guide.py: read-only; make it writable first",
        "Fixed 1 finding",
    ]
    assert texts(target) == BEFORE | {"loop.py": UNSAFE.after}


def test_permissions_stay(here: Here, target: Path) -> None:
    (target / "guide.py").chmod(0o750)
    here("scan", target, *ONLY, "--fix")
    assert (target / "guide.py").stat().st_mode & 0o777 == 0o750
    assert texts(target) == SAFELY


def test_a_link_out_of_the_folder_is_not_followed(here: Here, tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere.py", tmp_path / "folder"
    elsewhere.write_text(SAFE.before, "utf-8")
    folder.mkdir()
    link = folder / "guide.py"
    link.symlink_to(elsewhere)
    done = here("scan", link, *ONLY, "--fix")
    assert done.err.splitlines()[0] == (
        "agentcheck: not fixed: guide.py: a symbolic link that leads out of the scanned folder"
    )
    assert link.is_symlink()
    assert elsewhere.read_text("utf-8") == SAFE.before


def test_a_link_inside_the_folder_stays_a_link(here: Here, target: Path) -> None:
    link = target / "link.py"
    link.symlink_to(target / "guide.py")
    here("scan", link, *ONLY, "--fix")
    assert link.is_symlink()
    assert (target / "guide.py").read_text("utf-8") == SAFE.after


def test_no_other_file_is_left_behind(here: Here, target: Path) -> None:
    here("scan", target, *ONLY, "--fix", "--unsafe-fixes")
    assert sorted(path.name for path in target.iterdir()) == ["guide.py", "loop.py"]


# Several fixes at once


def test_fixes_of_the_same_lines_follow_each_other(here: Here, tmp_path: Path) -> None:
    text = TOOL.before.replace(
        "(call.function.arguments)", "(**json.loads(call.function.arguments))"
    )
    path = tmp_path / "agent.py"
    path.write_text(text, "utf-8")
    rules = f"{TOOL.rule},{ARGUMENTS.rule}"
    done = here(
        *("scan", path, "--isolated", "--select", rules, "--fix", "--unsafe-fixes"),
        *("--output-format", "concise"),
    )
    compile(path.read_text("utf-8"), path, "exec", dont_inherit=True)
    assert done.out.startswith("No findings")
    assert "Fixed 2 findings" in done.err


def test_fixes_of_one_file_are_made_together(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    path.write_text(LIMIT.before + FINISH.before.removeprefix(OPENAI), "utf-8")
    rules = f"{LIMIT.rule},{FINISH.rule}"
    flags = ("--isolated", "--select", rules, "--persona", "auditor", "--unsafe-fixes", "--fix")
    assert here("scan", path, *flags).err == "Fixed 2 findings\n"
    assert path.read_text("utf-8") == LIMIT.after + FINISH.after.removeprefix(OPENAI)


def test_two_keywords_that_mean_one_are_left(here: Here, tmp_path: Path) -> None:
    text = SAFE.before.replace("    # What", '    instructins = "Slowly.",\n    # What')
    path = tmp_path / "agent.py"
    path.write_text(text, "utf-8")
    here("scan", path, *ONLY, "--fix", "--unsafe-fixes")
    assert path.read_text("utf-8") == text


def test_a_call_that_may_be_caught_is_not_safe_to_mend(here: Here, tmp_path: Path) -> None:
    head, call = SAFE.before.split("guide = ")
    inside = "    guide = " + call.replace("\n", "\n    ").rstrip()
    path = tmp_path / "agent.py"
    path.write_text(f"{head}try:\n{inside}\nexcept TypeError:\n    guide = None\n", "utf-8")
    done = here("scan", path, *ONLY, "--diff")
    assert (done.code, done.err) == (0, "Would fix 0 findings (1 more with --unsafe-fixes)\n")


# From stdin


def test_the_mended_source_of_stdin_is_printed() -> None:
    data = SAFE.before.replace("\n", "\r\n").encode()
    done = agentcheck("scan", "-", *ONLY, "--fix", stdin=data)
    assert done.out == SAFE.after.replace("\n", "\r\n")
    assert (done.err, done.code) == ("Fixed 1 finding\n", 0)


def test_source_without_a_fix_comes_out_as_it_is() -> None:
    done = agentcheck("scan", "-", *ONLY, "--fix", stdin=UNSAFE.before.encode())
    assert done.out == UNSAFE.before
    assert done.err == "Fixed 0 findings (1 more with --unsafe-fixes)\n"
    assert done.code == 1


def test_a_diff_of_stdin_has_its_name() -> None:
    done = agentcheck(
        *("scan", "-", *ONLY, "--diff", "--stdin-filename", "a/guide.py"),
        stdin=SAFE.before.encode(),
    )
    assert done.out.startswith("--- a/a/guide.py\n+++ b/a/guide.py\n")
    assert done.code == 1


# Flags that contradict each other


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (("--unsafe-fixes",), "--unsafe-fixes chooses what is mended; add --fix or --diff"),
        (
            ("--diff", "--output-format", "json"),
            "--diff prints changes and no report; leave the report's options out",
        ),
        (
            ("--diff", "--statistics"),
            "--diff prints changes and no report; leave the report's options out",
        ),
        (("--fix", "/no/such/folder"), "/no/such/folder: no such file or folder; check the path"),
    ],
)
def test_a_contradiction_is_one_clear_line(
    here: Here, target: Path, flags: tuple[str, ...], error: str
) -> None:
    done = here("scan", target, *flags)
    assert (done.code, done.error) == (2, error)
    assert texts(target) == BEFORE


def test_a_report_and_the_mended_source_do_not_share_stdout(tmp_path: Path) -> None:
    done = agentcheck("scan", "-", "--fix", "--output-format", "json", stdin=b"x = 1\n")
    assert done.error == "--fix with - prints the mended source; give the report an --output-file"
    report = tmp_path / "report.json"
    flags = ("--fix", "--output-format", "json", "--output-file", str(report))
    done = agentcheck("scan", "-", *ONLY, *flags, stdin=SAFE.before.encode())
    assert done.out == SAFE.after
    assert json.loads(report.read_text("utf-8"))["findings"] == []
