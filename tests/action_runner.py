"""GitHub's runner, as far as the action of this project needs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
BASH = shutil.which("bash")
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


class Left(NamedTuple):
    """What the action leaves: the job's exit code, its log, its outputs and its summary."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


class Runner:
    """Runs the steps that are scripts, as `shell: bash` is run, and passes by the others.

    `agentcheck` is that of this checkout: the step that installs it is tested by itself.
    """

    def __init__(self, folder: Path, workspace: Path) -> None:
        self.workspace = workspace
        self.temp = folder / "runner temp"
        self.temp.mkdir()
        self.files = {
            f"GITHUB_{name}": self.temp / name.lower()
            for name in ("ENV", "OUTPUT", "PATH", "STEP_SUMMARY")
        }
        for path in self.files.values():
            path.touch()
        tools = self.temp / "bin"
        tools.mkdir()
        for name, command in (("python", ""), ("agentcheck", " -m agentcheck")):
            tool = tools / name
            tool.write_text(
                f'#!/bin/sh\nPYTHONPATH="{os.pathsep.join(sys.path)}" '
                f'exec "{sys.executable}"{command} "$@"\n'
            )
            tool.chmod(0o755)
        self.variables = {"AGENTCHECK_BIN": str(tools)}

    def __call__(self, base: str = "", **given: str) -> Left:
        known = {f"inputs.{name}": str(of["default"]) for name, of in ACTION["inputs"].items()}
        known |= {f"inputs.{name.replace('_', '-')}": value for name, value in given.items()}
        known["github.event.pull_request.base.sha"] = base
        code, log = 0, ""
        for step in STEPS:
            if step.get("name") == "Install agentcheck" or "run" not in step:
                continue
            if code and "always()" not in step.get("if", ""):
                continue
            done = self.script(step, known)
            log += done.stdout
            code = code or done.returncode
            known |= {f"steps.scan.outputs.{key}": value for key, value in self.outputs().items()}
        summary = self.files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        return Left(code, log, self.outputs(), summary)

    def script(
        self, step: dict[str, Any], known: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        values = {
            name: EXPRESSION.sub(lambda match: known.get(match[1], ""), value)
            for name, value in step.get("env", {}).items()
        }
        place = self.temp / "script.sh"
        place.write_text(step["run"], "utf-8")
        others = ("GITHUB_", "GIT_", "PYTHONPATH")
        quiet = {k: v for k, v in os.environ.items() if not k.startswith(others)}
        return subprocess.run(
            [str(BASH), "--noprofile", "--norc", "-e", "-o", "pipefail", str(place)],
            cwd=self.workspace / known["inputs.working-directory"],
            env={
                **quiet,
                **self.variables,
                **{name: str(path) for name, path in self.files.items()},
                **values,
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_ACTION_PATH": str(ROOT),
            },
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    def outputs(self) -> dict[str, str]:
        lines = self.files["GITHUB_OUTPUT"].read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)
