"""What a person at a terminal sees."""

from __future__ import annotations

import re

import msgspec
import pytest
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, code, finding, record
from tests.report_samples import clean, hostile, make, ordinary

from agentcheck.model.report import Report
from agentcheck.report import render

ANSI = re.compile(r"\x1b\[[0-9;]*m")
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def rows(report: Report, **options: object) -> list[str]:
    return render(report, "full", color="never", **options).splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_findings_are_shown_with_their_code(width: int, snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "full", color="never", width=width) == snapshot


def test_verbose_adds_what_is_at_stake_and_names_skipped_files(
    snapshot: SnapshotAssertion,
) -> None:
    assert render(ordinary(), "full", color="never", verbose=True) == snapshot


def test_colours_only_add_to_the_text(snapshot: SnapshotAssertion) -> None:
    painted = render(ordinary(), "full", color="always", width=100)
    assert ANSI.sub("", painted) == render(ordinary(), "full", color="never", width=100)
    assert painted.splitlines()[:6] == snapshot


def test_concise_has_one_line_a_finding_and_the_counts(snapshot: SnapshotAssertion) -> None:
    text = render(ordinary(), "concise", color="never")
    assert text == snapshot
    assert len(text.splitlines()) == 6


def test_what_fix_would_mend_is_counted_before_the_last_line() -> None:
    lines = render(ordinary(), "full", width=300).splitlines()
    assert lines[-2] == "1 fixable with --fix, 1 more with --unsafe-fixes"
    assert "fixable" not in render(ordinary(), "full", hint=False)
    report = ordinary()
    unsafe = msgspec.structs.replace(report, findings=report.findings[:1])
    assert "\n1 fixable with --fix --unsafe-fixes\n" in render(unsafe, "full")
    assert "fixable" not in render(clean(), "full")


def test_what_a_notebook_holds_is_not_promised_to_be_mended() -> None:
    report = ordinary()
    first = report.findings[0]
    assert first.fix is not None
    edits = (msgspec.structs.replace(first.fix.edits[0], file="desk/a.ipynb"),)
    fix = msgspec.structs.replace(first.fix, edits=edits)
    found = (msgspec.structs.replace(first, fix=fix),)
    assert "fixable" not in render(msgspec.structs.replace(report, findings=found), "full")


def test_a_clean_scan_says_what_was_scanned() -> None:
    assert rows(clean()) == [
        "No findings: 6 questions asked of 124 files, 9 agents, 31 tools, 12 recorded runs in 0.4 s"
    ]


def test_hidden_findings_are_counted_when_none_is_shown() -> None:
    assert rows(make(()))[-1].startswith("No findings to show (11 below the shown level): ")


def test_a_scan_that_knew_no_agent_code_says_so() -> None:
    report = clean()
    profile = msgspec.structs.replace(report.profile, agents=0, tools=0, model_calls=0, loops=0)
    target = msgspec.structs.replace(report.target, runs=0, traces=())
    blind = msgspec.structs.replace(report, profile=profile, target=target)
    assert rows(blind)[-1].endswith("; no agent code was recognised in it")


def test_recorded_runs_alone_are_counted_alone() -> None:
    report = clean()
    target = msgspec.structs.replace(report.target, files=0, lines=0, paths=())
    alone = msgspec.structs.replace(report, target=target)
    assert rows(alone)[-1] == "No findings: 6 questions asked of 12 recorded runs in 0.4 s"
    page = render(alone, "markdown")
    assert "are known:** by replaying recorded runs. None" in page
    assert "questions to these runs" in page


