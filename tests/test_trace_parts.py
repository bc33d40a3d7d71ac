"""Large files are read in parts by several processes, and nothing in the report tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.trace_audit import WHOLE, in_full, parts_here, report
from tests.trace_samples import (
    LOAN,
    Json,
    Sdk,
    asked,
    assistant,
    item,
    otlp,
    otlp_span,
    parts,
    result,
    said,
    text_part,
    user,
)

from agentcheck.run.fold import MOST_EVIDENCE
from agentcheck.trace.plan import plan_of
from agentcheck.trace.stretches import count_lines, stretches


def write(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def chat(number: int) -> list[Json]:
    again = [assistant(None, asked("issue_refund", '{"order": 7}', f"c{n}")) for n in range(3)]
    answers = [result("Done." if number % 5 else "ann@shop.org", f"c{n}") for n in range(3)]
    turns = [each for pair in zip(again, answers, strict=True) for each in pair]
    return [{"id": number, "messages": [user("Refund me."), *(turns if number % 3 else LOAN)]}]


def sdk(number: int) -> list[Json]:
    sdk = Sdk(f"trace_{number}")
    task, agent = sdk.opening()
    turn = sdk.turn(agent, 1, item("find_reader"))
    sdk.ran(turn, item("find_reader"), "ann@shop.org" if number % 2 else "Nobody.")
    sdk.end(turn, sdk.turn(agent, 2, said("Done.")), agent, task)
    return list(sdk.rows)


def spans(number: int) -> list[Json]:
    inputs = [parts("user", text_part(f"Parcel {number}?"))]
    trace = f"t{number}"
    tool: Json = {
        "gen_ai__tool__name": "send_mail",
        "gen_ai__tool__call__result": "to ann@shop.org",
    }
    return [
        otlp(otlp_span("m", "chat", 1, trace=trace, gen_ai__input__messages=inputs)),
        otlp(otlp_span("t", "execute_tool", 2, trace=trace, **tool)),
    ]


@pytest.mark.parametrize("rows", [chat, sdk, spans])
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_parts_in_processes_tell_what_the_whole_file_tells(
    tmp_path: Path, rows: Callable[[int], list[Json]], jobs: int
) -> None:
    path = write(tmp_path / "runs.jsonl", (row for n in range(60) for row in rows(n)))
    assert len(plan_of(path, path.name, 4_000)) > 2
    whole = report([path], 1, WHOLE)
    assert whole[1] == 60
    assert whole == report([path], jobs, 4_000)


def test_files_in_processes_tell_what_they_tell_one_after_the_other(tmp_path: Path) -> None:
    kinds = {"a": chat, "b": sdk, "c": spans}
    paths = [
        write(tmp_path / f"{name}.jsonl", (row for n in range(30) for row in rows(n)))
        for name, rows in kinds.items()
    ]
    twice = [*paths, paths[0]]
    assert report(twice, 1, WHOLE) == report(twice, 2, 5_000)


def test_interleaved_traces_are_brought_together_in_parts_too(tmp_path: Path) -> None:
    columns = zip(*(sdk(number) for number in range(40)), strict=True)
    path = write(tmp_path / "runs.jsonl", (row for column in columns for row in column))
    assert report([path], 1, WHOLE) == report([path], 2, 4_000)


BROKEN: dict[str, Sequence[str]] = {
    "a broken line": ['{"id": 3, "messages": [{"role"'],
    "another shape": ['{"fish": 1}', '{"messages": 3}', "[]", "7"],
    "a message that stands alone": [json.dumps(user("Hello?"))],
    "other keys": [json.dumps({"log": [user("Hello?"), assistant("Yes.")]})],
    "more than are named": ["{"] * 30,
}


@pytest.mark.parametrize("lines", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("at", [0, 25, 59])
def test_what_cannot_be_read_is_told_alike(tmp_path: Path, lines: Sequence[str], at: int) -> None:
    rows = [json.dumps(row) for n in range(60) for row in chat(n)]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join([*rows[:at], *lines, *rows[at:]]) + "\n", "utf-8")
    assert report([path], 1, WHOLE) == report([path], 2, 4_000)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_wherever_a_file_is_cut_the_report_is_the_same(tmp_path: Path, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([chat, sdk, spans]))
    order = data.draw(st.permutations([row for n in range(8) for row in kind(n)]))
    blanks = data.draw(st.lists(st.sampled_from(["", "  ", "{"]), max_size=3))
    lines = data.draw(st.permutations([*map(json.dumps, order), *blanks]))
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines) + data.draw(st.sampled_from(["", "\n"])), "utf-8")
    least = data.draw(st.integers(50, 6_000))
    assert parts_here(path, least) == in_full(path)


def test_stretches_end_with_lines_and_leave_nothing_out(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"".join(b"x" * (n * 37 % 101) + b"\n" for n in range(500)) + b"end")
    data = path.read_bytes()
    cut = list(stretches(path, 700))
    assert b"".join(data[part.start : part.stop] for part in cut) == data
    assert all(data[part.start - 1 : part.start] in (b"", b"\n") for part in cut)
    lines = [count_lines(path, part.start, part.stop or 0) for part in cut]
    assert lines == [data[part.start : part.stop].count(b"\n") for part in cut]
    assert len(cut) > 20


def test_beyond_the_evidence_that_is_kept_faults_are_counted_alike(tmp_path: Path) -> None:
    rows = (chat(5 * number)[0] for number in range(MOST_EVIDENCE + 150))
    path = write(tmp_path / "runs.jsonl", rows)
    whole = report([path], 1, WHOLE)
    assert whole == report([path], 2, 60_000)
    logged = next(said for name, said in whole[0] if name == "content-logged" and said.hit)
    assert "more runs" in logged.why
