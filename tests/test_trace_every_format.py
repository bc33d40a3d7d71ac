"""Every reader on files with anything wrong in them: no crash, and no clean verdict for a loss."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.every_format import FAULT, STUCK
from tests.run_checks import CHECKS, answers
from tests.trace_samples import lines, runs_of

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs
from agentcheck.trace.readers import NAMED
from agentcheck.trace.reading import Reading

BOUNDED = settings(
    max_examples=int(os.environ.get("AGENTCHECK_FUZZ", "12")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SEEDS = st.integers(0, 2**32)
STRICT = TraceSettings(max_turns=1, min_repeats=1, context_window=50, max_tool_calls=1)
JUNK: tuple[Any, ...] = (None, True, -1, 1e308, 10**30, "", "x", [], {}, [None], [[]], {"type": 3})
UNREADABLE: tuple[Any, ...] = (7, "x", None, [1])
TORN = (b'{"broken', b"\xff\xfe\xff", b"[1")


def spoilt(value: Any, chance: Random) -> Any:
    """A record with values lost, of another type, doubled or out of order."""
    if chance.random() < 0.03:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {k: spoilt(v, chance) for k, v in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        items = [spoilt(item, chance) for item in value]
        again = items + items[:1]
        return chance.sample(again, len(again)) if chance.random() < 0.1 else items
    return value


def packed(rows: list[Any]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


def judge(path: Path, content: bytes, only: str | None = None) -> None:
    """Reads and asks everything; something is said, and no loss is found right."""
    path.write_bytes(content)
    found = list(read_runs(path, None, Reading(only=only)))
    assert found, "neither a run nor a reason"
    assert all(one.why for one in found if isinstance(one, Skipped))
    for run in (one for one in found if isinstance(one, Run)):
        assert [event.seq for event in run.events] == list(range(len(run.events)))
        for topic, check in CHECKS.items():
            for asked in (TraceSettings(), STRICT):
                for answer in check(run, asked):
                    assert answer.evidence, topic
                    assert not (run.unknown_records and answer.verdict == "met"), topic


def test_every_format_has_a_sample() -> None:
    assert STUCK.keys() == NAMED.keys() == FAULT.keys()


@pytest.mark.parametrize("name", STUCK)
def test_the_planted_fault_is_found_in_every_format(tmp_path: Path, name: str) -> None:
    runs = runs_of(lines(tmp_path / "runs.jsonl", STUCK[name]))
    assert all(run.format.startswith(NAMED[name].name) for run in runs)
    assert any(answer.hit for run in runs for answer in answers(FAULT[name], run))
    assert not any(run.unknown_records for run in runs)


@pytest.mark.parametrize("name", STUCK)
@BOUNDED
@given(seed=SEEDS)
def test_spoilt_doubled_and_reordered_records_never_crash(
    tmp_path: Path, name: str, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311
    rows = [spoilt(row, chance) for row in STUCK[name]]
    rows += rows[: seed % 3]
    order = chance.sample(rows, len(rows)) if seed % 2 else rows
    judge(tmp_path / "a.jsonl", packed(order))
    judge(tmp_path / "b.json", json.dumps(order, indent=1).encode(), name)


@pytest.mark.parametrize("name", STUCK)
@BOUNDED
@given(seed=SEEDS)
def test_truncated_and_overwritten_bytes_never_crash(tmp_path: Path, name: str, seed: int) -> None:
    chance, content = Random(seed), bytearray(packed(STUCK[name]))  # noqa: S311
    for _ in range(seed % 4):
        content[chance.randrange(len(content))] = chance.randrange(256)
    judge(tmp_path / "a.jsonl", bytes(content[: chance.randint(1, len(content))]))


@pytest.mark.parametrize("name", STUCK)
@BOUNDED
@given(seed=SEEDS)
def test_the_records_of_another_format_never_crash_a_reader(
    tmp_path: Path, name: str, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311
    rows = STUCK[chance.choice(list(STUCK))]
    mixed = chance.sample([*rows, *STUCK[name]], len(rows) + len(STUCK[name]))
    judge(tmp_path / "a.jsonl", packed(mixed))
    judge(tmp_path / "b.jsonl", packed(rows), name)


INSIDE = object()
"""A step into what a text holds as JSON."""


def spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the objects of lists stand in a record, also in JSON that is written as a text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from spots(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, dict):
                yield (*path, index)
            yield from spots(inner, (*path, index))
    elif isinstance(value, str) and value.startswith("["):
        yield from spots(json.loads(value), (*path, INSIDE))


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    """A copy of a value with something else at a place."""
    if not path:
        return by
    if path[0] is INSIDE:
        return json.dumps(replaced(json.loads(value), path[1:], by))
    inner = replaced(value[path[0]], path[1:], by)
    if isinstance(value, dict):
        return value | {path[0]: inner}
    return [inner if n == path[0] else each for n, each in enumerate(value)]


def damaged(rows: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The rows with one object after the other made unreadable."""
    for torn in TORN:
        for n in range(len(rows)):
            yield f"line {n} is {torn!r}", [*rows[:n], torn, *rows[n + 1 :]]
    for path in spots(rows):
        for junk in UNREADABLE:
            yield f"{path} is {junk!r}", replaced(rows, path, junk)


@pytest.mark.parametrize("name", STUCK)
def test_a_fault_whose_evidence_cannot_be_read_is_never_found_right(
    tmp_path: Path, name: str
) -> None:
    found_right = []
    for what, rows in damaged(STUCK[name]):
        found = list(read_runs(lines(tmp_path / "runs.jsonl", rows)))
        runs = [one for one in found if isinstance(one, Run)]
        told = [answer for run in runs for answer in answers(FAULT[name], run)]
        assert found, what
        verdicts = {answer.verdict for answer in told}
        if not any(answer.hit for answer in told) and verdicts - {"cannot-tell"}:
            found_right.append(what)
    assert found_right == []
