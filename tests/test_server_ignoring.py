"""Where an ignore comment can be written by the language server."""

from __future__ import annotations

import pytest
from pygls.workspace import PositionCodec

from agentcheck.model.assessment import CodeEvidence
from agentcheck.server.edits import text_edits
from agentcheck.server.ignoring import ignored


def place(line: int, end_line: int | None = None) -> CodeEvidence:
    return CodeEvidence("primary", "a.py", line, end_line or line, 1, 2, "", "")


@pytest.mark.parametrize(
    ("text", "where", "expected"),
    [
        ("x = 1\n", place(1), "x = 1  # agentcheck: ignore[r-one]\n"),
        ("x = 1", place(1), "x = 1  # agentcheck: ignore[r-one]"),
        ("x = 1\r\ny\r\n", place(1), "x = 1  # agentcheck: ignore[r-one]\r\ny\r\n"),
        ("x = 1  # noqa\n", place(1), "x = 1  # noqa  # agentcheck: ignore[r-one]\n"),
        (
            "x = 1  # agentcheck: ignore[r-two] why\n",
            place(1),
            "x = 1  # agentcheck: ignore[r-two, r-one] why\n",
        ),
        (  # a backslash takes no comment behind it, but the last line does
            "x = 1 + \\\n    2\n",
            place(1, 2),
            "x = 1 + \\\n    2  # agentcheck: ignore[r-one]\n",
        ),
        (  # inside a string there are no comments
            'def f():\n    x = """\n    a\n    """\n',
            place(2, 3),
            'def f():\n    # agentcheck: ignore[r-one]\n    x = """\n    a\n    """\n',
        ),
        (  # what holds for a time is not made to hold for more
            "x = 1  # agentcheck: ignore[r-two] expires=2031-01-01\n",
            place(1),
            "# agentcheck: ignore[r-one]\nx = 1  # agentcheck: ignore[r-two] expires=2031-01-01\n",
        ),
        ('"""\na\nb\n"""\n', place(2, 3), None),
        (
            's = "# agentcheck: ignore[no]"\n',
            place(1),
            's = "# agentcheck: ignore[no]"  # agentcheck: ignore[r-one]\n',
        ),
    ],
)
def test_a_comment_is_written_where_it_is_one(
    text: str, where: CodeEvidence, expected: str | None
) -> None:
    assert ignored(text, where, "r-one") == expected


def test_edits_touch_only_the_lines_that_change() -> None:
    before, after = "a\nb\nc\nd", "a\nB\nc\nd\n# e"
    codec = PositionCodec()
    edits = text_edits(before, after, codec)
    ranges = [(e.range.start.line, e.range.end.line, e.range.end.character) for e in edits]
    assert ranges == [(1, 2, 0), (3, 3, 1)]
    assert [e.new_text for e in edits] == ["B\n", "d\n# e"]
