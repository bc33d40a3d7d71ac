"""The tiers of recorded model calls, and what other models would have cost."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer, Figure
from agentcheck.model.whatif_settings import RoutingSettings, Tier
from agentcheck.trace.read import read_runs
from agentcheck.whatif.routing.answer import Routing
from agentcheck.whatif.routing.tiers import foretold, shown

MODELS: dict[Tier, str] = {
    "small": "gpt-4o-mini",
    "medium": "claude-sonnet-4-5",
    "large": "claude-opus-4-1",
}
PRICES = {"small": (0.15, 0.6), "medium": (3.0, 15.0), "large": (15.0, 75.0)}
"""US dollars for a million tokens of input and output."""
DEEP = "This holds because a; therefore b, however c, unless d, otherwise e. "


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def session(tmp_path: Path, *turns: tuple[str, str, int, int], model: str = "gpt-4o") -> Run:
    """A run of asks and replies with usage: the ask, the reply, tokens given and made."""
    lines: list[dict[str, Any]] = []
    for n, (ask, reply, given, made) in enumerate(turns):
        if ask:
            lines.append({"type": "user", "uuid": f"u{n}", "sessionId": "s", "message": asks(ask)})
        message = {
            "id": f"m{n}",
            "role": "assistant",
            "model": model,
            "usage": {"input_tokens": given, "output_tokens": made},
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": reply}],
        }
        lines.append({"type": "assistant", "uuid": f"a{n}", "sessionId": "s", "message": message})
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (run,) = read_runs(path)
    assert isinstance(run, Run)
    return run


def answer_of(run: Run, **settings: Any) -> Answer:
    asked = Routing(RoutingSettings(**{"models": MODELS} | settings))
    asked.add(run)
    return asked.answer()


def figures(answer: Answer) -> dict[str, Figure]:
    cells = (cell for table in answer.tables for row in table.rows for cell in row.cells)
    found = (*answer.figures, *(cell for cell in cells if isinstance(cell, Figure)))
    return {figure.name: figure for figure in found}


def price(tier: str, given: int, made: int) -> float:
    return (given * PRICES[tier][0] + made * PRICES[tier][1]) / 1e6


@pytest.mark.parametrize(
    ("text", "tokens", "tier"),
    [
        ("Paris.", 2, "small"),
        ("a list", 199, "small"),
        ("a list", 200, "medium"),
        ("a very long list", 5000, "medium"),
        (DEEP, 1001, "large"),
        (DEEP, 1000, "medium"),
    ],
)
def test_a_reply_shows_its_tier_by_length_and_reasoning(text: str, tokens: int, tier: str) -> None:
    assert shown(text, tokens, RoutingSettings()) == tier


@pytest.mark.parametrize(
    ("text", "tier", "plain"),
    [
        ("What is the capital of France?", "small", True),
        ("Change of plan, cancel my flight.", "small", True),
        ("Summarise this page.", "medium", False),
        ("word " * 60, "medium", False),
        ("Design the schema.", "large", False),
        ("Design the architecture of a shop. " + "It sells bread. " * 20, "large", True),
    ],
)
def test_an_ask_foretells_a_tier_by_its_words(text: str, tier: str, plain: bool) -> None:
    assert foretold(text, RoutingSettings()) == (tier, plain)


def test_thresholds_are_the_users() -> None:
    settings = RoutingSettings(small_below=10, large_above=20, reasoning_words=1, short_words=2)
    assert shown("because", 21, settings) == "large"
    assert shown("because", 15, settings) == "medium"
    assert foretold("one two three", settings).tier == "medium"


def test_each_way_is_priced_with_the_recorded_tokens(tmp_path: Path) -> None:
    run = session(
        tmp_path,
        ("What is 2+2?", "4", 1000, 5),
        ("Summarise the report.", "x", 2000, 500),
        ("Design the architecture.", DEEP, 3000, 1500),
    )
    found = figures(answer_of(run, classify="none"))
    right = price("small", 1000, 5) + price("medium", 2000, 500) + price("large", 3000, 1500)
    tried = price("small", 2000, 200) + price("small", 3000, 200) + price("medium", 3000, 1000)
    assert found["in hindsight: cost"].value == pytest.approx(right)
    assert found["routed up front: cost"].value == pytest.approx(right)
    assert found["cascaded: cost"].value == pytest.approx(right + tried)
    assert found["always large: cost"].value == pytest.approx(price("large", 6000, 2005))
    assert found["as recorded: cost"].value == pytest.approx((6000 * 2.5 + 2005 * 10) / 1e6)
    assert found["tiers disagree"].value == 0
    assert found["always small: weaker"].value == 2
    assert found["routed up front: weaker"].value == 0


def test_the_router_asks_once_for_each_ask_that_is_not_plain(tmp_path: Path) -> None:
    run = session(
        tmp_path,
        ("What is 2+2?", "4", 1000, 5),
        ("Summarise the report.", "first I look", 2000, 10),
        ("", "and here it is", 2500, 300),
    )
    question = price("small", 200 + 6, 40)
    assert figures(answer_of(run))["classification"].value == pytest.approx(question)
    both = question + price("small", 200 + 3, 40)
    assert figures(answer_of(run, classify="all"))["classification"].value == pytest.approx(both)
    assert figures(answer_of(run, classify="none"))["classification"].value == 0


def test_where_tiers_disagree_the_call_is_named(tmp_path: Path) -> None:
    run = session(tmp_path, ("Summarise it.", "short", 10, 5), ("Hello?", "x" * 900, 10, 400))
    answer = answer_of(run)
    assert figures(answer)["share that disagrees"].value == 1
    assert figures(answer)["routed up front: weaker"].value == 1
    assert figures(answer)["medium then small"].value == 1
    assert figures(answer)["small then medium"].value == 1
    rows = answer.tables[3].rows
    assert [(row.cells[0], row.cells[1], row.cells[4]) for row in rows] == [
        ("medium", "small", "Summarise it."),
        ("small", "medium", "Hello?"),
    ]
    assert [row.of[0].record for row in rows] == [1, 3]


def test_without_a_map_of_models_tiers_are_told_and_costs_are_not(tmp_path: Path) -> None:
    run = session(tmp_path, ("Fix this", "Hi", 10, 5))
    answer = answer_of(run, models={})
    found = figures(answer)
    assert found["small: calls"].value == 1
    assert found["classification"].value is None
    assert "No model is configured for small, medium, large" in answer.notes[0]
    assert found["in hindsight: cost"].value is None
    assert "no model is configured" in found["in hindsight: cost"].unknown
    assert found["as recorded: cost"].value is not None


def test_an_unknown_model_has_no_recorded_cost(tmp_path: Path) -> None:
    run = session(tmp_path, ("Hello?", "Hi", 10, 5), model="nobody-knows-1")
    answer = answer_of(run)
    found = figures(answer)
    assert found["as recorded: cost"].value is None
    assert found["in hindsight: saved"].value is None
    assert any("cost is not known of 1 of 1 calls" in each.text for each in answer.open)


def test_every_figure_follows_from_the_records_that_it_names(tmp_path: Path) -> None:
    turns = [("Hello?", "Hi " * n, 100 * n, 30 * n) for n in range(1, 15)]
    answer = answer_of(session(tmp_path, *turns))
    found = figures(answer)
    made = {2 * n - 1: 30 * n for n in range(1, 15)}
    for tier, low, high in (("small", 0, 200), ("medium", 200, 10_000)):
        mine = {record: tokens for record, tokens in made.items() if low <= tokens < high}
        output, calls = found[f"{tier}: output"], found[f"{tier}: calls"]
        records = [source.record for source in output.of]
        assert dict(zip(records, output.amounts, strict=True)) == mine
        assert [source.record for source in calls.of] == list(mine)
    for figure in found.values():
        match figure.by:
            case "sum" if figure.value is not None:
                assert figure.value == pytest.approx(math.fsum(figure.amounts))
            case "count":
                assert figure.value == len(figure.of)
            case "share" | "difference":
                one, other = (found[term].value for term in figure.terms)
                assert one is not None
                assert other
                expected = one / other if figure.by == "share" else one - other
                assert figure.value == pytest.approx(expected)
