"""Rules asked in several processes say what they say in one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentcheck.cli.app import app
from agentcheck.rule import Rule, load_rules
from agentcheck.run.apart import ask_apart
from agentcheck.run.told import Told

AGENTS = Path(__file__).parent.parent / "fixtures" / "agents"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes share by forking on Linux")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A target that is worth several processes for the number of its lines."""
    shutil.copytree(AGENTS, tmp_path / "large")
    (tmp_path / "large" / "padding.py").write_text("#\n" * 70_000)
    return tmp_path / "large"


def report(target: Path, jobs: int) -> dict[str, Any]:
    options = ["--no-cache", "--persona", "auditor", "--output-format", "json"]
    told = CliRunner().invoke(app, ["scan", str(target), "--jobs", str(jobs), *options])
    found: dict[str, Any] = json.loads(told.stdout)
    del found["summary"]["seconds"]
    return found


@LINUX
def test_two_processes_report_what_one_does(large: Path) -> None:
    apart = report(large, 2)
    assert apart == report(large, 1)
    assert len(apart["assessments"]) > 20


@LINUX
def test_a_family_whose_process_dies_is_asked_here() -> None:
    here = os.getpid()
    asked = list[str]()

    def ask(rules: Sequence[Rule]) -> Told:
        if os.getpid() != here and rules[0].family == "limits":
            os.kill(os.getpid(), signal.SIGKILL)
        if os.getpid() == here:
            asked.extend(rule.family for rule in rules)
        return Told([], {}, texts=tuple(rule.name for rule in rules))

    rules = [rule for rule in load_rules() if rule.check]
    told = list(ask_apart(rules, ask, 2))
    assert [name for one in told for name in one.texts] == [rule.name for rule in rules]
    assert set(asked) == {"limits"}
