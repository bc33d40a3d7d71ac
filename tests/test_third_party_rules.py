"""A package that brings a rule of its own: built, installed and used as a stranger would."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import Done

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "fixtures" / "packages" / "agentcheck_example_rule"
FIXTURE = EXAMPLE / "fixtures" / "rules" / "tool_name_off_pattern.py"
RULE = "tool-name-off-pattern"
NEEDED = ("pip", "hatchling")

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason="pip and hatchling build the wheel, and one of them is not installed",
    ),
    pytest.mark.xdist_group("third-party-rules"),
]


def python(*args: str | Path, path: Path | None = None) -> Done:
    """Run this Python with the packages of a folder before its own."""
    seen = [str(path)] if path else []
    done = subprocess.run(
        [sys.executable, "-B", *map(str, args)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*seen, *sys.path])},
    )
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the example's wheel is installed into."""
    work = tmp_path_factory.mktemp("example")
    source = shutil.copytree(EXAMPLE, work / "source")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
    built = python("-m", "pip", "wheel", *quiet, "--no-build-isolation", "-w", work, source)
    assert built.code == 0, built.err
    (wheel,) = work.glob("*.whl")
    target = work / "site"
    done = python("-m", "pip", "install", *quiet, "--target", target, wheel)
    assert done.code == 0, done.err
    return target


def test_the_rule_is_listed_and_explained_with_its_own_examples(installed: Path) -> None:
    listed = python("-m", "agentcheck", "rule", path=installed).out
    assert re.search(rf"^EX101  {RULE} ", listed, re.MULTILINE)
    page = python("-m", "agentcheck", "rule", RULE, path=installed).out
    assert "def lookup(order: str) -> str:  # reported" in page
    assert "def find_order(order: str) -> str:  # not reported" in page
    assert "- `pattern`: What the whole name of a tool must match." in page


@pytest.mark.parametrize("selector", [RULE, "EX101", "EX", "naming"])
def test_a_scan_reports_the_marked_lines_and_no_other(installed: Path, selector: str) -> None:
    command = ("-m", "agentcheck", "scan", FIXTURE, "--isolated", "--select", selector)
    done = python(*command, "--output-format", "json", path=installed)
    assert done.code == 1, done.err
    lines = FIXTURE.read_text("utf-8").splitlines()
    marked = [n for n, text in enumerate(lines, 1) if f"# expect: {RULE}" in text]
    findings = json.loads(done.out)["findings"]
    assert [(f["rule"], f["evidence"][0]["line"]) for f in findings] == [(RULE, n) for n in marked]


def test_its_options_are_read_from_the_configuration(installed: Path, tmp_path: Path) -> None:
    config = tmp_path / "agentcheck.toml"
    command = ("-m", "agentcheck", "scan", FIXTURE, "--config", config, "--select", RULE)
    config.write_text(f'[rules.{RULE}]\npattern = "[a-z_]+"\n', "utf-8")
    assert python(*command, path=installed).code == 0
    config.write_text(f'[rules.{RULE}]\npatern = "[a-z_]+"\n', "utf-8")
    wrong = python(*command, path=installed)
    assert wrong.code == 2
    assert wrong.error.endswith(f'rules.{RULE}: unknown key "patern"; did you mean "pattern"?')
    shown = python("-m", "agentcheck", "config", f"rules.{RULE}.pattern", path=installed).out
    assert 'Default: "[a-z]+(_[a-z]+)+"' in shown


def test_the_tests_of_the_package_pass(installed: Path) -> None:
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLE / "tests", path=installed)
    assert done.code == 0, done.out


def test_without_the_package_there_is_no_such_rule() -> None:
    done = python("-m", "agentcheck", "rule", RULE)
    assert done.code == 2
    assert "no rule is called" in done.error