def test_one_of_a_thing_is_not_many() -> None:
    only = finding(1, (code(1, "x", "here", role="primary"),))
    report = make((only,), skipped=())
    target = msgspec.structs.replace(report.target, files=1, traces=(), runs=0)
    profile = msgspec.structs.replace(report.profile, agents=1, tools=1)
    summary = msgspec.structs.replace(report.summary, hidden=0, skipped=0, seconds=None)
    one = msgspec.structs.replace(report, target=target, profile=profile, summary=summary)
    assert rows(one)[-1] == "1 finding: 1 high; 1 file, 1 agent, 1 tool"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("    answer(limit=None)", "limit=None"),
        ("\t\tanswer(\tlimit=None)", "limit=None"),
        ("返金('日本', limit=None)", "limit=None"),
        ("e\u0301e\u0301 = '한국' + limit", "limit"),
        ("a\u200bb\x1b[31m limit", "limit"),
        ("👩\u200d👩 limit", "limit"),
        ("x" * 300 + " limit " + "y" * 300, "limit"),
        ("返" * 300 + " limit " + "金" * 300, "limit"),
    ],
)
@pytest.mark.parametrize("role", ["primary", "related"])
def test_marks_stand_under_what_they_mark(text: str, part: str, role: str) -> None:
    item = code(7, text, "says why", find=part, role=role)
    shown = rows(make((finding(1, (item,)),)), width=80)
    line = next(n for n, row in enumerate(shown) if row.startswith("7 | "))
    above, below = shown[line], shown[line + 1]
    sign = "^" if role == "primary" else "-"
    start, end = below.index(sign), below.rindex(sign) + 1
    assert below == " " * 2 + "|" + below[3:start] + sign * (end - start) + " says why"
    assert _between_cells(above, start, end) == part
    assert cell_len(above) <= 80


def _between_cells(text: str, start: int, end: int) -> str:
    taken, cell = "", 0
    for char in text:
        taken += char if start <= cell < end else ""
        cell += cell_len(char)
    return taken


def test_a_span_of_several_lines_is_marked_on_its_first() -> None:
    item = code(7, "    call(  ", "starts here", find="call", role="primary", end_line=9)
    shown = rows(make((finding(1, (item,)),)))
    assert "  |     ^^^^^ starts here" in shown
    assert not any(row.startswith(("8 |", "9 |")) for row in shown)


def test_near_places_share_a_frame_and_far_ones_do_not() -> None:
    near = (code(10, "a", "a", role="primary"), code(30, "b", "b"), code(200, "c", "c"))
    shown = rows(make((finding(1, near),)))
    assert [row.strip() for row in shown if "-->" in row] == [
        "--> desk/loop.py:10:1",
        "--> desk/loop.py:200:1",
    ]
    assert "..." in shown


def test_cells_of_a_notebook_are_places_of_their_own() -> None:
    cells = (
        code(1, "a", "a", file="n.ipynb", cell=1, role="primary"),
        code(2, "b", "b", file="n.ipynb", cell=2),
    )
    shown = render(make((finding(1, cells),)), "full", color="never")
    assert "--> n.ipynb:cell 1:1:1\n" in shown
    assert "--> n.ipynb:cell 2:2:1\n" in shown


def test_a_record_of_a_run_is_quoted_under_its_place() -> None:
    said = record(12, "Done.\nAnything else?", "claims it", role="primary", pointer="/content")
    shown = rows(make((finding(1, (said,)),)))
    place = next(n for n, row in enumerate(shown) if "-->" in row)
    assert shown[place].strip() == "--> runs/week.jsonl#3/12 /content"
    assert shown[place + 2].endswith(r'| "Done.\nAnything else?"')
    assert shown[place + 3].endswith("^ claims it")


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE)])
@pytest.mark.parametrize("form", ["full", "concise"])
@pytest.mark.parametrize("verbose", [False, True])
def test_nothing_of_the_target_drives_the_terminal(text: str, form: str, verbose: bool) -> None:
    shown = render(hostile(text), form, color="never", verbose=verbose)
    assert not RAW.search(shown)
    painted = render(hostile(text), form, color="always", verbose=verbose)
    assert ANSI.sub("", painted) == shown


def test_sentences_are_broken_at_the_width() -> None:
    long = "A sentence about 返金 that goes on and on. " * 20
    item = code(7, "    x = 1", long, find="x", role="primary")
    report = make((finding(1, (item,), message=long, smallest_change=long),))
    for width in (60, 80, 120):
        assert max(map(cell_len, rows(report, width=width))) <= width


def test_the_counts_are_one_line_in_a_pipe() -> None:
    assert rows(ordinary())[-1].startswith("4 findings: 2 high, ")
    assert rows(ordinary())[-1].endswith(", 2 skipped")
    assert rows(ordinary(), width=80)[-1].startswith("  ")


def test_color_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = render(ordinary(), "full")
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in render(ordinary(), "full")
    monkeypatch.setenv("NO_COLOR", "1")
    assert render(ordinary(), "full") == plain
    assert "\x1b[" in render(ordinary(), "full", color="always")
