"""Sessions, rollouts and logs with anything wrong in them: no crash, and no clean verdict."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import test_trace_sessions_adk as adk
from tests import test_trace_sessions_audit as audit
from tests import test_trace_sessions_bench as bench
from tests import test_trace_sessions_claude as claude
from tests import test_trace_sessions_codex as codex
from tests import test_trace_sessions_crewai as crewai
from tests import test_trace_sessions_inspect as inspect
from tests.run_checks import CHECKS
from tests.trace_samples import Json, assistant, user

from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs

EXAMPLES = int(os.environ.get("AGENTCHECK_FUZZ", "30"))
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SEEDS = st.integers(0, 2**32)
STRICT = TraceSettings(max_turns=1, min_repeats=1)
ONE_RUN: dict[str, list[Json]] = {
    "claude": claude.SESSION,
    "stream": claude.stream(num_turns=2, permission_denials=[{"tool_name": "Look"}]),
    "codex": codex.ROLLOUT,
    "adk-events": adk.EVENTS,
    "audit": audit.LOG,
    "crewai": crewai.EVENTS,
    "crewai-log": [crewai.entry("started"), crewai.entry("completed", output="Shelf 7")],
}
RUNS: dict[str, list[Json]] = {
    "export": [{"loglines": claude.SESSION}],
    "tau": [bench.tau(1.0, bench.STOP), bench.tau(0.0)],
    "tau2": [{"simulations": [bench.simulation()]}, bench.simulation()],
    "agentdojo": [bench.dojo(utility=True, security=True, injection_task_id="i")],
    "swe-agent": [bench.trajectory(), bench.trajectory(trajectory=[], history=bench.TURNS)],
    "mini": [bench.mini(assistant(bench.BLOCK), user("books"))],
    "adk": [adk.session(*adk.EVENTS), adk.session(*adk.confirmed({"confirmed": True}))],
    "inspect": [inspect.log(inspect.sample()), inspect.sample(2)],
}
ALL = ONE_RUN | RUNS
JUNK: tuple[Any, ...] = (
    *(None, True, -1, 1e308, "", "x", "attachment://h1", [], {}, [None], [[]], {"type": 3}),
    10**30,
)


def spoilt(value: Any, chance: Random) -> Any:
    """A record with values lost, of another type, doubled or out of order."""
    if chance.random() < 0.03:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {k: spoilt(v, chance) for k, v in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        items = [spoilt(item, chance) for item in value]
        return shuffled(items + items[:1], chance) if chance.random() < 0.1 else items
    return value


def shuffled(items: list[Any], chance: Random) -> list[Any]:
    return chance.sample(items, len(items))


def judge(path: Path, content: bytes) -> list[Run]:
    """Reads and asks everything; a run of which something was not read is never found right."""
    path.write_bytes(content)
    found = list(read_runs(path))
    assert found, "neither a run nor a reason"
    runs = [item for item in found if isinstance(item, Run)]
    for run in runs:
        assert [event.seq for event in run.events] == list(range(len(run.events)))
        for topic, check in CHECKS.items():
            for asked in (TraceSettings(), STRICT):
                for answer in check(run, asked):
                    assert answer.evidence
                    assert not (run.unknown_records and answer.verdict == "met"), topic
    return runs


def packed(rows: list[Any]) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


@pytest.mark.parametrize("name", ALL)
@BOUNDED
@given(seed=SEEDS)
def test_spoilt_records_never_crash(tmp_path: Path, name: str, seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    rows = [spoilt(row, chance) for row in ALL[name]]
    order = shuffled(rows + rows[:1], chance) if seed % 3 == 0 else rows
    if seed % 2:
        judge(tmp_path / "rows.jsonl", packed(order))
    else:
        judge(tmp_path / "rows.json", json.dumps(order, indent=1).encode())


@pytest.mark.parametrize("name", ONE_RUN)
@BOUNDED
@given(seed=SEEDS)
def test_a_torn_run_is_never_found_right(tmp_path: Path, name: str, seed: int) -> None:
    content = packed(ALL[name])
    cut = Random(seed).randrange(content.index(b"\n") + 2, len(content))  # noqa: S311
    runs = judge(tmp_path / "torn.jsonl", content[:cut])
    whole = b"\n" in content[cut - 1 : cut + 1]
    assert whole or not runs or any(run.unknown_records for run in runs)


@pytest.mark.parametrize("name", ALL)
@BOUNDED
@given(seed=SEEDS)
def test_overwritten_bytes_never_crash(tmp_path: Path, name: str, seed: int) -> None:
    chance, content = Random(seed), bytearray(packed(ALL[name]))  # noqa: S311
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    judge(tmp_path / "bytes.jsonl", bytes(content))


@BOUNDED
@given(seed=SEEDS)
def test_broken_archives_never_crash(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    path = inspect.eval_log(tmp_path / "l.eval", inspect.sample(1), inspect.sample(2))
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 6)):
        content[chance.randrange(4, len(content))] = chance.randrange(256)
    judge(path, bytes(content[: chance.randint(8, len(content))]))
