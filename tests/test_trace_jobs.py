"""However many processes read recorded runs, the report is the same; so it is with a summary."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.test_trace_parts import chat, sdk, spans, write
from tests.test_trace_sessions_packed import zstd
from tests.trace_audit import RULES, WHOLE, asking, in_full, report
from tests.trace_samples import Json, user

from agentcheck.config import load_settings
from agentcheck.model.report import Report
from agentcheck.run import Request, run
from agentcheck.run.fold import Fold
from agentcheck.run.spread import audited

pytestmark = pytest.mark.slow

PADDING = "The parcel is on its way. " * 1_500
CASES = "cases: [{id: refund, task: Refund me., expect: {calls: issue_refund}}]"


def padded(number: int) -> Json:
    row = chat(number)[0]
    row["messages"].append(user(PADDING))
    return row


def reported(paths: list[Path], jobs: int, **more: Any) -> Report:
    """The report of the whole pipeline, without the seconds it took."""
    request = Request(traces=tuple(map(str, paths)), jobs=jobs, tests=False, **more)
    told = run(request, load_settings(paths[0].parent, isolated=True))
    return replace(told, summary=replace(told.summary, seconds=0.0))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One file large enough for parts, and a small one of another format."""
    folder = tmp_path_factory.mktemp("large")
    large = write(folder / "large.jsonl", (padded(n) for n in range(900)))
    assert large.stat().st_size > 34_000_000
    return [large, write(folder / "small.jsonl", (row for n in range(9) for row in sdk(n)))]


def test_the_report_is_the_same_for_any_number_of_processes(files: list[Path]) -> None:
    one = reported(files, 1)
    assert one.target.runs == 909
    assert one.findings
    assert reported(files, 2) == one


def test_a_summary_sees_every_run_and_changes_no_finding(files: list[Path]) -> None:
    plain, one, two = (
        reported(files, 2),
        reported(files, 1, glance=True),
        reported(files, 2, glance=True),
    )
    assert one == two
    assert one.runs is not None
    assert one.runs.runs == 909
    assert replace(two, runs=None) == plain


def test_golden_cases_are_held_against_every_run(files: list[Path], tmp_path: Path) -> None:
    cases = tmp_path / "cases.yaml"
    cases.write_text(CASES, "utf-8")
    one, two = (reported(files, jobs, expect=str(cases)) for jobs in (1, 2))
    assert one == two
    assert one.expectations is not None
    assert replace(two, expectations=None) == reported(files, 2)


TAILS = {
    "torn": b'{"id": 3, "messages": [{"role": "user", "content": "Ref',
    "torn in a letter": '{"id": 3, "messages": [{"role": "user", "content": "\u00e9'.encode()[:-1],
    "no line end": json.dumps(chat(4)[0]).encode(),
    "blank": b"\n  \n\n",
    "zeros": b"\x00" * 300,
}


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
@pytest.mark.parametrize("rows", [chat, sdk, spans])
def test_the_end_of_a_file_is_told_alike(tmp_path: Path, rows: Any, tail: bytes) -> None:
    path = write(tmp_path / "runs.jsonl", (row for n in range(40) for row in rows(n)))
    with path.open("ab") as file:
        file.write(tail)
    whole = in_full(path)
    assert report([path], 1, WHOLE) == whole
    assert report([path], 2, 3_000) == whole


@pytest.mark.parametrize("line", [b"{", b"[]", b'{"fish": 1}', b"\xff\xfe", b'{"messages": 3}'])
def test_a_file_of_broken_lines_is_told_alike(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes((line + b"\n") * 3_000)
    whole = in_full(path)
    assert whole[1] == 0
    assert whole[2]
    assert report([path], 1, WHOLE) == whole
    assert report([path], 2, 2_000) == whole


def test_packed_and_mixed_files_are_told_alike(tmp_path: Path) -> None:
    plain = [
        write(tmp_path / f"{name}.jsonl", (row for n in range(20) for row in rows(n)))
        for name, rows in {"chat": chat, "sdk": sdk, "spans": spans}.items()
    ]
    packed = [tmp_path / "chat.jsonl.gz", tmp_path / "spans.jsonl.zst"]
    packed[0].write_bytes(gzip.compress(plain[0].read_bytes()))
    packed[1].write_bytes(zstd(plain[2].read_bytes()))
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(plain[0].read_bytes())[:-200])
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_bytes(b"".join(path.read_bytes() for path in plain))
    document = tmp_path / "one.json"
    document.write_text(json.dumps([chat(n)[0] for n in range(20)], indent=1), "utf-8")
    every = [*plain, *packed, torn, mixed, document]
    for path in every:
        assert report([path], 2, 3_000) == in_full(path), path.name
    assert report(every, 1, WHOLE) == report(every, 2, 3_000)


def test_a_rule_that_tells_nothing_from_outlines_is_asked_about_every_run(tmp_path: Path) -> None:
    path = write(tmp_path / "runs.jsonl", (row for n in range(30) for row in chat(n)))
    plain = [replace(rule, usual_run=None) for rule in RULES]
    fold, runs = Fold(), 0
    for told in audited([(str(path), path.name)], plain, asking(), 1, lambda _: None):
        fold.join(told.kept, {rule.name: rule for rule in plain})
        runs += told.runs
    answers = [(answer.rule.name, answer.assessment) for answer in fold.answers()]
    assert (answers, runs) == report([path], 1, WHOLE)[:2]
    assert runs == 30
