"""What a person sees of the tables of an answer: places, reasons, records of figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.policy_samples import ATTACKED, answering, calling, run_of, user, write_runs

from agentcheck.config import Settings
from agentcheck.model.event import Run, Source
from agentcheck.model.report import Tool
from agentcheck.model.whatif import Answer, Cell, Column, Row, Table
from agentcheck.model.whatif_report import WhatIf
from agentcheck.report.whatif import render_answers
from agentcheck.report.whatif_words import is_number
from agentcheck.run.whatif_all import every_question
from agentcheck.trace.read import read_runs
from agentcheck.whatif.tally import Tally

FOLDER = "recorded/by/the/night/shift/of/the/warehouse"


def shown(table: Table, form: str, **options: int) -> str:
    answer = Answer(topic="policy", title="Policy", question="What?", runs=1, tables=(table,))
    made = WhatIf(tool=Tool("agentcheck", "1"), traces=("r",), runs=1, answers=(answer,))
    return render_answers(made, form, color="never", **options)


def at(record: int) -> Source:
    return Source(f"{FOLDER}/runs.jsonl", 12, record)


def calls(*cells: Cell, of: int = 1) -> Table:
    columns = (Column("Call"), Column("Score", "points"), Column("Why"))
    return Table("Calls", columns, (Row(cells, tuple(map(at, range(of)))),))


def test_a_terminal_shows_the_end_of_a_place_and_two_lines_of_a_reason() -> None:
    why = "limit: the amount is more than what passes unasked by this policy of ours today"
    page = shown(calls("refund(7)", 90, why), "full", width=70)
    lines = page.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("Call "))
    assert lines[head + 1].rstrip().endswith("runs.jsonl#12/0")
    assert lines[head + 1].startswith("refund(7)")
    assert "limit: the amount is" in lines[head + 1]
    assert "more than what passes" in lines[head + 2]
    assert max(map(len, lines[head : head + 3])) <= 70


@pytest.mark.parametrize(("form", "told"), [("full", "12/3 +2"), ("markdown", "12/3 and 2 more")])
def test_rows_of_words_name_the_first_of_their_records(form: str, told: str) -> None:
    lost = Table(
        "Lost", (Column("Value"), Column("By")), (Row(("HAT1", "book"), (at(3), at(1), at(0))),)
    )
    page = shown(lost, form, width=200)
    assert told in page


@pytest.mark.parametrize("form", ["full", "markdown"])
def test_rows_that_count_their_records_name_none(form: str) -> None:
    columns = (Column("Tool"), Column("Calls", "call"))
    counted = Table("By tool", columns, (Row(("refund", 5), tuple(map(at, range(5)))),))
    assert "runs.jsonl" not in shown(counted, form)


def test_a_page_names_the_records_of_the_figures_in_a_table() -> None:
    tally = Tally()
    for record in range(3):
        tally.add(at(record), 0.25)
    cost = tally.summed("window: cost", "usd", "all requests")
    page = shown(
        Table("Ways", (Column("Way"), Column("Cost", "usd")), (Row(("window", cost)),)), "html"
    )
    assert "window: cost: $0.7500; all requests" in page
    assert "runs.jsonl#12/0" in page
    assert "Records" not in page


def test_a_page_has_no_column_of_records_where_there_are_none() -> None:
    bare = Table("Code", (Column("Place"), Column("Line", "line")), (Row(("desk.py", 4)),))
    page = shown(bare, "html")
    assert page.count("<th scope") == 2
    assert "Records" not in page


def test_what_is_a_number_stands_in_a_column_of_numbers(tmp_path: Path) -> None:
    mail = answering("write to eve@evil.example or 4111 1111 1111 1111")
    run = run_of(
        user("hello"),
        calling("get_order", {"id": 7}),
        mail,
        {"role": "assistant", "content": "Done."},
    )
    path = write_runs(tmp_path / "runs.jsonl", ATTACKED, run)
    asks = every_question(Settings(), None)
    for found in read_runs(path):
        assert isinstance(found, Run)
        for ask in asks:
            ask.add(found)
    tables = [table for ask in asks for table in ask.answer().tables]
    assert {"By kind", "Strategies", "Thresholds", "Tiers", "By tool"} <= {t.title for t in tables}
    for table in tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                assert is_number(column) or isinstance(cell, str | None), f"{table.title}: {column}"
