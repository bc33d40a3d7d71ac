"""What the README shows is what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.command_line import agentcheck

from agentcheck.rule import load_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_finding_shown_whole_is_what_the_command_prints() -> None:
    block = re.search(r"^```console\n\$ agentcheck ([^\n]+)\n(.+?)^```$", README, re.M | re.S)
    assert block is not None
    done = agentcheck(*shlex.split(block[1]), "--isolated", cwd=ROOT)
    assert done.code == 1, done.err
    assert done.out.startswith(block[2].rstrip("\n"))


def test_every_file_the_readme_names_is_there() -> None:
    named = set(re.findall(r"`((?:analyzer|docs|fixtures|benchmarks)/[\w./-]+)`", README))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_counts_of_rules_and_sdks_are_those_of_today() -> None:
    rules = load_rules()
    code = sum(rule.check is not None for rule in rules)
    runs = sum(rule.check_run is not None for rule in rules)
    both = code + runs - len(rules)
    said = (
        f"lists the {len(rules)} rules: {code} are asked of code, {runs} of recorded runs, "
        f"{both} of both"
    )
    assert said in " ".join(README.split())
    data = ROOT / "analyzer/agentcheck/frameworks/data"
    assert f"shows all {len(list(data.glob('*.toml')))} as tables" in " ".join(README.split())
