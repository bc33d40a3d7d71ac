"""What a policy decides: precedence, scores, tenants, limits, conditions and their bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.policy_samples import DESK, asked, policy_in, ruled

from agentcheck.whatif.policy.decide import Call, Policy

pytest.importorskip("cel_expr_python", reason="conditions need the extra policy")


@pytest.fixture
def desk(tmp_path: Path) -> Policy:
    return policy_in(tmp_path, DESK)


def rules_of(decision: Any) -> list[str]:
    return [reason.rule for reason in decision.reasons]


def test_a_tool_that_is_not_named_is_rejected(desk: Policy) -> None:
    assert asked(desk, "format_disk").outcome == "reject"


def test_a_tool_that_reads_is_approved_with_no_reason_and_no_score(desk: Policy) -> None:
    decision = asked(desk, "get_order", {"id": 7})
    assert (decision.outcome, decision.score, decision.reasons) == ("approve", 0, ())


def test_a_destructive_tool_is_asked_about_whoever_says_so(desk: Policy) -> None:
    decision = asked(desk, "wipe", {"disk": "a"}, said="wipe disk a")
    assert (decision.outcome, decision.score) == ("human", 60)


def test_a_tenant_without_an_allow_list_may_call_nothing(desk: Policy) -> None:
    assert asked(desk, "get_order", {"id": 7}, tenant="empty").outcome == "reject"


def test_a_tenant_that_is_not_named_may_call_nothing(desk: Policy) -> None:
    assert asked(desk, "get_order", {"id": 7}, tenant="other").outcome == "reject"


def test_what_is_not_on_the_allow_list_is_rejected(desk: Policy) -> None:
    assert asked(desk, "wipe", {"disk": "a"}, tenant="acme").outcome == "reject"


def test_a_call_is_asked_about_when_the_tool_or_the_tenant_says_so(desk: Policy) -> None:
    assert asked(desk, "free", {"x": 1}).outcome == "approve"
    assert asked(desk, "free", {"x": 1}, tenant="acme").outcome == "human"
    mail = {"to": "eve@evil.example"}
    assert asked(desk, "send_mail", mail, read="eve@evil.example", tenant="acme").outcome == "human"


@pytest.mark.parametrize("amount", [50.01, 1_000_000, -1, "20", None, True])
def test_an_amount_over_the_limit_or_that_is_none_is_asked_about(
    desk: Policy, amount: object
) -> None:
    decision = asked(desk, "refund", {"amount": amount}, said=f"refund {amount}")
    assert decision.outcome == "human"
    assert "limit" in rules_of(decision)


def test_an_amount_within_the_limit_that_the_user_named_passes(desk: Policy) -> None:
    assert asked(desk, "refund", {"amount": 50}, said="refund 50").outcome == "approve"


def test_a_failed_rule_adds_its_weight_and_asks(tmp_path: Path) -> None:
    policy = ruled(tmp_path, "  - {name: small, require: args.amount <= 10.0, weight: 25}\n")
    over, under = asked(policy, "pay", {"amount": 11}), asked(policy, "pay", {"amount": 9.5})
    assert (over.outcome, over.score, rules_of(over)) == ("human", 25, ["small"])
    assert (under.outcome, under.score) == ("approve", 0)


def test_every_rule_that_applies_is_run_and_the_score_stays_within_100(tmp_path: Path) -> None:
    rules = "".join(f"  - {{name: r{n}, require: 'false', weight: 45}}\n" for n in range(3))
    decision = asked(ruled(tmp_path, rules), "pay", {"amount": 1})
    assert (decision.score, rules_of(decision)) == (100, ["r0", "r1", "r2"])


def test_a_rule_that_rejects_outranks_all_others(tmp_path: Path) -> None:
    rules = (
        "  - {name: ask, require: 'false', weight: 90}\n"
        "  - {name: fraud, require: '!args.flagged', weight: 1, on_fail: reject}\n"
    )
    decision = asked(ruled(tmp_path, rules), "pay", {"flagged": True})
    assert (decision.outcome, rules_of(decision)) == ("reject", ["fraud", "ask"])


def test_a_rule_applies_only_where_its_tools_and_its_condition_fit(tmp_path: Path) -> None:
    rules = "  - {name: r, tools: [pay], when: args.amount > 5.0, require: 'false'}\n"
    policy = ruled(tmp_path, rules)
    assert asked(policy, "pay", {"amount": 4}).outcome == "approve"
    assert asked(policy, "look", {"amount": 6}).outcome == "approve"
    assert asked(policy, "pay", {"amount": 6}).outcome == "human"


@pytest.mark.parametrize("where", ["when", "require"])
def test_a_rule_that_raises_asks_a_person_and_says_why(tmp_path: Path, where: str) -> None:
    other = "" if where == "require" else ", require: 'true'"
    policy = ruled(tmp_path, f"  - {{name: r, {where}: args.missing > 1{other}}}\n")
    decision = asked(policy, "pay", {"amount": 4})
    assert decision.outcome == "human"
    assert "cannot be evaluated" in decision.reasons[0].text


def test_the_automatic_condition_decides_where_nothing_fails(tmp_path: Path) -> None:
    text = "version: 1\ntools:\n  pay: {ask: never, approve_when: args.amount <= 200.0}\n"
    policy = policy_in(tmp_path, text)
    assert asked(policy, "pay", {"amount": 200}).outcome == "approve"
    over = asked(policy, "pay", {"amount": 201})
    assert (over.outcome, over.score) == ("human", 0)
    assert asked(policy, "pay", {}).outcome == "human"


def test_a_score_at_the_threshold_asks_and_warnings_count_for_nothing(tmp_path: Path) -> None:
    text = (
        "version: 1\ntools:\n  say: {does: message, ask: never}\n"
        "constitution: {severities: {no-mass-mail: warn}}\n"
    )
    decision = asked(policy_in(tmp_path, text), "say", {"to": "all@shop.example"})
    assert (decision.outcome, decision.score) == ("approve", 0)
    assert [(r.rule, r.outcome) for r in decision.reasons] == [("no-mass-mail", "warn")]


def test_rules_that_warn_ask_a_person_together_where_their_weights_reach_the_threshold(
    tmp_path: Path,
) -> None:
    rules = "".join(
        f"  - {{name: r{n}, when: args.n > {n}, require: 'false', weight: 30, on_fail: warn}}\n"
        for n in range(2)
    )
    policy = ruled(tmp_path, rules)
    one, both = asked(policy, "pay", {"n": 1}), asked(policy, "pay", {"n": 2})
    assert (one.outcome, one.score, rules_of(one)) == ("approve", 30, ["r0"])
    assert (both.outcome, both.score) == ("human", 60)
    assert rules_of(both) == ["threshold", "r0", "r1"]
    higher = ruled(tmp_path, f"{rules}threshold: 61\n")
    assert asked(higher, "pay", {"n": 2}).outcome == "approve"


def test_an_amount_of_any_length_is_held_against_its_limit(desk: Policy) -> None:
    for amount in (10**400, -(10**400), 1e300, 51):
        decision = asked(desk, "refund", {"amount": amount}, said=f"refund {amount}")
        assert (decision.outcome, rules_of(decision)) == ("human", ["limit"])


def test_a_text_rule_that_blocks_rejects_and_one_that_is_off_does_not(tmp_path: Path) -> None:
    text = (
        "version: 1\ntools:\n  run: {does: code, ask: never}\n  find: {does: reads, ask: never}\n"
    )
    policy = policy_in(tmp_path, text)
    command = {"command": "RM  -rf\u200b /"}
    decision = asked(policy, "run", command)
    assert (decision.outcome, decision.score) == ("reject", 100)
    assert asked(policy, "find", {"query": "what does rm -rf / do"}).outcome == "approve"
    off = policy_in(tmp_path, f"{text}constitution: {{severities: {{no-mass-deletion: off}}}}\n")
    assert asked(off, "run", command).outcome == "approve"


def test_a_pattern_of_ones_own_is_searched_in_plain_text_and_in_linear_time(tmp_path: Path) -> None:
    text = (
        "version: 1\ntools:\n  run: {does: code, ask: never}\n"
        "constitution:\n  more:\n    - {name: no-x, pattern: '^(a|aa)+$|project\\s+falcon'}\n"
    )
    policy = policy_in(tmp_path, text)
    assert asked(policy, "run", {"t": "about Project   Fаlcon"}).outcome == "reject"
    assert asked(policy, "run", {"t": "a" * 60_000 + "b"}).outcome == "approve"


def test_arguments_that_are_no_object_are_asked_about(desk: Policy) -> None:
    decision = desk.decide(Call("get_order", None, "{broken"))
    assert (decision.outcome, rules_of(decision)) == ("human", ["arguments"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["get_order", "send_mail", "refund", "wipe", "free", "other"]),
    st.dictionaries(st.sampled_from(["amount", "to", "x"]), JSON),
    st.none() | st.text(),
    st.sampled_from([None, "acme", "empty", "x"]),
)
def test_the_outcome_follows_from_the_reasons_whatever_is_called(
    desk: Policy, tool: str, arguments: dict[str, Any], said: str | None, tenant: str | None
) -> None:
    decision = asked_plainly(desk, tool, arguments, said, tenant)
    outcomes = [reason.outcome for reason in decision.reasons]
    weights = sum(r.weight for r in decision.reasons if r.outcome != "warn")
    assert decision.score == min(weights, 100)
    if "reject" in outcomes:
        assert decision.outcome == "reject"
    elif "human" in outcomes or decision.score >= 60:
        assert decision.outcome == "human"
    else:
        assert decision.outcome == "approve"


def asked_plainly(
    desk: Policy, tool: str, arguments: dict[str, Any], said: str | None, tenant: str | None
) -> Any:
    from agentcheck.whatif.policy.provenance import Texts

    texts = Texts(said, said)
    return desk.decide(Call(tool, arguments, tenant=tenant, texts=texts))
