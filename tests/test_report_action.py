"""The GitHub Action: its scripts run as a runner would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.action_runner import ACTION, BASH, ROOT, STEPS, Runner
from tests.command_line import agentcheck
from tests.run_targets import LOOP, write

# Programs of this environment are found although it may not be activated.
WHERE = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
ACTIONLINT = os.environ.get("ACTIONLINT") or shutil.which("actionlint", path=WHERE)
SHELLCHECK = os.environ.get("SHELLCHECK") or shutil.which("shellcheck", path=WHERE)
needs_bash = pytest.mark.skipif(
    BASH is None or sys.platform == "win32", reason="no POSIX shell called bash"
)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A checkout with one fault in apps/, and one that nobody should come upon."""
    write(tmp_path / "work", **{"apps/bot": LOOP, "else where/other": LOOP})
    return tmp_path / "work"


@pytest.fixture
def runner(tmp_path: Path, workspace: Path) -> Runner:
    return Runner(tmp_path, workspace)


ONE = "--isolated --select unbounded-loop"


@needs_bash
def test_findings_are_annotated_reported_and_fail_the_job_at_its_end(runner: Runner) -> None:
    left = runner(paths="apps", args=ONE)
    assert left.code == 1
    assert re.search(r"^::error file=bot\.py,line=7,", left.log, re.MULTILINE)
    assert left.outputs["exit-code"] == "1"
    assert left.outputs["findings"] == "1"
    reports = runner.workspace / "agentcheck-reports"
    for key, name in (("sarif-file", "sarif"), ("html-file", "html"), ("markdown-file", "md")):
        assert Path(left.outputs[key]) == reports / f"agentcheck.{name}"
    assert len(json.loads((reports / "agentcheck.sarif").read_text())["runs"][0]["results"]) == 1
    assert (reports / "agentcheck.html").read_text().startswith("<!doctype html>")
    assert left.summary == (reports / "agentcheck.md").read_text()
    assert "F1" in left.summary


@needs_bash
def test_nothing_found_passes(runner: Runner) -> None:
    (runner.workspace / "apps" / "bot.py").write_text("x = 1\n")
    left = runner(paths="apps", args=ONE)
    assert left.code == 0
    assert (left.outputs["exit-code"], left.outputs["findings"]) == ("0", "0")
    assert "::notice title=agentcheck::No findings: " in left.log


@needs_bash
def test_a_tool_that_cannot_work_fails_with_2_and_leaves_no_report_to_upload(
    runner: Runner,
) -> None:
    left = runner(paths="nowhere")
    assert left.code == 2
    assert left.outputs == {"exit-code": "2"}
    assert "agentcheck: error: nowhere: no such file or folder" in left.log
    assert left.summary == ""


@needs_bash
def test_what_fails_the_job_can_be_chosen(runner: Runner) -> None:
    left = runner(paths="apps", args=ONE, fail_on="none")
    assert (left.code, left.outputs["exit-code"]) == (0, "1")


@needs_bash
def test_paths_stand_on_lines_and_runs_can_be_patterns(runner: Runner) -> None:
    runs = runner.workspace / "runs"
    runs.mkdir()
    for name in ("a", "b"):
        (runs / f"{name}.jsonl").write_text('[{"role": "user", "content": "hello"}]\n')
    left = runner(paths="apps\nelse\n", traces="runs/*.jsonl", args=ONE, reports="out/of it")
    assert left.code == 2  # a path with a blank in it is two
    write(runner.workspace / "else", thing="x = 1\n")
    left = runner(paths="apps\nelse\n", traces="runs/*.jsonl", args=ONE, reports="out/of it")
    assert left.code == 1
    told = json.loads((runner.workspace / "out" / "of it" / "agentcheck.json").read_text())
    assert told["target"]["paths"] == ["apps", "else"]
    assert told["target"]["traces"] == ["runs/a.jsonl", "runs/b.jsonl"]


@needs_bash
def test_a_working_directory_is_kept_to(runner: Runner) -> None:
    left = runner(working_directory="apps", args=ONE)
    assert left.code == 1
    expected = runner.workspace / "apps" / "agentcheck-reports" / "agentcheck.sarif"
    assert Path(left.outputs["sarif-file"]) == expected


@needs_bash
def test_without_annotations_nothing_in_the_log_is_a_command(runner: Runner) -> None:
    evil = LOOP.replace("def answer(", "::error::owned = 1\n\n\ndef answer(")
    (runner.workspace / "apps" / "evil.py").write_text(evil.replace("::error::owned = 1", ""))
    left = runner(paths="apps", args=ONE, annotations="false", summary="false")
    assert left.code == 1
    assert left.summary == ""
    stop = re.search(r"^::stop-commands::([0-9a-f]{32})$", left.log, re.MULTILINE)
    assert stop is not None
    assert f"\n::{stop[1]}::\n" in left.log
    assert "high[unbounded-loop]" in left.log
    commands = re.findall(r"^::([\w-]+)", left.log, re.MULTILINE)
    assert commands == ["stop-commands", stop[1]]


INJECTION = '"; touch pwned; $(touch pwned) `touch pwned`\nb=c'


@needs_bash
@pytest.mark.parametrize("name", ["paths", "traces", "since", "fail_on", "reports", "args"])
def test_no_input_is_run_or_becomes_an_output(runner: Runner, name: str) -> None:
    left = runner(**{"paths": "apps", name: INJECTION})
    assert "b" not in left.outputs
    assert not list(runner.workspace.rglob("pwned"))
    assert not (runner.temp / "pwned").exists()


