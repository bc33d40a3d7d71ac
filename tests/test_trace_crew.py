"""Processes that read trace files together, and what is left when one of them dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.test_trace_parts import chat, sdk, spans, write
from tests.trace_audit import RULES, asking, joined, report

from agentcheck.rule import Outline, Rule, TraceSettings, Usual
from agentcheck.run.crew import Board, Gate, beside, can_fork
from agentcheck.run.heard import Place
from agentcheck.run.lane import Lane
from agentcheck.run.spread import audited

pytestmark = pytest.mark.skipif(not can_fork(), reason="nothing is forked here")


def test_what_one_process_puts_down_the_others_read_once() -> None:
    large = "x" * 3_000_000
    with closing(Board(3)) as board:

        def work(process: int) -> None:
            board.put(process, (process, large))

        beside(work, 3)
        assert sorted(board.news(0)) == [(1, large), (2, large)]
        assert list(board.news(0)) == []


def test_every_task_is_taken_once() -> None:
    places = [Place(file, part) for file in range(3) for part in range(500)]
    with closing(Lane(range(len(places)))) as lane, closing(Board(3)) as board:
        mine = list[Place]()

        def work(process: int) -> None:
            for place in map(places.__getitem__, lane):
                mine.append(place)
                board.put(process, place)

        beside(work, 3)
        assert sorted([*mine, *board.news(0)]) == places


def test_a_gate_opens_when_the_last_has_come_or_died() -> None:
    with closing(Gate()) as gate, closing(Board(3)) as board:

        def work(process: int) -> None:
            if process == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            board.put(process, process)
            gate.pass_through()
            assert process or list(board.news(0)) == [1]

        beside(work, 3)


def test_others_end_where_the_first_fails() -> None:
    def work(process: int) -> None:
        if process:
            signal.pause()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        beside(work, 3)


def dying(rule: Rule, own: int, after: int) -> Rule:
    """The rule, that kills any process but one when it was asked so often."""
    left = [after]
    usual_run = rule.usual_run
    assert usual_run is not None

    def usual(outline: Outline, settings: TraceSettings) -> Usual:
        left[0] -= 1
        if os.getpid() != own and left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return usual_run(outline, settings)

    return replace(rule, usual_run=usual)


@pytest.mark.parametrize("after", [0, 7, 25])
@pytest.mark.parametrize("rows", [chat, sdk, spans])
def test_what_a_dead_process_left_is_read_by_the_first(
    tmp_path: Path, rows: Callable[[int], Iterator[Any]], after: int
) -> None:
    path = write(tmp_path / "runs.jsonl", (row for n in range(60) for row in rows(n)))
    rules = [dying(RULES[0], os.getpid(), after), *RULES[1:]]
    told = audited([(str(path), path.name)], rules, asking(), 3, lambda _: None, None, 3_000)
    assert joined(told) == report([path], 1, 3_000)
