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


def test_the_gravest_come_first_and_the_last_counts() -> None:
    low = finding(1, (code(1, "x", "here", role="primary"),), severity="low")
    high = finding(2, (code(2, "y", "here", role="primary"),))
    lines = render(make((low, high)), "github").splitlines()
    assert [line.split()[0] for line in lines] == ["::error", "::notice", "::notice"]
    assert lines[-1].startswith("::notice title=agentcheck::2 findings: 1 high, 1 low")
    assert render(clean(), "github").startswith("::notice title=agentcheck::No findings: ")


def test_columns_are_left_out_when_the_span_covers_lines() -> None:
    long = code(4, "call(", "here", role="primary", end_line=6)
    line = render(make((finding(1, (long,)),)), "github").splitlines()[0]
    assert "line=4,endLine=6,title=" in line
    short = code(4, "call()", "here", role="primary")
    line = render(make((finding(1, (short,)),)), "github").splitlines()[0]
    assert "line=4,endLine=4,col=1,endColumn=7,title=" in line


def test_a_finding_of_a_run_is_put_on_its_line_of_code() -> None:
    both = (record(3, "Done.", "claims it", role="primary"), code(9, "refund()", "the tool"))
    assert "file=desk/loop.py,line=9," in render(make((finding(1, both),)), "github")
    alone = render(make((finding(1, both[:1]),)), "github")
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
