"""Rules asked in several processes say what they say in one."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentcheck.cli.app import app
from agentcheck.rule import Rule, load_rules
from agentcheck.run.apart import ask_apart
from agentcheck.run.forked import in_turns
from agentcheck.run.told import Told

AGENTS = Path(__file__).parent.parent / "fixtures" / "agents"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes share by forking on Linux")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """One program that is worth several processes for the number of its lines."""
    shutil.copytree(AGENTS, tmp_path / "large")
    modules = sorted(f"{p.parent.name}.{p.stem}" for p in AGENTS.glob("*/*.py"))
    joined = "".join(f"import {module}\n" for module in modules)
    (tmp_path / "large" / "padding.py").write_text(joined + "#\n" * 70_000)
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
def test_a_rule_whose_process_dies_is_asked_here(tmp_path: Path) -> None:
    here, mark = os.getpid(), tmp_path / "taken"
    asked = list[str]()

    def ask(rules: Sequence[Rule]) -> Told:
        (rule,) = rules
        if os.getpid() != here:
            mark.write_text(rule.name)
            os.kill(os.getpid(), signal.SIGKILL)
        while not mark.exists():  # or this process would be done before the other has begun
            time.sleep(0.01)
        asked.append(rule.name)
        return Told([], {}, texts=(rule.name,))

    rules = [rule for rule in load_rules() if rule.check]
    told = list(ask_apart(rules, ask, 2))
    assert [name for one in told for name in one.texts] == [rule.name for rule in rules]
    assert mark.read_text() in asked
    assert len(asked) == len(set(asked)) == len(rules)


@LINUX
def test_processes_begin_at_either_end() -> None:
    here = os.getpid()

    def work(number: int) -> bytes:
        time.sleep(0.01)
        return b"here" if os.getpid() == here else b"there"

    done = in_turns(work, 40, 2)
    assert done[0] == b"here"
    assert done[-1] == b"there"
    assert done == sorted(done, key=lambda where: where != b"here")
