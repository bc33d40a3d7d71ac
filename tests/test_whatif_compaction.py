"""Recorded conversations under five strategies that make them shorter."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer, Figure
from agentcheck.model.whatif_settings import CompactionSettings
from agentcheck.trace.read import read_runs
from agentcheck.whatif.compaction.answer import Compaction
from agentcheck.whatif.compaction.keep import STRATEGIES, History
from agentcheck.whatif.conversation import conversation_of
from agentcheck.whatif.similar.bm25 import Bm25

FIFTY = Path(__file__).parent.parent / "fixtures" / "conversations" / "nightly_export.json"
STRATEGY = {
    "placeholder": 0.1905,
    "window": 0.1758,
    "summary": 0.2079,
    "selective": 0.3956,
    "retrieval": 0.1758,
}
"""What a textbook's conversation of the same make comes to, with a summary of 35 tokens."""


def asks(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def says(text: str) -> dict[str, Any]:
    return asks(text, "assistant")


def calls(name: str, answer: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": name, "type": "function", "function": function}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": name, "content": answer}]


def run_of(tmp_path: Path, messages: list[dict[str, Any]]) -> Run:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": messages}), "utf-8")
    (run,) = read_runs(path)
    assert isinstance(run, Run)
    return run


def answer_of(*runs: Run, **settings: Any) -> Answer:
    asked = Compaction(CompactionSettings(**settings))
    for run in runs:
        asked.add(run)
    return asked.answer()


def fifty() -> Run:
    (run,) = read_runs(FIFTY)
    assert isinstance(run, Run)
    return run


def figures(answer: Answer) -> dict[str, Figure]:
    cells = (cell for table in answer.tables for row in table.rows for cell in row.cells)
    found = (*answer.figures, *(cell for cell in cells if isinstance(cell, Figure)))
    return {figure.name: figure for figure in found}


def history_of(run: Run, keep_last: int = 10) -> History:
    history = History(Bm25(), keep_last, 200)
    history.grow(conversation_of(run).messages)
    return history


def test_fifty_messages_shrink_as_the_textbook_says() -> None:
    found = figures(answer_of(fifty(), summary_tokens=35))
    assert found["as it was: messages kept"].value == 50
    for strategy, ratio in STRATEGY.items():
        assert found[f"{strategy}: ratio"].value == pytest.approx(ratio, abs=0.035)
    kept = [found[f"{strategy}: messages kept"].value for strategy in STRATEGIES]
    assert kept == [11, 10, 11, 22, 10]  # selective: calls come with their results


def test_what_was_decided_long_ago_is_lost_but_to_selection() -> None:
    answer = answer_of(fifty())
    (lost,) = answer.tables[2].rows
    assert lost.cells[0] == "02:00"
    assert lost.cells[2] == "placeholder, window, summary, retrieval"
    assert [source.record for source in lost.of] == [45, 30]


def test_the_systems_messages_stay_under_every_strategy(tmp_path: Path) -> None:
    talk = [
        asks("Be brief.", "system"),
        *[asks(f"{n}") if n % 2 else says(f"{n}") for n in range(30)],
    ]
    history = history_of(run_of(tmp_path, talk), keep_last=4)
    for strategy in STRATEGIES:
        assert history.kept(strategy).messages[0] == 0


def test_no_call_is_parted_from_its_result(tmp_path: Path) -> None:
    talk = [asks("Where is parcel 4711?")]
    for n in range(12):
        talk += [
            *calls(f"look_{n}", f"shelf {n}, parcel 4711"),
            says(f"On shelf {n}."),
            asks("And now?"),
        ]
    run = run_of(tmp_path, talk)
    messages = conversation_of(run).messages
    for keep_last in range(1, 12):
        history = history_of(run, keep_last)
        for strategy in STRATEGIES:
            kept = set(history.kept(strategy).messages)
            atoms = {messages[at].atom for at in kept}
            assert kept == {said.at for said in messages if said.atom in atoms}


def test_retrieval_finds_the_message_that_answers_the_question(tmp_path: Path) -> None:
    talk = [says("The gate code of the depot is 7741."), *[asks(f"note {n}") for n in range(20)]]
    talk.append(asks("What was the gate code of the depot?"))
    kept = history_of(run_of(tmp_path, talk), keep_last=4).kept("retrieval").messages
    assert kept == [0, 20, 21]


def test_a_value_is_lost_where_nothing_kept_holds_it(tmp_path: Path) -> None:
    talk = [asks("My booking is QX77ZK."), *[asks(f"note {n}") for n in range(12)]]
    talk += calls("cancel", "done", booking="QX77ZK")
    found = figures(answer_of(run_of(tmp_path, talk), keep_last=5))
    assert found["window: in arguments"].value == 1
    assert found["window: share lost"].value == 1
    assert found["values used"].value == 1
    (used,) = found["window: values lost"].of
    assert (used.record, used.pointer) == (13, "/tool_calls/0")


