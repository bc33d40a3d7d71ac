"""Whatever stands in a file of runs: no crash, and no answer without evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.run_checks import CHECKS, FIXTURES
from tests.trace_samples import otlp, otlp_span, parts, text_part

from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs

BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
STRICT = TraceSettings(max_turns=1, min_repeats=1, side_effecting=frozenset({"place_hold"}))
SAMPLES = [
    *(
        json.loads(line)
        for file in sorted(FIXTURES.glob("*/*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ),
    otlp(otlp_span("m", "chat", 1, gen_ai__output__messages=[parts("assistant", text_part("x"))])),
]
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([[], {}, [[]], [None], {"role": []}, {"role": "assistant"}, "{", 10**30]),
)
ANYTHING = st.recursive(
    JUNK,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)


def audit(path: Path, content: bytes) -> None:
    """Reads and judges; every event is numbered, every answer has evidence."""
    path.write_bytes(content)
    for found in read_runs(path):
        if not isinstance(found, Run):
            assert found.why
            continue
        assert [event.seq for event in found.events] == list(range(len(found.events)))
        for check in CHECKS.values():
            for trace_settings in (TraceSettings(), STRICT):
                assert all(answer.evidence for answer in check(found, trace_settings))


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """A record with some of its values lost, repeated, moved or of another type."""
    if draw(st.integers(0, 24)) == 0:
        return draw(JUNK)
    if isinstance(value, dict):
        kept = [key for key in value if draw(st.integers(0, 30))]
        return {key: draw(spoilt(value[key])) for key in kept}
    if isinstance(value, list):
        items = [draw(spoilt(each)) for each in value]
        again = items[:1] if items and not draw(st.integers(0, 9)) else []
        return draw(st.permutations(items + again)) if not draw(st.integers(0, 9)) else items
    if isinstance(value, str) and not draw(st.integers(0, 9)):
        return value[: draw(st.integers(0, len(value)))]
    return value


@BOUNDED
@given(data=st.data())
def test_spoilt_records_never_crash(tmp_path: Path, data: st.DataObject) -> None:
    picked = data.draw(st.lists(st.sampled_from(SAMPLES), min_size=1, max_size=6))
    rows = [json.dumps(data.draw(spoilt(row))).encode() for row in picked]
    audit(tmp_path / "runs.jsonl", b"\n".join(rows))


@BOUNDED
@given(data=st.data())
def test_torn_and_overwritten_bytes_never_crash(tmp_path: Path, data: st.DataObject) -> None:
    picked = data.draw(st.lists(st.sampled_from(SAMPLES), min_size=1, max_size=3))
    content = bytearray(b"\n".join(json.dumps(row).encode() for row in picked))
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    audit(tmp_path / "runs.jsonl", bytes(content[: data.draw(st.integers(0, len(content)))]))


@BOUNDED
@given(rows=st.lists(ANYTHING, max_size=4), as_lines=st.booleans())
def test_any_json_never_crashes(tmp_path: Path, rows: list[Any], *, as_lines: bool) -> None:
    text = "\n".join(map(json.dumps, rows)) if as_lines else json.dumps(rows, indent=1)
    audit(tmp_path / "any.json", text.encode())


@BOUNDED
@given(content=st.binary(max_size=200))
def test_any_bytes_never_crash(tmp_path: Path, content: bytes) -> None:
    audit(tmp_path / "any.bin", content)


@pytest.mark.parametrize("field", ["parent_id", "parentSpanId"])
def test_spans_in_a_ring_end(tmp_path: Path, field: str) -> None:
    sdk = {"object": "trace.span", "trace_id": "t", "span_data": {"type": "generation"}}
    if field == "parent_id":
        rows = [sdk | {"id": "a", field: "b"}, sdk | {"id": "b", field: "a"}]
    else:
        ring = [otlp_span("a", "chat", 1, parent="b"), otlp_span("b", "chat", 2, parent="a")]
        rows = [otlp(*ring)]
    audit(tmp_path / "ring.jsonl", b"\n".join(json.dumps(row).encode() for row in rows))
