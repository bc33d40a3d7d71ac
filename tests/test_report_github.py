"""Workflow commands of GitHub Actions."""

from __future__ import annotations

import re

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.report_parts import HOSTILE, code, finding, record
from tests.report_samples import clean, hostile, make, ordinary

from agentcheck.report import render

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::([^\r\n]*)")


def test_commands_read_as_before(snapshot: SnapshotAssertion) -> None:
    assert render(ordinary(), "github", prefix="services/") == snapshot


def test_the_total_comes_first_and_then_the_gravest() -> None:
    low = finding(1, (code(1, "x", "here", role="primary"),), severity="low")
    high = finding(2, (code(2, "y", "here", role="primary"),))
    lines = render(make((low, high)), "github").splitlines()
    assert [line.split()[0] for line in lines] == ["::notice", "::error", "::notice"]
    assert lines[0].startswith("::notice title=agentcheck::2 findings: 1 high, 1 low")
    assert render(clean(), "github").startswith("::notice title=agentcheck::No findings: ")


@pytest.mark.parametrize(
    ("high", "low", "lost"), [(10, 0, 0), (11, 0, 1), (0, 9, 0), (0, 10, 1), (25, 30, 15 + 21)]
)
def test_it_is_told_how_many_github_will_not_show(high: int, low: int, lost: int) -> None:
    line = (code(1, "x", "here", role="primary"),)
    levels = ["low"] * low + ["high"] * high
    found = tuple(finding(n, line, severity=level) for n, level in enumerate(levels, 1))
    lines = render(make(found), "github").splitlines()
    assert len(lines) == 1 + high + low
    told = f"GitHub shows ten of a kind: {lost} more stand in the log"
    assert (told in lines[0]) == bool(lost)
    assert "more stand" in lines[0] or not lost


def test_columns_are_left_out_when_the_span_covers_lines() -> None:
    long = code(4, "call(", "here", role="primary", end_line=6)
    line = render(make((finding(1, (long,)),)), "github").splitlines()[1]
    assert "line=4,endLine=6,title=" in line
    short = code(4, "call()", "here", role="primary")
    line = render(make((finding(1, (short,)),)), "github").splitlines()[1]
    assert "line=4,endLine=4,col=1,endColumn=7,title=" in line


def test_a_finding_of_a_run_is_put_on_its_line_of_code() -> None:
    both = (record(3, "Done.", "claims it", role="primary"), code(9, "refund()", "the tool"))
    assert "file=desk/loop.py,line=9," in render(make((finding(1, both),)), "github")
    alone = render(make((finding(1, both[:1]),)), "github").splitlines()[1]
    assert alone.startswith("::error file=runs/week.jsonl,title=")


@pytest.mark.parametrize("text", [*HOSTILE, "\n".join(HOSTILE)])
def test_no_text_of_the_target_becomes_a_command_or_a_property(text: str) -> None:
    lines = render(hostile(text), "github").split("\n")
    assert lines.pop() == ""
    assert len(lines) == 2
    for line in lines:
        match = COMMAND.fullmatch(line)
        assert match
        keys = [part.partition("=")[0] for part in match[2].split(",")]
        assert set(keys) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert len(keys) == len(set(keys))
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", line)