@pytest.mark.parametrize(
    "first",
    [asks("QX77ZK is closed.", "system"), asks("hello"), says("QX77ZK then"), asks("QX77Z")],
)
def test_a_value_that_was_kept_or_never_said_is_not_lost(
    tmp_path: Path, first: dict[str, Any]
) -> None:
    talk = [first, *[asks(f"note {n}") for n in range(12)], asks("It is QX77ZK.")]
    talk += calls("cancel", "done", booking="QX77ZK")
    assert figures(answer_of(run_of(tmp_path, talk), keep_last=5))["window: values lost"].value == 0


def test_a_short_conversation_stays_whole(tmp_path: Path) -> None:
    run = run_of(tmp_path, [asks("hello"), says("good day")])
    found = figures(answer_of(run))
    assert {found[f"{strategy}: ratio"].value for strategy in STRATEGIES} == {1.0}


def test_the_cache_holds_the_whole_last_request_until_something_is_dropped(tmp_path: Path) -> None:
    talk = [asks("x" * 8000, "system")]
    for n in range(6):
        talk += [asks(f"question {n} " * 100), says(f"answer {n} " * 100)]
    found = figures(answer_of(run_of(tmp_path, talk), keep_last=2, model="gpt-4o"))
    system, question, answer = 2000, 275, 225
    whole = [system + n * (question + answer) + question for n in range(6)]
    assert found["as it was: tokens sent"].value == sum(whole)
    assert found["as it was: from the cache"].value == sum(whole[:-1])
    assert found["window: from the cache"].value == 5 * system
    price = ((sum(whole) - sum(whole[:-1])) * 2.5 + sum(whole[:-1]) * 1.25 + 6 * answer * 10) / 1e6
    assert found["as it was: cost"].value == pytest.approx(price)


def test_a_prefix_too_short_for_the_cache_is_paid_in_full(tmp_path: Path) -> None:
    talk = [asks("question"), says("answer"), asks("question"), says("answer")]
    assert (
        figures(answer_of(run_of(tmp_path, talk), model="gpt-4o"))[
            "as it was: from the cache"
        ].value
        == 0
    )


def test_without_a_model_nothing_is_said_of_cost() -> None:
    answer = answer_of(fifty())
    cost = figures(answer)["window: cost"]
    assert cost.value is None
    assert "not known" in cost.unknown
    assert any("cost is not known of 1 of 1 runs" in each.text for each in answer.open)
    assert any("estimates" in each.text for each in answer.open)


def test_recorded_usage_is_the_measure_of_what_was_sent(tmp_path: Path) -> None:
    lines = []
    for n in range(6):
        lines.append({"type": "user", "uuid": f"u{n}", "sessionId": "s", "message": asks("x" * 40)})
        usage = {"input_tokens": 100 * (n + 1), "output_tokens": 7}
        content = [{"type": "text", "text": "y" * 40}]
        said = {"id": f"m{n}", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
        message = {**said, "stop_reason": "end_turn", "content": content}
        lines.append({"type": "assistant", "uuid": f"a{n}", "sessionId": "s", "message": message})
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (run,) = read_runs(path)
    assert isinstance(run, Run)
    found = figures(answer_of(run, keep_last=1))
    assert found["counted"].value == 1
    assert found["as it was: tokens sent"].value == sum(100 * (n + 1) for n in range(6))
    # Each request has 2n + 1 messages of ten tokens, of which the window sends the last.
    assert found["window: tokens sent"].value == sum(
        round(100 * (n + 1) / (2 * n + 1)) for n in range(6)
    )


def test_every_figure_follows_from_the_records_that_it_names(tmp_path: Path) -> None:
    runs = [fifty(), run_of(tmp_path, [asks("hello 1234"), says("hello 1234"), asks("bye")])]
    found = figures(answer_of(*runs, model="gpt-4o"))
    alone = {run.events[0].source: figures(answer_of(run, model="gpt-4o")) for run in runs}
    for name, figure in found.items():
        match figure.by:
            case "sum":
                parts = {run: each[name].value for run, each in alone.items()}
                assert dict(zip(figure.of, figure.amounts, strict=True)) == parts
                assert figure.value == pytest.approx(math.fsum(figure.amounts))
            case "count":
                assert figure.value == len(figure.of)
            case "share":
                part, whole = (found[term].value for term in figure.terms)
                assert part is not None
                assert whole
                assert figure.value == pytest.approx(part / whole)


def test_bm25_scores_as_bm25s_does() -> None:
    index = Bm25()
    for text in (
        "the refund policy for flights",
        "flights to Paris are cheap",
        "refund refund of the hotel",
        "how to cook rice",
        "Paris hotel policy for refund and flights of rice",
    ):
        index.add(text)
    # bm25s 0.3.16, method "lucene", k1 1.5, b 0.75
    expected = {0: 0.8209671, 1: 0.2265201, 2: 0.3189834, 4: 0.6137103}
    assert index.scores("refund policy flights") == pytest.approx(expected)
    assert Bm25().scores("refund") == {}
