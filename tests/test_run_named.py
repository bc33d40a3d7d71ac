"""What an audit of runs is asked for first, each on a planted run and on one that only looks so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.command_line import Done, Here
from tests.run_checks import FIXTURES
from tests.trace_samples import Json, lines, otlp, otlp_span, parts, text_part


class Asked(NamedTuple):
    """A fault: its rule, the fixture it is planted in, a near miss, and what is printed of it."""

    rule: str
    bad: str
    ok: str
    says: str


NAMED = {
    "a reply that was cut off is taken for an answer": Asked(
        "finish-reason-unchecked", "bad", "ok_goes_on", "cut off at its token limit"
    ),
    "a history passes the window of its model": Asked(
        "unbounded-context", "bad_full", "ok_shortened", "that the model takes at request"
    ),
    "more tokens than the budget": Asked(
        "budget-exceeded", "bad_tokens", "ok_within", "tokens, where"
    ),
    "more money than the budget": Asked("budget-exceeded", "bad_cost", "ok_cached", "where $"),
    "more time than the budget": Asked(
        "budget-exceeded", "bad_time", "ok_within", "seconds, where"
    ),
    "a system prompt that changes with each call": Asked(
        "cache-busting-prompt", "bad_clock", "ok_changed_once", "The system prompt changed"
    ),
    "a prefix that the cache never serves": Asked(
        "cache-busting-prompt", "bad_uncached", "ok_cached", "nothing came from the provider's"
    ),
    "an effect after a guard said no": Asked(
        "fail-open-guard", "bad", "ok_next_turn", "had said no in the same turn"
    ),
    "an effect that was denied": Asked(
        "denied-yet-executed", "bad_denied", "ok_denied", "although the call was denied"
    ),
    "an effect that is repeated when a run resumes": Asked(
        "denied-yet-executed", "bad_twice_on_one_approval", "ok_once", "twice on one approval"
    ),
    "a claim that the results contradict": Asked(
        "claimed-not-done", "bad", "ok", "its last call failed"
    ),
    "personal data in the record": Asked("content-logged", "bad_phone", "ok_numbers", "<phone-1>"),
}


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


def audit(here: Here, rule: str, name: str) -> Done:
    folder = FIXTURES / rule.replace("-", "_")
    config = folder / "agentcheck.toml"
    settings = ("--config", config) if config.is_file() else ("--isolated",)
    shown = ("--select", rule, "--persona", "auditor", "--color", "never")
    return here("trace", folder / f"{name}.jsonl", *settings, *shown)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", NAMED)
def test_a_planted_fault_is_printed_and_its_near_miss_is_not(here: Here, name: str) -> None:
    asked = NAMED[name]
    bad = audit(here, asked.rule, asked.bad)
    assert bad.code == 1
    assert asked.says in flat(bad.out)
    ok = audit(here, asked.rule, asked.ok)
    assert (ok.code, ok.out.startswith("No findings")) == (0, True)


def told(here: Here, path: Path, rule: str, config: str = "") -> list[Json]:
    """The answers of a rule about the runs of a file."""
    toml = path.parent / "agentcheck.toml"
    toml.write_text(config, "utf-8")
    done = here("trace", path, "--config", toml, "--output-format", "json", "--select", rule)
    found: list[Json] = json.loads(done.out)["assessments"]
    return found


def requests(model: str, prompts: list[str], **usage: Any) -> Json:
    """A loop that asks a model, as OpenTelemetry records it with instructions of their own."""
    spans = [otlp_span("desk", "invoke_agent", 1)]
    for n, prompt in enumerate(prompts):
        more: Json = {
            "gen_ai__request__model": model,
            "gen_ai__system_instructions": [text_part(prompt)],
            "gen_ai__output__messages": [parts("assistant", text_part(f"Answer {n}."))],
        }
        spans.append(otlp_span(f"m{n}", "chat", n + 2, parent="desk", **more, **usage))
    return otlp(*spans)


USAGE = {"gen_ai__usage__input_tokens": 9_000, "gen_ai__usage__output_tokens": 20}


def test_what_a_model_costs_that_nobody_knows_is_said_so(here: Here, tmp_path: Path) -> None:
    path = lines(tmp_path / "r.jsonl", [requests("acme-1", ["Be kind."] * 3, **USAGE)])
    [cost] = told(here, path, "budget-exceeded", "[trace]\nmax-cost-usd = 1\n")
    assert cost["verdict"] == "cannot-tell"
    assert "the model acme-1" in cost["why"]
    summary = here("trace", path, "--config", tmp_path / "agentcheck.toml", "--summary").out
    assert "the model acme-1" in flat(summary)


def test_instructions_that_change_with_each_request_are_found_beside_the_messages(
    here: Here, tmp_path: Path
) -> None:
    clock = [f"It is 10:00:0{n}. You are the desk of a library." for n in range(4)]
    path = lines(tmp_path / "r.jsonl", [requests("gpt-4o", clock, **USAGE)])
    [busting] = told(here, path, "cache-busting-prompt")
    assert busting["verdict"] == "not-met"
    assert busting["evidence"][0]["pointer"] == "/attributes/gen_ai.system_instructions/0"
    same = lines(tmp_path / "s.jsonl", [requests("gpt-4o", clock[:1] * 4, **USAGE)])
    [kept] = told(here, same, "cache-busting-prompt")
    assert kept["verdict"] in ("met", "not-applicable")
    assert here("trace", path, "--isolated").code == 1, "shown without being asked for"


def test_a_guard_and_an_approval_are_shown_in_words(here: Here) -> None:
    assert "approval denied" in audit(here, "denied-yet-executed", "bad_denied").out
    assert ": triggered" in audit(here, "fail-open-guard", "bad").out
