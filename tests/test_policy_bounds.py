"""What bounds a condition, and what is wrong with a policy, in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.policy_samples import asked, policy_in, ruled

from agentcheck.model.errors import UsageError
from agentcheck.whatif.policy.decide import Call

pytest.importorskip("cel_expr_python", reason="conditions need the extra policy")


@pytest.mark.parametrize(
    "arguments",
    [
        {"xs": list(range(500))},
        {"xs": ["a" * 100_000] * 3},
        {"xs": [2**70]},
        {"xs": [[[[1]] * 150] * 150]},
    ],
    ids=["too many steps", "too many characters", "a number too large", "too many values"],
)
def test_a_condition_stays_within_bounds_whatever_the_arguments(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    policy = ruled(tmp_path, "  - {name: r, require: 'args.xs.all(x, args.xs.all(y, x == x))'}\n")
    decision = asked(policy, "pay", arguments)
    assert decision.outcome == "human"
    assert "cannot be evaluated" in decision.reasons[0].text


MANY = list(range(9_000))
LONG = "ab" * 40_000


@pytest.mark.parametrize(
    ("require", "arguments"),
    [
        ("args.xs.all(x, !args.text.contains(args.part))", {"xs": MANY, "part": "ab" * 9_000}),
        ("args.xs.map(x, args.text + args.text).size() > 0", {"xs": MANY}),
        ("args.xs.all(x, args.xs == args.xs)", {"xs": MANY}),
        ("!args.text.matches(args.part)", {"part": "[ab]*a[ab]{900}c"}),
        ("!args.text.matches('[ab]*a(([ab]{9}){9}){9}c')", {}),
        ("true // '\n && args.xs.all(x, !args.text.contains(args.part))", {"xs": MANY}),
    ],
    ids=[
        "search",
        "memory",
        "values",
        "pattern of the call",
        "wide pattern",
        "a quote that hides it",
    ],
)
def test_a_condition_that_could_run_for_long_asks_a_person_and_is_not_begun(
    tmp_path: Path, require: str, arguments: dict[str, Any]
) -> None:
    policy = ruled(tmp_path, f"  - {{name: r, require: {json.dumps(require)}}}\n")
    decision = asked(policy, "pay", {"text": LONG, "part": "b", **arguments})
    assert decision.outcome == "human"
    assert "too large to evaluate" in decision.reasons[0].text


@pytest.mark.parametrize(
    "require",
    [
        "args.to.all(t, t.endsWith('@shop.example'))",
        "!args.text.contains('BEGIN PRIVATE KEY') && !args.text.contains('password')",
        "!args.text.matches('[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}')",
        "size(args.to) < 4 && args.to.exists(t, t in ['a@shop.example', 'b@shop.example'])",
    ],
)
def test_a_condition_on_a_long_mail_is_evaluated(tmp_path: Path, require: str) -> None:
    policy = ruled(tmp_path, f"  - {{name: r, require: {json.dumps(require)}}}\n")
    mail = {"to": ["a@shop.example", "b@shop.example"], "text": LONG}
    assert asked(policy, "pay", mail).outcome == "approve"


def test_arguments_nested_too_deeply_for_a_condition_ask_a_person(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    policy = ruled(tmp_path, "  - {name: r, require: has(args.x)}\n")
    assert policy.decide(Call("pay", {"x": deep})).outcome == "human"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version: 2\n", "version: expected 1"),
        ("version: 1\ntool: {}\n", 'tool: unknown key; did you mean "tools"?'),
        ("version: 1\ntools: {a: {ask: sometimes}}\n", "tools.a.ask: expected 'never'"),
        ("version: 1\ntools: {a: {asks: never}}\n", 'did you mean "ask"?'),
        ("version: 1\nrules: [{name: r}]\n", "rules[0].require: this key is missing"),
        ("version: 1\nrules: [{name: r, require: 'args.x +'}]\n", "no CEL expression"),
        ("version: 1\nrules: [{name: r, require: nope > 1}]\n", "undeclared reference"),
        ("version: 1\nrules: [{name: r, require: '''x'''}]\n", "gives string, not true or false"),
        ("version: 1\nconstitution: {severities: {no-mass-mial: off}}\n", "did you mean"),
        ("version: 1\nconstitution: {more: [{name: a, pattern: '('}]}\n", "no pattern of RE2"),
        (
            "version: 1\nrules:\n- {name: r, require: 'true'}\n- {name: r, require: 'true'}\n",
            'two rules are called "r"',
        ),
        ("- a\n", "expected a mapping"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said_in_one_line(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        policy_in(tmp_path, text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tenants: {acme: {allow: [pya]}}\n", 'tenants.acme.allow: no tool "pya"; did you mean'),
        ("tenants: {acme: {ask: pya}}\n", 'tenants.acme.ask: no tool "pya"; did you mean "pay"?'),
        ("rules: [{name: r, tools: pya, require: 'true'}]\n", 'rules: r.tools: no tool "pya"'),
        ("rules: [{name: r, tenants: amce, require: 'true'}]\n", 'r.tenants: no tenant "amce"'),
    ],
)
def test_a_name_that_the_policy_does_not_know_is_an_error(
    tmp_path: Path, text: str, told: str
) -> None:
    tools = "version: 1\ntools: {pay: {ask: never}, look: {ask: never}}\n"
    with pytest.raises(UsageError) as caught:
        policy_in(tmp_path, tools + text)
    assert told in str(caught.value)


def test_a_pattern_of_names_and_tools_that_a_person_is_asked_about_may_be_unknown(
    tmp_path: Path,
) -> None:
    later = "version: 1\ntools: {pay: {}}\ntenants: {acme: {allow: ['send_*', 'pay']}}\n"
    assert asked(policy_in(tmp_path, later), "pay", {}, tenant="acme").outcome == "human"
    rule = "rules: [{name: r, tools: shell, require: 'false', on_fail: reject}]\n"
    policy = policy_in(tmp_path, f"version: 1\nunknown_tools: human\n{rule}")
    assert asked(policy, "shell", {}).outcome == "reject"
    assert asked(policy, "other", {}).outcome == "human"
