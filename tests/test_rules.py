"""Every rule against its fixture: what is marked fires, and nothing else does.

A fixture is `fixtures/rules/<rule>.py`, or a folder of that name with several files. Marks stand
at the end of the very line:

    # expect: rule-name     the primary line of a finding
    # evidence: rule-name   a further line of evidence
    # ok: rule-name         a near miss, which must stay silent
    # missed: rule-name     a fault that the rule does not see yet

A rule that reads recorded runs has runs in the folder: every `bad*.jsonl` gives a finding, no
`ok*.jsonl` does; an `agentcheck.toml` beside them holds their `[trace]` settings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import pytest

from agentcheck.config import load_settings
from agentcheck.model.assessment import CodeEvidence
from agentcheck.model.finding import Finding
from agentcheck.rule import Rule, load_rules
from agentcheck.run import Request, run

FIXTURES = Path(__file__).parent.parent / "fixtures" / "rules"
MARK = re.compile(r"#\s*(expect|evidence|ok|missed):\s*([a-z][a-z-]*(?:\s*,\s*[a-z][a-z-]*)*)")
RULES = load_rules()
Line: TypeAlias = tuple[str, int]


def stem(rule: Rule) -> str:
    return rule.name.replace("-", "_")


def code_fixture(rule: Rule) -> Path:
    file = FIXTURES / f"{stem(rule)}.py"
    return file if file.exists() else FIXTURES / stem(rule)


def marks(fixture: Path, rule: Rule) -> dict[str, set[Line]]:
    """The marked lines of a rule by kind of mark."""
    found: dict[str, set[Line]] = defaultdict(set)
    root = fixture if fixture.is_dir() else fixture.parent
    for path in sorted(fixture.rglob("*.py")) if fixture.is_dir() else [fixture]:
        for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
            for kind, names in MARK.findall(text):
                if rule.name in re.split(r"\s*,\s*", names):
                    found[kind].add((path.relative_to(root).as_posix(), number))
    return found


def findings(rule: Rule, *, code: Path | None = None, trace: Path | None = None) -> list[Finding]:
    """What the rule alone reports through the whole pipeline."""
    folder = next(path.parent for path in (trace, code) if path)
    config = folder / "agentcheck.toml"
    flags = {"select": [rule.name], "persona": "auditor"}
    settings = load_settings(folder, config=config, flags=flags) if config.exists() else None
    request = Request(
        paths=(str(code),) if code else (), traces=(str(trace),) if trace else (), jobs=1
    )
    report = run(request, settings or load_settings(folder, isolated=True, flags=flags))
    assert not report.skipped
    return list(report.findings)


def line(evidence: CodeEvidence) -> Line:
    return evidence.file, evidence.line


CODE_RULES = [pytest.param(rule, id=rule.name) for rule in RULES if rule.check]
RUN_RULES = [pytest.param(rule, id=rule.name) for rule in RULES if rule.check_run]


@pytest.fixture(autouse=True)
def failures_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTCHECK_TRACEBACK", "1")


@pytest.mark.parametrize("rule", CODE_RULES)
def test_marked_lines_fire_and_no_other_line_does(rule: Rule) -> None:
    fixture = code_fixture(rule)
    assert fixture.exists(), f"{rule.name} has no fixture"
    marked = marks(fixture, rule)
    assert marked["expect"], "mark at least one line with expect"
    assert marked["ok"], "mark at least one near miss with ok"
    reported = findings(rule, code=fixture)
    evidence = [e for f in reported for e in f.evidence if isinstance(e, CodeEvidence)]
    fired = {line(f.primary) for f in reported if isinstance(f.primary, CodeEvidence)}
    assert sorted(fired - marked["expect"]) == [], "fired and not marked"
    assert sorted(marked["expect"] - fired) == [], "marked and silent"
    assert not fired & marked["missed"], "seen now: mark it with expect"
    assert marked["evidence"] <= {line(e) for e in evidence}


@pytest.mark.parametrize("rule", RUN_RULES)
def test_bad_runs_are_reported_and_good_ones_are_not(rule: Rule) -> None:
    folder = FIXTURES / stem(rule)
    bad, good = sorted(folder.glob("bad*.json*")), sorted(folder.glob("ok*.json*"))
    assert bad, f"{rule.name} reads runs: {folder.name}/bad.jsonl is missing"
    assert good, f"{rule.name} reads runs: {folder.name}/ok.jsonl is missing"
    for path in bad:
        assert findings(rule, trace=path), f"{path.name} shows the fault"
    for path in good:
        assert findings(rule, trace=path) == [], f"{path.name} is a near miss"


def test_every_fixture_belongs_to_a_rule() -> None:
    known = {stem(rule) for rule in RULES}
    found = {path.stem for path in FIXTURES.iterdir() if not path.name.startswith(("_", "."))}
    assert found <= known


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES])
def test_a_rule_explains_itself(rule: Rule) -> None:
    card = rule.card
    said = (
        card.title,
        card.at_stake,
        card.consequence,
        card.owner,
        card.smallest_change,
        card.could_break,
        card.acceptance,
    )
    assert all(text.strip() for text in said)
    assert card.question.endswith("?")
    assert re.fullmatch(r"AC[1-9]\d\d", card.code)
    assert len(rule.doc.strip().splitlines()) > 1, "the docstring is the manual page"
