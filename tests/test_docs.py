"""The generated pages are those that the rules and the data give today."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from agentcheck.rule import Rule, load_rules
from agentcheck.rule.examples import LONGEST, examples_of

DOCS = Path(__file__).parent.parent / "docs"
RULES = [pytest.param(rule, id=rule.name) for rule in load_rules()]


def test_no_page_is_stale() -> None:
    build = runpy.run_path(str(DOCS / "build.py"))
    assert build["stale"](build["pages"]()) == [], "run `python docs/build.py`"


def test_a_changed_page_is_called_stale() -> None:
    build = runpy.run_path(str(DOCS / "build.py"))
    made = build["pages"]()
    before = set(build["stale"](made))
    made["rules.md"] += "one more line"
    del made["rules/unbounded-loop.md"]
    assert set(build["stale"](made)) - before == {"rules.md", "rules/unbounded-loop.md"}


@pytest.mark.parametrize("rule", RULES)
def test_a_page_shows_what_is_reported_and_what_is_not(rule: Rule) -> None:
    examples = examples_of(rule)
    assert {example.verdict for example in examples} == {"bad", "good"}
    for example in examples:
        assert example.text.strip()
        assert len(example.text.splitlines()) <= LONGEST + 4
        assert "# expect:" not in example.text
        assert "# ok:" not in example.text
