"""The pre-commit hooks, run by pre-commit itself from a repository that holds this checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.command_line import agentcheck
from tests.run_targets import LOOP

pytest.importorskip("pre_commit", reason="pre-commit is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(
        "AGENTCHECK_INSTALLS" not in os.environ,
        reason="installs environments for minutes; set AGENTCHECK_INSTALLS=1 to run it",
    ),
]

ROOT = Path(__file__).parents[1]
PACKAGE = (
    ".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", "analyzer", "rules",
    "report_templates", "fixtures/rules",
)  # fmt: skip
NO_INDEX = re.compile(
    "No matching distribution|ConnectionError|Could not find a version|Connection refused|timed out"
    "|Temporary failure in name resolution"
)


def git(folder: Path, *args: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t.example", "-C", str(folder), *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def pre_commit(folder: Path, home: Path, *args: str) -> tuple[int, str]:
    """The exit code and everything that was said."""
    settings = {"PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
    others = ("GIT_", "PYTHONPATH", "PRE_COMMIT")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *args],
        cwd=folder,
        env=kept | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the installed hooks: once for all tests."""
    return tmp_path_factory.mktemp("pre-commit home")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the package of this checkout."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in PACKAGE:
        source, goal = ROOT / name, folder / name
        goal.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, goal, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, goal)
    git(folder, "init", "-q")
    git(folder, "add", "-f", ".")
    git(folder, "commit", "-q", "-m", "all")
    return folder


@pytest.fixture
def scratch(tmp_path: Path, hooks: Path) -> Path:
    """A repository that asks for both hooks of one rule, and holds its fault."""
    only = ["--isolated", "--select", "unbounded-loop"]
    used = {
        "repo": str(hooks),
        "rev": git(hooks, "rev-parse", "HEAD"),
        "hooks": [
            {"id": "agentcheck", "args": only},
            {"id": "agentcheck-fix", "args": [*only, "--unsafe-fixes"], "stages": ["manual"]},
        ],
    }
    folder = tmp_path / "scratch"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [used]}))
    (folder / "bot.py").write_text(LOOP)
    (folder / "notes.md").write_text("none\n")
    git(folder, "add", ".")
    return folder


def run(scratch: Path, home: Path, *args: str) -> tuple[int, str]:
    code, told = pre_commit(scratch, home, "run", *args)
    if code == 3 and NO_INDEX.search(told):
        pytest.skip("no package index can be reached")
    return code, told


def test_the_manifest_is_one(tmp_path: Path) -> None:
    code, told = pre_commit(ROOT, tmp_path, "validate-manifest", ".pre-commit-hooks.yaml")
    assert (code, told) == (0, "")
    made = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["id"] for hook in made] == ["agentcheck", "agentcheck-fix"]
    assert all(hook["entry"].startswith("agentcheck scan ") for hook in made)


def test_a_fault_stops_a_commit_and_its_absence_does_not(scratch: Path, home: Path) -> None:
    code, told = run(scratch, home)
    assert code == 1, told
    assert "high[unbounded-loop]" in told
    assert "--> bot.py:7" in told
    (scratch / "bot.py").write_text("x = 1\n")
    git(scratch, "add", ".")
    code, told = run(scratch, home)
    assert code == 0, told
    assert re.search(r"^agentcheck\.+Passed$", told, re.MULTILINE)


def test_where_no_python_file_changed_it_is_not_run(scratch: Path, home: Path) -> None:
    code, told = run(scratch, home, "--files", "notes.md")
    assert code == 0
    assert re.search(r"^agentcheck\.+\(no files to check\)Skipped$", told, re.MULTILINE)


LIMITED = LOOP.replace("(messages)", '(messages, turns=float("inf"))').replace(
    "while True:", "while len(messages) < turns:"
)


def test_the_fixing_hook_mends_and_lets_the_next_commit_pass(scratch: Path, home: Path) -> None:
    if "--fix" not in agentcheck("scan", "--help").out:
        pytest.skip("scan has no --fix")
    (scratch / "bot.py").write_text(LIMITED)
    git(scratch, "add", ".")
    fix = ("--hook-stage", "manual", "agentcheck-fix")
    code, told = run(scratch, home, *fix)
    assert code == 1, told
    assert "files were modified by this hook" in told
    assert "turns=20" in (scratch / "bot.py").read_text()
    git(scratch, "add", ".")
    code, told = run(scratch, home, *fix)
    assert code == 0, told
