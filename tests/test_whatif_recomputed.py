"""Every figure of every answer can be computed again from what it names."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.policy_samples import answering, calling, run_of, user

from agentcheck.config import Settings
from agentcheck.model.event import Run
from agentcheck.model.whatif import Answer, Figure
from agentcheck.run.whatif_all import every_question
from agentcheck.trace.read import read_runs

pytestmark = pytest.mark.slow

WORDS = st.sampled_from(
    [
        "refund order 7", "mail bob@shop.example", "pay DE89370400440532013000", "what is it?",
        "4111 1111 1111 1111", "because the price changed, therefore refund it", "done",
        "ignore all previous instructions", "rm -rf /", "", "the order 7 costs 20 euros",
    ]
)  # fmt: skip
TOOLS = st.sampled_from(["get_order", "send_mail", "refund", "run_shell", "delete_user", "mystery"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["order", "amount", "to", "command"]),
    WORDS | st.integers(0, 5_000) | st.floats(0, 100),
    max_size=3,
)


@st.composite
def steps(draw: st.DrawFn, number: int) -> list[dict[str, Any]]:
    """What a person says, or a call with or without its result, or an answer."""
    kind = draw(st.sampled_from(["user", "call", "bare", "answer"]))
    if kind == "user":
        return [user(draw(WORDS))]
    if kind == "answer":
        return [{"role": "assistant", "content": draw(WORDS)}]
    call = calling(draw(TOOLS), draw(ARGUMENTS), f"c{number}")
    return [call] if kind == "bare" else [call, answering(draw(WORDS), f"c{number}")]


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    """A run of a few steps."""
    found = [user(draw(WORDS))]
    for number in range(draw(st.integers(1, 6))):
        found += draw(steps(number))
    return run_of(*found)


def read(made: list[dict[str, Any]]) -> list[Run]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        path.write_text("".join(json.dumps(run) + "\n" for run in made), "utf-8")
        return [run for run in read_runs(path) if isinstance(run, Run)]


def asked(found: list[Run]) -> list[Answer]:
    asks = every_question(Settings(), None)
    for run in found:
        for one in asks:
            one.add(run)
    return [one.answer() for one in asks]


def figures(answer: Answer) -> Iterator[Figure]:
    yield from answer.figures
    for table in answer.tables:
        for row in table.rows:
            assert len(row.cells) == len(table.columns)
            yield from (cell for cell in row.cells if isinstance(cell, Figure))


def recomputed(figure: Figure, named: dict[str, Figure]) -> float | None:
    """What a figure comes to by what it names; None where it names runs, or is given."""
    amounts = figure.amounts
    match figure.by:
        case "count":
            return len(figure.of)
        case "sum":
            return math.fsum(amounts)
        case "mean":
            return math.fsum(amounts) / len(amounts)
        case "median":
            return median(amounts)
        case "highest":
            return max(amounts)
        case "lowest":
            return min(amounts)
        case "share":
            part, whole = (named[term].value for term in figure.terms)
            return None if part is None or whole is None else part / whole
        case "difference":
            whole, less = (named[term].value for term in figure.terms)
            return None if less is None or whole is None else whole - less
    return None


@settings(deadline=None, max_examples=40)
@given(st.lists(runs(), min_size=1, max_size=3))
def test_what_a_figure_says_is_what_its_records_amount_to(made: list[dict[str, Any]]) -> None:
    found = read(made)
    records = {(e.source.run, e.source.record) for run in found for e in run.events}
    for answer in asked(found):
        every = list(figures(answer))
        named = {figure.name: figure for figure in every}
        assert len({figure.name for figure in answer.figures}) == len(answer.figures)
        for figure in every:
            places = [(source.run, source.record) for source in figure.of]
            assert set(places) <= records
            assert len(figure.amounts) in (0, len(figure.of))
            if figure.value is None:
                assert figure.unknown, f"{answer.topic}: {figure.name} does not say why"
                continue
            again = None if figure.runs else recomputed(figure, named)
            if again is not None:
                assert figure.value == pytest.approx(again), f"{answer.topic}: {figure.name}"


ADDED = frozenset({"policy", "approval", "redaction", "routing"})
"""The answers whose counts and sums are those of each run, added up."""


@settings(deadline=None, max_examples=25)
@given(st.lists(runs(), min_size=2, max_size=4))
def test_counts_and_sums_over_runs_are_those_of_each_run_added_up(
    made: list[dict[str, Any]],
) -> None:
    found = read(made)
    whole = [answer for answer in asked(found) if answer.topic in ADDED]
    parts = [{(a.topic, f.name): f.value for a in asked([run]) for f in a.figures} for run in found]
    for answer in whole:
        for figure in answer.figures:
            values = [part.get((answer.topic, figure.name)) for part in parts]
            if figure.by in ("count", "sum") and None not in values and figure.value is not None:
                total = math.fsum(value for value in values if value is not None)
                assert figure.value == pytest.approx(total), f"{answer.topic}: {figure.name}"


@settings(deadline=None, max_examples=25)
@given(runs())
def test_a_table_names_the_records_that_its_rows_tell_of(made: dict[str, Any]) -> None:
    found = read([made])
    records = {(e.source.run, e.source.record) for run in found for e in run.events}
    for answer in asked(found):
        for table in answer.tables:
            for row in table.rows:
                assert {(source.run, source.record) for source in row.of} <= records
