"""The page about policies: its examples work, and its table is the constitution's."""

from __future__ import annotations

import re
from pathlib import Path

from agentcheck.expect.yaml12 import parse
from agentcheck.whatif.policy.check import check_policy_cases
from agentcheck.whatif.policy.constitution import constitution
from agentcheck.whatif.policy.form import ConstitutionForm, PolicyForm, RuleForm, ToolForm

PAGE = (Path(__file__).parent.parent / "docs/what-if/policy.md").read_text("utf-8")
POLICY, CASES = re.findall(r"```yaml\n(.+?)```", PAGE, re.DOTALL)


def test_the_cases_of_the_page_pass_under_its_policy(tmp_path: Path) -> None:
    policy, cases = tmp_path / "policy.yaml", tmp_path / "cases.yaml"
    policy.write_text(POLICY, "utf-8")
    cases.write_text(CASES, "utf-8")
    outcomes = check_policy_cases(str(policy), str(cases))
    assert len(outcomes) == len(parse(CASES)["cases"])
    assert [case.missed for case in outcomes if case.missed] == []


def test_the_table_of_text_rules_is_that_of_the_constitution() -> None:
    told = re.findall(r"^\| `(no-[\w-]+)`( \(warn\))? \| (.+) \|$", PAGE, re.MULTILINE)
    assert told == [
        (rule.name, " (warn)" if rule.severity == "warn" else "", rule.says)
        for rule in constitution()
    ]


def test_every_key_that_the_page_names_can_be_written() -> None:
    keys = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    forms = (PolicyForm, ToolForm, RuleForm, ConstitutionForm)
    assert keys <= {key for form in forms for key in form.model_fields}
