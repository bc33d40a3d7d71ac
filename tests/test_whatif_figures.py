"""Every figure can be computed again from the records that it names."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentcheck.model.event import Run, Source
from agentcheck.model.whatif import Answer, Figure
from agentcheck.model.whatif_settings import CacheSettings, CompactionSettings, RoutingSettings
from agentcheck.trace.read import read_runs
from agentcheck.whatif import Asks
from agentcheck.whatif.cache.answer import Cache
from agentcheck.whatif.compaction.answer import Compaction
from agentcheck.whatif.redaction.answer import Redaction
from agentcheck.whatif.routing.answer import Routing

MODELS: Any = {"small": "gpt-4o-mini", "medium": "gpt-4o", "large": "o3"}
APART: dict[str, Callable[[], Asks]] = {
    "redaction": Redaction,
    "routing": lambda: Routing(RoutingSettings(models=MODELS, model="gpt-4o", small_below=9)),
    "compaction": lambda: Compaction(CompactionSettings(keep_last=3, model="gpt-4o")),
}
"""Questions whose answer about one run does not depend on other runs."""
QUESTIONS: dict[str, Callable[[], Asks]] = {
    **APART,
    "cache": lambda: Cache(CacheSettings(thresholds=(0.5, 0.9), model="gpt-4o")),
}

WORDS = ("parcel", "4711", "QX77ZK", "ida@reader.example", "+49 30 901820", "because", "Yes.", "10")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@st.composite
def talks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A conversation of questions, answers, and calls with their results."""
    talk: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 6))):
        talk.append({"role": "user", "content": draw(texts)})
        if draw(st.booleans()):
            arguments = json.dumps({"user_id": draw(texts), "n": draw(st.integers(0, 99999))})
            function = {"name": "look", "arguments": arguments}
            call = {"id": f"c{number}", "type": "function", "function": function}
            talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": draw(texts)})
        if draw(st.booleans()):
            talk.append({"role": "assistant", "content": draw(texts)})
    return talk


def replayed(conversations: Sequence[list[dict[str, Any]]]) -> list[Run]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        path.write_text("\n".join(json.dumps({"messages": t}) for t in conversations), "utf-8")
        return [run for run in read_runs(path) if isinstance(run, Run)]


def asked(make: Callable[[], Asks], runs: Sequence[Run]) -> Answer:
    question = make()
    for run in runs:
        question.add(run)
    return question.answer()


def figures(answer: Answer) -> dict[str, Figure]:
    """All figures by name. Fails where two have one name."""
    cells = (cell for table in answer.tables for row in table.rows for cell in row.cells)
    found = [*answer.figures, *(cell for cell in cells if isinstance(cell, Figure))]
    by_name = {figure.name: figure for figure in found}
    assert len(by_name) == len(found)
    return by_name


def check(figure: Figure, found: dict[str, Figure], records: set[Source]) -> None:
    assert records.issuperset(figure.of)
    if figure.value is None:
        assert figure.unknown
        return
    match figure.by:
        case "count":
            assert figure.value == len(figure.of)
        case "sum":
            assert len(figure.of) == len(figure.amounts)
            assert figure.value == pytest.approx(math.fsum(figure.amounts))
        case "share" | "difference":
            one, other = (found[term].value for term in figure.terms)
            assert one is not None
            assert other is not None
            again = one / other if figure.by == "share" else one - other
            assert figure.value == pytest.approx(again)


@pytest.mark.parametrize("topic", QUESTIONS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(conversations=st.lists(talks(), min_size=1, max_size=4))
def test_a_figure_is_what_it_says_of_the_records_that_it_names(
    topic: str, conversations: list[list[dict[str, Any]]]
) -> None:
    runs = replayed(conversations)
    found = figures(asked(QUESTIONS[topic], runs))
    records = {event.source for run in runs for event in run.events}
    for figure in found.values():
        check(figure, found, records)


@pytest.mark.parametrize("topic", APART)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(conversations=st.lists(talks(), min_size=2, max_size=4))
def test_the_records_of_a_run_alone_give_its_part_of_every_figure(
    topic: str, conversations: list[list[dict[str, Any]]]
) -> None:
    runs = replayed(conversations)
    whole = figures(asked(APART[topic], runs))
    for run in runs:
        alone = figures(asked(APART[topic], [run]))
        for name, figure in whole.items():
            mine = [at for at, source in enumerate(figure.of) if source.run == run.index]
            part = alone.get(name)
            if figure.by not in ("count", "sum") or figure.value is None:
                continue
            if part is None or part.value is None:
                assert mine == []
                continue
            assert [figure.of[at] for at in mine] == list(part.of)
            if figure.by == "sum":
                assert [figure.amounts[at] for at in mine] == list(part.amounts)
