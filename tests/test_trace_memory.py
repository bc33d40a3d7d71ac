"""Files of runs are streamed: memory stays near the largest run, whatever the file's size."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.run_checks import CHECKS
from tests.trace_samples import LOAN, Json, Sdk, item, otlp, otlp_span, parts, said, text_part, user

from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs

FILE = 60_000_000
RUN = 20_000
MEGABYTE = 1_000_000
PADDING = "x" * RUN


def chat(number: int) -> Iterable[Json]:
    yield {"id": number, "messages": [user(PADDING), *LOAN]}


def sdk(number: int) -> Iterable[Json]:
    sdk = Sdk(f"trace_{number}")
    task, agent = sdk.opening()
    turn = sdk.turn(agent, 1, item("find_reader"))
    sdk.ran(turn, item("find_reader"), PADDING)
    sdk.end(turn, sdk.turn(agent, 2, said("Done.")), agent, task)
    yield from sdk.rows


def spans(number: int) -> Iterable[Json]:
    given = [parts("user", text_part(PADDING))]
    yield otlp(otlp_span("m", "chat", 1, trace=f"t{number}", gen_ai__input__messages=given))


@pytest.mark.parametrize("rows", [chat, sdk, spans])
def test_the_peak_stays_near_the_largest_run(
    tmp_path: Path, rows: Callable[[int], Iterable[Json]]
) -> None:
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    write(small, rows, RUN)
    audit(small)  # what is imported and cached once is not the run's
    count = write(large, rows, FILE)
    tracemalloc.start()
    try:
        assert audit(large) == count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * MEGABYTE, f"{peak} bytes for runs of {RUN} in a file of {FILE}"


def write(path: Path, rows: Callable[[int], Iterable[Json]], size: int) -> int:
    """A file of runs of at least `size` bytes; the number of runs."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            file.writelines(json.dumps(row) + "\n" for row in rows(count))
            count += 1
    return count


def audit(path: Path) -> int:
    """Every check on every run of a file; the number of runs."""
    runs = 0
    for run in read_runs(path):
        assert isinstance(run, Run)
        runs += 1
        for check in CHECKS.values():
            for _ in check(run, TraceSettings()):
                pass
    return runs