@needs_bash
@pytest.mark.parametrize("since", ["--upload-pack=touch pwned", "-x"])
def test_an_option_is_no_revision(runner: Runner, since: str) -> None:
    left = runner(paths="apps", since=since)
    assert left.code == 2
    assert "since must name a revision" in left.log
    assert not list(runner.workspace.rglob("pwned"))


def git(folder: Path, *args: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@t.example", "-C", str(folder), *args]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def forge(tmp_path: Path, workspace: Path) -> Path:
    """A repository whose branch `change` adds a fault to the one of `main`."""
    git(tmp_path, "init", "-q", "-b", "main", "work")
    git(workspace, "add", ".")
    git(workspace, "commit", "-q", "-m", "old")
    git(workspace, "switch", "-q", "-c", "change")
    write(workspace, **{"apps/new": LOOP})
    git(workspace, "add", ".")
    git(workspace, "commit", "-q", "-m", "new")
    return workspace


@needs_bash
@needs_git
@pytest.mark.parametrize("depth", [(), ("--depth=1",)])
@pytest.mark.parametrize("since", ["base", "main"])
def test_a_pull_request_can_be_held_to_what_it_changes(
    forge: Path, tmp_path: Path, depth: tuple[str, ...], since: str
) -> None:
    if "--since" not in agentcheck("scan", "--help").out:
        pytest.skip("scan has no --since")
    git(tmp_path, "clone", "-q", *depth, "-b", "change", forge.as_uri(), "copy")
    base = git(forge, "rev-parse", "main")
    left = Runner(tmp_path, tmp_path / "copy")(base, paths="apps", since=since, args=ONE)
    assert left.code == 1, left.log
    assert left.outputs["findings"] == "1"
    assert "file=apps/new.py" in left.log
    assert "file=apps/bot.py" not in left.log


@needs_bash
@needs_git
def test_without_a_pull_request_everything_is_looked_at(forge: Path, tmp_path: Path) -> None:
    left = Runner(tmp_path, forge)(paths="apps", since="base", args=ONE)
    assert (left.code, left.outputs["findings"]) == (1, "2")


@needs_bash
@pytest.mark.skipif(
    "AGENTCHECK_INSTALLS" not in os.environ,
    reason="installs an environment; set AGENTCHECK_INSTALLS=1 to run it",
)
def test_it_is_installed_from_its_own_checkout(runner: Runner) -> None:
    step = next(step for step in STEPS if step.get("name") == "Install agentcheck")
    done = runner.script(step, {"inputs.working-directory": "."})
    if done.returncode and re.search(
        "No matching distribution|ConnectionError|timed out", done.stdout
    ):
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stdout
    variable, _, tools = runner.files["GITHUB_ENV"].read_text("utf-8").strip().partition("=")
    assert variable == "AGENTCHECK_BIN"
    told = subprocess.run(
        [f"{tools}/agentcheck", "rule", "unbounded-loop"],
        capture_output=True, text=True, check=True, cwd=runner.temp,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )  # fmt: skip
    assert "AC101" in told.stdout


# What is written


def test_no_expression_stands_in_a_script() -> None:
    assert [step["run"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_what_it_uses_is_pinned_by_hash_with_the_release_beside_it() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    used = re.findall(r"uses: (.+)", text)
    assert len(used) == 3
    for line in used:
        assert re.fullmatch(r"[\w-]+(?:/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)


def test_reports_are_uploaded_before_the_job_fails() -> None:
    names = [step.get("name") for step in STEPS]
    assert names[-3:] == ["Upload SARIF", "Keep the reports", "Fail for findings"]
    assert all("always()" in step["if"] for step in STEPS[-2:])


def test_every_input_and_output_is_described_and_used() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name, of in ACTION["inputs"].items():
        assert of["description"]
        assert isinstance(of["default"], str)
        assert f"inputs.{name}" in text
    outputs = set(re.findall(r"steps\.scan\.outputs\.([\w-]+)", text))
    written = set(re.findall(r'echo "([\w-]+)=', STEPS[2]["run"]))
    assert outputs == written == set(ACTION["outputs"])


WORKFLOW = """\
name: audit
on: pull_request
permissions:
  contents: read
jobs:
  audit:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write
    steps:
      - uses: actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2
      - id: audit
        uses: ./agentcheck
        with:
          paths: services/desk
          since: base
      - run: echo "$FINDINGS in $PAGE"
        env:
          FINDINGS: ${{ steps.audit.outputs.findings }}
          PAGE: ${{ steps.audit.outputs.html-file }}
"""


@pytest.mark.skipif(
    ACTIONLINT is None, reason="no actionlint is installed, nor named by ACTIONLINT"
)
def test_actionlint_has_nothing_to_say_of_it_and_of_a_workflow_that_uses_it(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    flow = tmp_path / ".github" / "workflows" / "audit.yml"
    flow.parent.mkdir(parents=True)
    (tmp_path / "agentcheck").mkdir()
    shutil.copy(ROOT / "action.yml", tmp_path / "agentcheck")
    for text, code in ((WORKFLOW, 0), (WORKFLOW.replace("since:", "sinse:"), 1)):
        flow.write_text(text)
        done = subprocess.run(
            [str(ACTIONLINT)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout


@pytest.mark.skipif(
    SHELLCHECK is None, reason="no shellcheck is installed, nor named by SHELLCHECK"
)
def test_shellcheck_has_nothing_to_say_of_its_scripts() -> None:
    for step in STEPS:
        if "run" in step:
            done = subprocess.run(
                [str(SHELLCHECK), "--shell=bash", "-"],
                input=step["run"], capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.stdout == ""
