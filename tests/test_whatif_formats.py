"""Answers to "what if" in every format: complete, well formed, and safe to show."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from agentcheck.model.event import Source
from agentcheck.model.report import Skipped, Tool
from agentcheck.model.runs import Open
from agentcheck.model.whatif import Answer, Column, Figure, Row, RunSpan, Table
from agentcheck.model.whatif_report import WhatIf
from agentcheck.report.whatif import FORMATS, render_answers
from agentcheck.report.whatif_json import schema
from agentcheck.whatif.tally import NAMED, Tally, difference, share

HOSTILE = "<script>alert(1)</script> | \x1b[31m [a](http://x.example) `b`"
MAIL = "carol.jones@example.com"


def answers(name: str = "refund", text: str = "plain") -> WhatIf:
    calls, stopped = Tally(), Tally()
    for record in range(4):
        calls.add(Source("desk.json", 0, record))
    stopped.add(Source("desk.json", 0, 2, "/tool_calls/0"))
    whole = calls.counted("calls", "call", "every tool call")
    part = stopped.counted("stopped", "call", "the calls decided reject")
    lacking = Figure("cost", None, "usd", "sum", "the cost of replies", unknown="no usage recorded")
    row = Row((name, 3, 0.25, whole, None), (Source("desk.json", 0, 1),), (RunSpan("b", 2, 9),))
    columns = (
        Column("Tool"),
        Column("Calls", "call", "the calls of the tool"),
        Column("Part", "share"),
        Column("Of", "call"),
        Column("Why"),
    )
    answer = Answer(
        topic="policy",
        title="Policy",
        question="What would the policy have decided?",
        runs=1,
        figures=(whole, part, share("part", part, whole, ""), lacking),
        tables=(Table("By tool", columns, (row,), more=2, says="one row a tool"),),
        settings={"threshold": 60},
        notes=(text,),
        open=(Open("not-carried", text),),
    )
    tool = Tool("agentcheck", "1")
    return WhatIf(
        tool=tool, traces=("desk.json",), runs=1, answers=(answer,), skipped=(Skipped("c", "torn"),)
    )


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_figures_tables_records_and_what_is_open(form: str) -> None:
    page = render_answers(answers(), form)
    assert page.endswith("\n")
    for text in ("What would the policy have decided?", "refund", "desk.json", "no usage recorded"):
        assert text in page


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"json"}))
def test_a_figure_that_is_not_known_says_so_and_is_not_shown_as_nothing(form: str) -> None:
    page = render_answers(answers(), form)
    assert "cannot tell" in page
    assert "25.0 %" in page
    assert "$0" not in page


@pytest.mark.parametrize("form", FORMATS)
def test_personal_data_from_runs_is_masked_in_every_format(form: str) -> None:
    page = render_answers(answers(name=MAIL, text=f"ask {MAIL} first"), form)
    assert MAIL not in page
    assert "email-1" in page


def test_the_json_fits_its_schema_and_keeps_every_record() -> None:
    made = json.loads(render_answers(answers(), "json"))
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(made)
    figure = made["answers"][0]["figures"][1]
    assert figure["of"] == [
        {"file": "desk.json", "run": 0, "record": 2, "pointer": "/tool_calls/0"}
    ]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.seen.append(tag)


def test_hostile_text_makes_no_element_of_the_page() -> None:
    tags = _Tags()
    page = render_answers(answers(HOSTILE, HOSTILE), "html")
    tags.feed(page)
    assert "script" not in tags.seen
    assert "a" not in tags.seen
    assert "\x1b" not in page


def test_hostile_text_makes_no_markup_of_the_markdown_and_leaves_the_table_whole() -> None:
    page = render_answers(answers(HOSTILE, HOSTILE), "markdown")
    made = MarkdownIt("commonmark").enable("table").render(page)
    assert "<script" not in made
    assert "<a " not in made
    assert made.count("<td") == made.count("<th>") + made.count("<th ") == 5


def test_hostile_text_drives_no_terminal() -> None:
    assert "\x1b" not in render_answers(answers(HOSTILE, HOSTILE), "full", color="never")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of full, json"):
        render_answers(answers(), "sarif")


def test_records_too_many_to_name_are_given_as_the_runs_that_hold_them() -> None:
    tally = Tally()
    for number in range(NAMED + 1):
        tally.add(Source("a.jsonl", number // 100, number % 100), 0.5)
    figure = tally.summed("cost", "usd", "the cost of replies")
    assert figure.value == (NAMED + 1) * 0.5
    assert not figure.of
    assert not figure.amounts
    assert figure.runs == (RunSpan("a.jsonl", 0, NAMED // 100),)
    assert tally.typical("median", "usd", "median", "").value is None


def test_an_amount_that_is_not_known_makes_a_sum_a_lower_bound() -> None:
    tally = Tally()
    tally.add(Source("a", 0, 1), 2.0)
    tally.add(Source("a", 0, 2), None)
    figure = tally.summed("cost", "usd", "the cost of replies", "1 reply has no usage")
    assert (figure.value, figure.at_least, figure.unknown) == (2.0, True, "1 reply has no usage")
    rest = difference("left", figure, figure, "")
    assert rest.value == 0.0
