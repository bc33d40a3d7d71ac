"""Ignore comments: which rules, why, until when."""

from __future__ import annotations

import datetime as dt

import pytest

from agentcheck.facts.read import read_facts
from agentcheck.model.facts import Ignore
from agentcheck.model.location import Span


def ignores(text: str) -> tuple[Ignore, ...]:
    return read_facts("a.py", text.encode()).ignores


def test_an_ignore_says_which_rules_why_and_until_when() -> None:
    text = "x = 1  # agentcheck: ignore[rule-a, AC101] known to be safe expires=2027-01-31\n"
    assert ignores(text) == (
        Ignore(
            Span(1, 8, 1, 79),
            ("rule-a", "AC101"),
            "known to be safe",
            dt.date(2027, 1, 31),
        ),
    )


@pytest.mark.parametrize(
    ("comment", "rules", "reason"),
    [
        ("# agentcheck: ignore", (), ""),
        ("#agentcheck:ignore", (), ""),
        ("# agentcheck: ignore because", (), "because"),
        ("# agentcheck: ignore[]", (), ""),
        ("# agentcheck: ignore [a] - why", ("a",), "why"),
        ("# agentcheck: ignore[ a ,b, ]: why: so", ("a", "b"), "why: so"),
        ("# noqa: E501  # agentcheck: ignore[a] see #12", ("a",), "see #12"),
        ("# agentcheck: ignore[a] why  # noqa: E501", ("a",), "why"),
    ],
)
def test_the_forms_people_write_are_understood(
    comment: str, rules: tuple[str, ...], reason: str
) -> None:
    (ignore,) = ignores(f"x = 1  {comment}\n")
    assert (ignore.rules, ignore.reason, ignore.expires) == (rules, reason, None)


@pytest.mark.parametrize("date", ["2027-02-30", "2027-13-01", "soon", "2027-1-1"])
def test_a_date_that_does_not_exist_stays_in_the_reason(date: str) -> None:
    (ignore,) = ignores(f"x = 1  # agentcheck: ignore[a] why expires={date}\n")
    assert ignore.expires is None
    assert ignore.reason == f"why expires={date}"


@pytest.mark.parametrize(
    "text",
    [
        's = "# agentcheck: ignore[a]"\n',
        "s = '''\n# agentcheck: ignore[a]\n'''\n",
        "# agentcheck: ignored\n",
        "# agentcheck is a tool: ignore\n",
        "# Agents: ignore\n",
        "# agentcheck: ignore-file\n",
    ],
)
def test_what_only_looks_like_an_ignore_is_none(text: str) -> None:
    assert ignores(text) == ()


def test_ignores_are_found_on_their_lines_in_any_text() -> None:
    text = (
        "x = '\u4e2d'  # agentcheck: ignore[a]\n\x0c\ndef f():\n\t# agentcheck: ignore[b]\n\tpass\n"
    )
    first, second = ignores(text.replace("\n", "\r\n"))
    assert first.span == Span(1, 10, 1, 33)
    assert second.span == Span(4, 2, 4, 25)
