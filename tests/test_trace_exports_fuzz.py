"""Exports that are torn, mixed up and of the wrong types: no crash, no clean bill of health."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.export_samples import EXPORTS
from tests.run_checks import CHECKS
from tests.test_trace_fuzz import spoilt
from tests.trace_samples import lines, only_run

from agentcheck.model.event import FieldGroup, Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs

BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NEEDS: dict[str, set[FieldGroup]] = {
    "unguarded-side-effect": {"approval"},
    "repeated-message": {"content"},
    "injected-side-effect": {"content", "results"},
    "handoff-oscillation": {"handoffs"},
    "handoff-race": {"handoffs"},
    "content-logged": {"content"},
    "finish-reason-unchecked": {"finish"},
    "tool-error-ignored": {"errors", "content"},
    "non-idempotent-side-effect": {"content", "results"},
    "repeated-call": {"content"},
    "tool-args-off-schema": {"schema", "content"},
    "tool-args-unguarded": {"content"},
    "tool-error-ends-run": {"errors"},
    "unpaired-tool-call": {"results"},
}
REPEATABLE = [
    form for form in EXPORTS if form not in ("LangChain messages", "pydantic-ai messages")
]


def audit(path: Path) -> None:
    """Reads and judges: something is said of every file, and nothing is met that is not known."""
    found = list(read_runs(path))
    assert found
    for run in found:
        if not isinstance(run, Run):
            assert run.why
            continue
        assert [event.seq for event in run.events] == list(range(len(run.events)))
        for topic, check in CHECKS.items():
            for answer in check(run, TraceSettings()):
                assert answer.evidence
                assert answer.verdict != "met" or NEEDS.get(topic, set()) <= run.known


@BOUNDED
@given(data=st.data())
def test_spoilt_and_shuffled_records_never_crash(tmp_path: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(list(EXPORTS)))
    rows = [data.draw(spoilt(row)) for row in EXPORTS[form]]
    again = data.draw(st.lists(st.sampled_from(rows), max_size=3))
    shuffled = data.draw(st.permutations([*rows, *again]))
    audit(lines(tmp_path / "runs.jsonl", shuffled))


@BOUNDED
@given(data=st.data())
def test_torn_and_overwritten_bytes_never_crash(tmp_path: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(list(EXPORTS)))
    text = bytearray(b"\n".join(json.dumps(row).encode() for row in EXPORTS[form]))
    for _ in range(data.draw(st.integers(0, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "runs.jsonl"
    path.write_bytes(bytes(text[: data.draw(st.integers(0, len(text)))]))
    audit(path)


@BOUNDED
@given(data=st.data())
def test_records_of_different_formats_in_one_file_never_crash(
    tmp_path: Path, data: st.DataObject
) -> None:
    every: list[Any] = [row for rows in EXPORTS.values() for row in rows]
    picked = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=8))
    audit(lines(tmp_path / "runs.jsonl", picked))


@pytest.mark.parametrize("form", REPEATABLE)
def test_records_that_stand_twice_are_told_once(tmp_path: Path, form: str) -> None:
    rows = EXPORTS[form]
    once = only_run(lines(tmp_path / "once.jsonl", rows))
    if len(rows) > 1:
        twice = only_run(lines(tmp_path / "twice.jsonl", [*rows, *rows]))
        assert [type(e) for e in twice.events] == [type(e) for e in once.events]
    else:
        assert once.events


def deep(levels: int, key: str, inside: Any) -> str:
    """JSON text that nests a list of objects with one key."""
    return f'{{"{key}": [' * levels + json.dumps(inside) + "]}" * levels


@pytest.mark.parametrize("key", ["data", "runs", "child_runs", "observations", "messages", "spans"])
@pytest.mark.parametrize("levels", [30, 300, 900])
def test_deep_nesting_ends(tmp_path: Path, key: str, levels: int) -> None:
    path = tmp_path / "deep.jsonl"
    text = deep(levels, key, {"type": "GENERATION", "run_type": "llm", "id": "x"})
    path.write_text(f"{text}\n{text}\n", encoding="utf-8")
    audit(path)


@pytest.mark.parametrize("form", EXPORTS)
def test_deep_values_in_any_field_end(tmp_path: Path, form: str) -> None:
    rows = []
    for row in EXPORTS[form]:
        text = json.dumps(row)
        for word in ('"reader 7"', '"My card is lost."'):
            text = text.replace(word, "[" * 400 + "]" * 400)
        rows.append(text.encode())
    audit(lines(tmp_path / "deep.jsonl", rows))
