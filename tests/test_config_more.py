"""Focus, severities, options of rules and SDKs of one's own, as a scan obeys them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.run_targets import LOOP, configured, only, scan, write

from agentcheck.config import Settings, UsageError
from agentcheck.model.report import Report
from agentcheck.report import render

TOOLS = """\
import httpx
from agents import Agent, function_tool


@function_tool
def send_refund(order):
    httpx.post("https://shop.example/refunds", json=order, timeout=90)


@function_tool
def look_up(order):
    return order


desk = Agent(name="desk", tools=[send_refund, look_up])
"""


def subjects(report: Report, rule: str) -> list[str]:
    return [f.subject for f in report.findings if f.rule == rule]


# Focus


def test_what_was_asked_comes_first_and_is_answered(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP, shop=TOOLS)
    settings = configured(
        tmp_path, 'focus = ["approval", "refunds", "handoff-race", "quantum computing"]'
    )
    report = scan(tmp_path, settings)
    assert report.findings[0].rule == "unguarded-side-effect"
    approval, refunds, race, none = report.asked
    assert approval.about == "approval"
    assert "F1" in approval.findings
    assert "F1" in refunds.findings
    assert race.rules == ("handoff-race",)
    assert race.findings == none.findings == none.rules == ()
    shown = render(report, "full", color="never", width=200)
    assert "asked: handoff-race: nothing found by handoff-race" in shown
    assert "asked: quantum computing: nothing found, and no rule that was asked" in shown
    assert shown.index("unguarded-side-effect") < shown.index("everything else")
    for form in ("markdown", "html"):
        assert "What was asked" in render(report, form)


def test_free_words_are_found_whatever_their_endings(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP, shop=TOOLS)
    report = scan(tmp_path, Settings(focus=("is every loop bounded?",)))
    (asked,) = report.asked
    assert "unbounded-loop" in asked.rules
    assert report.findings[0].rule in asked.rules


def test_numbers_follow_the_order_that_the_focus_makes(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP, shop=TOOLS)
    plain = scan(tmp_path, Settings())
    asked = scan(tmp_path, Settings(focus=("unbounded-loop",)))
    assert [f.id for f in asked.findings] == [f.id for f in plain.findings]
    assert asked.findings[0].rule == "unbounded-loop"
    assert {f.fingerprint for f in asked.findings} == {f.fingerprint for f in plain.findings}


# Severities


@pytest.mark.parametrize("selector", ["unbounded-loop", "AC101", "AC1", "limits", "ALL"])
def test_a_severity_of_ones_own_replaces_the_rules(tmp_path: Path, selector: str) -> None:
    write(tmp_path, bot=LOOP)
    settings = configured(tmp_path, f'select = ["unbounded-loop"]\n[severity]\n{selector} = "info"')
    report = scan(tmp_path, settings)
    assert only(report).severity == "info"
    assert only(report).priority == "leave"
    assert report.questions[0].severity == "info"


def test_the_more_exact_of_two_selectors_gives_the_severity(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    settings = Settings(select=("AC101",), severity={"ALL": "low", "AC101": "high", "AC1": "info"})
    assert only(scan(tmp_path, settings)).severity == "high"


def test_a_severity_for_no_rule_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP)
    settings = configured(tmp_path, '[severity]\nunbounded-lop = "low"')
    with pytest.raises(UsageError, match=r'severity: .*"unbounded-lop"; did you mean "unbounded-l'):
        scan(tmp_path, settings)


# Options of rules


def test_a_time_out_longer_than_allowed_is_reported(tmp_path: Path) -> None:
    write(tmp_path, shop=TOOLS)
    assert subjects(scan(tmp_path, Settings(select=("no-timeout",))), "no-timeout") == []
    settings = configured(tmp_path, 'select = ["no-timeout"]\nrules.no-timeout.most-seconds = 60')
    found = only(scan(tmp_path, settings))
    assert found.message == "`send_refund` waits up to 90 seconds for `httpx.post`; 60 are allowed."
    more = configured(tmp_path, 'select = ["no-timeout"]\nrules.no-timeout.most-seconds = 90.0')
    assert scan(tmp_path, more).findings == ()


def test_tools_are_harmless_or_have_effects_by_configuration(tmp_path: Path) -> None:
    write(tmp_path, shop=TOOLS)
    rule = "unguarded-side-effect"
    assert subjects(scan(tmp_path, Settings(select=(rule,))), rule) == ["send_refund"]
    told = {"harmless-tools": ["send_*"], "effect-tools": ["look_up"]}
    settings = Settings(select=(rule,), rules={rule: told})
    assert subjects(scan(tmp_path, settings), rule) == ["look_up"]


def test_allowed_models_may_be_fixed(tmp_path: Path) -> None:
    write(tmp_path, bot=LOOP.replace('"m"', '"gpt-4o-mini"'))
    rule = "hardcoded-model"
    plain = Settings(select=(rule,), persona="auditor")
    assert subjects(scan(tmp_path, plain), rule) == ["bot.py"]
    allowed = Settings(select=(rule,), persona="auditor", rules={rule: {"allowed": ["gpt-4o*"]}})
    assert subjects(scan(tmp_path, allowed), rule) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "rules.no-timout.x = 1",
            'rules: no rule is called "no-timout"; did you mean "no-timeout"?',
        ),
        (
            "rules.handoff-race.x = 1",
            "rules.handoff-race: the rule has no options; remove the table",
        ),
        (
            "rules.no-timeout.max-seconds = 1",
            'rules.no-timeout: unknown key "max-seconds"; did you mean "most-seconds"?',
        ),
        (
            'rules.no-timeout.most-seconds = "1"',
            "rules.no-timeout.most-seconds: expected `float | null`, got `str`",
        ),
        (
            "rules.no-timeout.most-seconds = 0",
            "rules.no-timeout.most-seconds: expected `float` > 0.0",
        ),
        ("rules.no-timeout = 3", "rules.no-timeout: expected a table"),
    ],
)
def test_a_wrong_option_is_told_with_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    write(tmp_path, bot=LOOP)
    with pytest.raises(UsageError) as caught:
        scan(tmp_path, configured(tmp_path, text))
    assert str(caught.value) == f"{tmp_path / 'agentcheck.toml'}: {expected}"


# SDKs of one's own

WRAPPED = """\
from desk.llm import ask


