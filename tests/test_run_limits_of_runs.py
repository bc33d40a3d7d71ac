"""What runs used and how large they grew, beside what they may and what their models take."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from tests.run_checks import answers

from agentcheck.model.event import (
    Compaction,
    Event,
    FieldGroup,
    Message,
    ModelCall,
    Run,
    RunStart,
    Source,
    ToolCall,
)
from agentcheck.rule import TraceSettings
from agentcheck.trace.prices import cost_of, input_tokens, is_cached, window_of

ALL: frozenset[FieldGroup] = frozenset({"usage", "time", "content", "results", "approval"})


def at(record: int) -> Source:
    return Source("r.jsonl", 0, record)


def reply(
    seq: int,
    given: int | None = 1_000,
    said: int | None = 100,
    model: str | None = "gpt-4o-2024-08-06",
    **more: Any,
) -> ModelCall:
    facts = {"ts": 1_772_000_000.0 + seq} | more
    return ModelCall(
        seq=seq,
        source=at(seq),
        request_model=model,
        input_tokens=given,
        output_tokens=said,
        **facts,
    )


def run_of(*events: Event) -> Run:
    head = RunStart(seq=0, source=at(0))
    return Run(id="r", file="r.jsonl", index=0, format="made", known=ALL, events=(head, *events))


def verdicts(topic: str, run: Run, **settings: Any) -> list[str]:
    told = answers(topic, run, TraceSettings(**settings))
    return [a.verdict for a in told]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("prices must not be fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_a_known_model_has_a_price_a_window_and_a_cache() -> None:
    call = reply(1, 10_000, 1_000)
    assert cost_of(call) == pytest.approx(0.035)
    assert window_of(call) == 128_000
    assert is_cached(call)
    assert cost_of(reply(1, 10_000, 1_000, "openai/gpt-4o-2024-08-06")) == pytest.approx(0.035)


@pytest.mark.parametrize("model", [None, "", "model-a", "\ud800", "x" * 5_000])
def test_an_unknown_model_has_none_of_them(model: str | None) -> None:
    call = reply(1, model=model)
    assert (cost_of(call), window_of(call), is_cached(call)) == (None, None, False)


def test_a_recorded_cost_goes_before_the_price_list() -> None:
    assert cost_of(reply(1, model="model-a", cost=0.5)) == 0.5


def test_no_tokens_no_cost() -> None:
    assert cost_of(reply(1, None)) is None
    assert cost_of(reply(1, said=None)) is None


def test_cached_tokens_beside_the_input_are_counted_once() -> None:
    assert input_tokens(reply(1, 1_000, cache_read=800)) == 1_000
    assert input_tokens(reply(1, 20, cache_read=800, cache_creation=100)) == 920
    assert cost_of(reply(1, 1_000, cache_read=800)) < cost_of(reply(1, 1_000))  # type: ignore[operator]


def test_without_a_budget_the_question_does_not_apply() -> None:
    assert verdicts("budget-exceeded", run_of(reply(1))) == ["not-applicable"]


def test_each_budget_is_kept_or_passed() -> None:
    call = ToolCall(
        seq=2, source=at(2), call_key="1", call_id="1", name="f", arguments_raw="{}", arguments={}
    )
    run = run_of(reply(1), call, reply(3))
    for key, within, beyond in (
        ("max_tokens", 2_200, 2_199),
        ("max_cost_usd", 0.0071, 0.0069),
        ("max_seconds", 2, 1.9),
        ("max_tool_calls", 1, 0),
    ):
        assert verdicts("budget-exceeded", run, **{key: within}) == ["met"], key
        assert verdicts("budget-exceeded", run, **{key: beyond}) == ["not-met"], key


def test_an_unknown_price_is_named_and_is_not_nothing() -> None:
    run = run_of(reply(1), reply(2, model="model-a"))
    [told] = answers("budget-exceeded", run, TraceSettings(max_cost_usd=1))
    assert (told.verdict, told.why) == (
        "cannot-tell",
        "The cost is not known of the model model-a.",
    )
    [told] = answers("budget-exceeded", run, TraceSettings(max_cost_usd=0.001))
    assert told.hit is not None
    assert "at least $0.0035" in told.hit.message


def test_replies_that_are_not_counted_cannot_keep_a_budget() -> None:
    run = run_of(reply(1), reply(2, None))
    assert verdicts("budget-exceeded", run, max_tokens=5_000) == ["cannot-tell"]
    assert verdicts("budget-exceeded", run, max_tokens=500) == ["not-met"]


def test_the_window_of_a_known_model_is_known() -> None:
    run = run_of(*(reply(n, size) for n, size in enumerate((30_000, 70_000, 110_000), 1)))
    [told] = answers("unbounded-context", run)
    assert told.hit is not None
    assert "came near the 128,000" in told.hit.message
    grown = run_of(*(reply(n, size) for n, size in enumerate((30_000, 70_000, 130_000), 1)))
    [told] = answers("unbounded-context", grown)
    assert told.hit is not None
    assert (told.verdict, told.hit.severity, told.hit.persona) == ("not-met", "medium", "regular")


def test_a_window_that_nobody_knows_cannot_be_told() -> None:
    run = run_of(*(reply(n, n * 30_000, model="model-a") for n in (1, 2, 3, 4)))
    [told] = answers("unbounded-context", run)
    assert told.verdict == "cannot-tell"
    assert "`context-window`" in told.why
    assert verdicts("unbounded-context", run, context_window=125_000) == ["partly"]
    assert verdicts("unbounded-context", run, context_window=200_000) == ["met"]


def test_a_compaction_begins_the_history_anew() -> None:
    sizes = (30_000, 70_000, 110_000, 115_000)
    replies = [reply(n * 2 + 1, size) for n, size in enumerate(sizes)]
    cut = Compaction(seq=4, source=at(4))  # after the second request
    assert verdicts("unbounded-context", run_of(*replies[:2], cut, *replies[2:])) == ["met"]
    assert verdicts("unbounded-context", run_of(*replies)) == ["partly"]


def test_sizes_are_estimated_from_texts_where_nothing_is_counted() -> None:
    events: list[Event] = []
    for n in range(1, 9, 2):
        said = Message(seq=n, source=at(n), role="user", text="word " * 400)
        events += [said, reply(n + 1, None, model=None)]
    [told] = answers("unbounded-context", run_of(*events), TraceSettings(context_window=1_500))
    assert told.hit is not None
    assert "about 2,000 tokens" in told.hit.message
    assert told.hit.confidence == "low"


def test_a_prefix_that_no_cache_serves_is_told_once_it_is_large() -> None:
    def run(*sizes: int) -> Run:
        return run_of(*(reply(n, size, cache_read=0) for n, size in enumerate(sizes, 1)))

    assert verdicts("cache-busting-prompt", run(5_000, 6_000, 7_000)) == ["not-met"]
    assert verdicts("cache-busting-prompt", run(500, 600, 700)) == ["met"]
    assert verdicts("cache-busting-prompt", run(5_000, 6_000, 4_500)) == ["met"]
    assert verdicts("cache-busting-prompt", run_of(reply(1), reply(2), reply(3))) == [
        "not-applicable"
    ]
