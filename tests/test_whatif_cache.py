"""A semantic cache in front of recorded agents."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer, Figure
from agentcheck.model.whatif_settings import CacheSettings
from agentcheck.trace.read import read_runs
from agentcheck.whatif.cache.answer import Cache
from agentcheck.whatif.cache.simulate import at_most, told_in
from agentcheck.whatif.similar.tfidf import cosine, vectors_of


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def looks(name: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": name, "type": "function", "function": function}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": name, "content": "found"}]


def runs_of(tmp_path: Path, *talks: list[dict[str, Any]]) -> list[Run]:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(json.dumps({"messages": talk}) for talk in talks), "utf-8")
    return [run for run in read_runs(path) if isinstance(run, Run)]


def answer_of(runs: list[Run], **settings: Any) -> Answer:
    asked = Cache(CacheSettings(**settings))
    for run in runs:
        asked.add(run)
    return asked.answer()


def figures(answer: Answer) -> dict[str, Figure]:
    cells = (cell for table in answer.tables for row in table.rows for cell in row.cells)
    found = (*answer.figures, *(cell for cell in cells if isinstance(cell, Figure)))
    return {figure.name: figure for figure in found}


REFUNDS = "What is the refund policy for flights?"


def test_a_question_asked_again_is_a_hit_and_the_first_is_not(tmp_path: Path) -> None:
    talk = [asks(REFUNDS), says("Refunds take a week.")]
    found = figures(answer_of(runs_of(tmp_path, talk, [asks("Hello"), says("Hi")], talk, talk)))
    assert found["questions"].value == 4
    for threshold in ("0.7", "1"):
        assert found[f"at {threshold}: hits"].value == 2
        assert found[f"at {threshold}: another answer"].value == 0
    assert [source.run for source in found["at 1: hits"].of] == [2, 3]
    assert found["at 1: hit rate"].value == 0.5


def test_near_questions_hit_below_their_similarity_alone(tmp_path: Path) -> None:
    near = "What is the refund policy for all flights?"
    talks = [[asks(text), says("A week.")] for text in (REFUNDS, near, "Who won the cup?")]
    found = figures(answer_of(runs_of(tmp_path, *talks), thresholds=(0.5, 1.0)))
    assert found["at 0.5: hits"].value == 1
    assert found["at 1: hits"].value == 0


@pytest.mark.parametrize(
    ("one", "other", "wrong"),
    [
        ("It takes a week.", "it takes a week", 0),
        ("It costs 10 dollars in all.", "It costs 20 dollars in all.", 1),
        ("It takes a week.", "Please ask at the desk in the hall.", 1),
        ("It takes about one week in all.", "In all it takes about one week.", 0),
    ],
)
def test_a_hit_is_wrong_where_another_answer_was_given(
    tmp_path: Path, one: str, other: str, wrong: int
) -> None:
    runs = runs_of(tmp_path, [asks(REFUNDS), says(one)], [asks(REFUNDS), says(other)])
    assert figures(answer_of(runs))["at 1: another answer"].value == wrong


def test_hits_across_users_are_told_from_those_of_one_user(tmp_path: Path) -> None:
    def talk(user: str | None) -> list[dict[str, Any]]:
        known = looks("get_user", user_id=user) if user else looks("get_weather", city="Bern")
        return [asks("Where is my parcel?"), *known, says("On its way.")]

    found = figures(answer_of(runs_of(tmp_path, *map(talk, ("ida", "ida", "bo", None)))))
    assert found["at 1: hits"].value == 3
    assert [source.run for source in found["at 1: across users"].of] == [2]
    assert [source.run for source in found["at 1: users not told"].of] == [3]
    assert found["at 1: with tools"].value == 3
    assert found["at 1: calls saved"].value == 6


def test_hits_that_rest_on_earlier_turns_are_counted(tmp_path: Path) -> None:
    talk = [asks("Cancel flight 7."), says("Are you sure?"), asks("Yes, please."), says("Done.")]
    found = figures(answer_of(runs_of(tmp_path, talk, talk)))
    assert found["at 1: hits"].value == 2
    (source,) = found["at 1: after other turns"].of
    assert (source.run, source.record) == (1, 2)


def test_no_answer_is_given_under_another_system_prompt(tmp_path: Path) -> None:
    talk = [asks(REFUNDS), says("A week.")]
    other = [{"role": "system", "content": "Be rude."}, *talk]
    assert figures(answer_of(runs_of(tmp_path, talk, other)))["at 1: hits"].value == 0


def test_a_question_that_ends_in_a_call_has_no_answer(tmp_path: Path) -> None:
    talk = [asks(REFUNDS), *looks("get_policy")]
    assert figures(answer_of(runs_of(tmp_path, talk, talk)))["questions"].value == 0


def test_the_safe_threshold_is_the_lowest_above_which_few_hits_are_wrong(tmp_path: Path) -> None:
    talks = [[asks(REFUNDS), says("A week.")]] * 80
    talks += [[asks(REFUNDS + " And trains?"), says("No.")]]
    answer = answer_of(runs_of(tmp_path, *talks), thresholds=(0.3, 0.99), wrong_at_most=0.04)
    found = figures(answer)
    assert found["at 0.3: another answer"].value == 1
    assert found["threshold by count"].value == 0.3
    assert found["threshold with 95 % confidence"].value == 0.99


def test_a_few_right_hits_prove_no_bound(tmp_path: Path) -> None:
    talk = [asks(REFUNDS), says("A week.")]
    found = figures(answer_of(runs_of(tmp_path, talk, talk)))
    assert found["threshold by count"].value == 0.7
    assert found["threshold with 95 % confidence"].value is None


def test_without_a_hit_the_threshold_cannot_be_told(tmp_path: Path) -> None:
    answer = answer_of(runs_of(tmp_path, [asks(REFUNDS), says("A week.")]))
    assert figures(answer)["threshold by count"].value is None
    assert any("near enough" in each.text for each in answer.open)


def test_the_interval_is_wilsons() -> None:
    # Upper ends of the one-sided 95 % interval, by statsmodels' proportion_confint at alpha 0.1.
    assert at_most(0, 10) == pytest.approx(0.21294, abs=1e-5)
    assert at_most(5, 100) == pytest.approx(0.09925, abs=1e-4)
    assert at_most(0, 0) == 1


def test_numbers_names_and_words_of_an_answer() -> None:
    assert told_in("Flight HAT136 on 2024-05-20, $1,194") == {
        "hat136",
        "2024",
        "05",
        "20",
        "1",
        "194",
    }
    assert cosine("a b", "a b") == pytest.approx(1)
    assert cosine("a b", "c d") == 0
    assert cosine("", "a") == 0
    assert vectors_of(["", "a a b"])[0] == {}


def test_every_figure_follows_from_the_records_that_it_names(tmp_path: Path) -> None:
    talks = [[asks(f"What is {n % 3} plus {n % 2}?"), says(str(n % 4))] for n in range(20)]
    found = figures(answer_of(runs_of(tmp_path, *talks)))
    seen: dict[str, str] = {}
    hits, wrong = [], []
    for n in range(20):
        question = f"{n % 3}+{n % 2}"
        if question in seen:
            hits.append(n)
            wrong += [n] * (seen[question] != str(n % 4))
        seen.setdefault(question, str(n % 4))
    assert [source.run for source in found["at 1: hits"].of] == hits
    assert [source.run for source in found["at 1: another answer"].of] == wrong
    for figure in found.values():
        match figure.by:
            case "count":
                assert figure.value == len(figure.of)
            case "sum" if figure.value is not None:
                assert figure.value == pytest.approx(math.fsum(figure.amounts))
            case "share" if figure.value is not None:
                one, other = (found[term].value for term in figure.terms)
                assert one is not None
                assert other
                assert figure.value == pytest.approx(one / other)