def answer(messages):
    while True:
        reply = ask(messages)
        if reply["done"]:
            return reply["text"]
        messages.append(reply)
"""
WRAPPER = "def ask(messages):\n    return post(messages)\n"


@pytest.mark.parametrize("name", ["acme", "openai"])
def test_a_wrapper_of_the_target_is_a_model_call_where_the_user_says_so(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path, **{"desk/llm": WRAPPER, "desk/bot": WRAPPED})
    select = 'select = ["unbounded-loop"]\n'
    assert scan(tmp_path, configured(tmp_path, select)).findings == ()
    text = f'{select}[[frameworks.{name}.model_call]]\nfunctions = ["desk.llm.ask"]'
    assert only(scan(tmp_path, configured(tmp_path, text))).subject == "answer"


def test_agents_and_tools_of_an_sdk_of_ones_own_are_known(tmp_path: Path) -> None:
    text = """
    select = ["unguarded-side-effect"]
    [[frameworks.acme-agents.agent]]
    names = ["acme_agents.Worker"]
    tools_keywords = ["skills"]
    name_keyword = "name"
    [[frameworks.acme-agents.tool]]
    decorators = ["acme_agents.skill"]
    """
    code = TOOLS.replace("from agents import Agent, function_tool", "import acme_agents")
    code = code.replace("function_tool", "acme_agents.skill").replace(
        "Agent(", "acme_agents.Worker("
    )
    write(tmp_path, shop=code.replace("tools=", "skills="))
    report = scan(tmp_path, configured(tmp_path, text))
    assert only(report).subject == "send_refund"
    assert (report.profile.agents, report.profile.tools) == (1, 2)
    assert report.profile.frameworks == ("acme-agents",)


def test_entries_for_an_sdk_that_ships_are_added_to_its_own(tmp_path: Path) -> None:
    text = 'select = ["unbounded-loop"]\n[[frameworks.openai.model_call]]\nfunctions = ["x.ask"]'
    write(tmp_path, bot=LOOP)
    assert only(scan(tmp_path, configured(tmp_path, text))).subject == "answer"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "acme.model_calls = []",
            'frameworks.acme: unknown key "model_calls"; did you mean "model_call"?',
        ),
        (
            'acme.agent = [{ names = ["a.B"], tool_keywords = ["tools"] }]',
            'frameworks.acme.agent[0]: unknown key "tool_keywords"; did you mean "tools_keywords"?',
        ),
        (
            'acme.run = [{ names = ["a"], limit = { keyword = "n", unit = "turns" } }]',
            'frameworks.acme.run[0].limit: the key "default" is missing',
        ),
        ("acme.agent = [{}]", 'frameworks.acme.agent[0]: the key "names" is missing'),
        (
            'acme.tool = [{ effect = "yes" }]',
            "frameworks.acme.tool[0].effect: invalid enum value 'yes'",
        ),
        ('acme.latest = "new"', "frameworks.acme.latest: invalid version: 'new'"),
        ("acme = 3", "frameworks.acme: expected a table"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_told_with_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        configured(tmp_path, f"[frameworks]\n{text}")
    assert str(caught.value) == f"{tmp_path / 'agentcheck.toml'}: {expected}"
