"""One run in every export that is read: the same events, whatever wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.export_samples import EXPORTS
from tests.export_spans import ASK, CANCEL, FIND, SORRY
from tests.run_checks import answers
from tests.trace_samples import document, lines, only, only_run, split

from agentcheck.model.event import Message, ModelCall, Run, RunEnd, ToolCall, ToolResult

NO_ERRORS = {"AutoGen 0.2 chat history"}
NO_USAGE = {"AutoGen 0.2 chat history"}
NO_FINISH = {"AutoGen 0.2 chat history", "AutoGen messages", "Langfuse observations"}
FORMS = pytest.mark.parametrize("form", EXPORTS)


def read(tmp_path: Path, form: str) -> Run:
    return only_run(lines(tmp_path / "run.jsonl", EXPORTS[form]))


@FORMS
def test_the_calls_and_their_results_are_those_of_the_run(tmp_path: Path, form: str) -> None:
    run = read(tmp_path, form)
    assert run.format == form
    assert [(c.name, c.arguments, c.batch) for c in run.all(ToolCall)] == [
        ("find_reader", FIND, 0),
        ("cancel_card", CANCEL, 1),
    ]
    found = [run.answers[call.call_key].content for call in run.all(ToolCall)]
    assert found[0] == "reader 7"
    assert "no such card" in found[1]
    assert len(run.all(ToolResult)) == 2


@FORMS
def test_each_message_is_told_once_by_whom_it_was_said(tmp_path: Path, form: str) -> None:
    run = read(tmp_path, form)
    said = [(m.role, m.text) for m in run.all(Message) if m.role != "system"]
    assert said == [("user", ASK), ("assistant", SORRY)]
    assert len(run.all(ModelCall)) == 2
    assert run.unknown_records == 0
    end = only(run, RunEnd)
    assert (end.status, end.output) == ("completed", SORRY)


@FORMS
def test_events_follow_the_order_of_the_run(tmp_path: Path, form: str) -> None:
    run = read(tmp_path, form)
    told = [type(event).__name__ for event in run.events]
    assert told[0] == "RunStart"
    assert told[-1] == "RunEnd"
    first, second = (call.seq for call in run.all(ModelCall))
    assert all(first < call.seq < second for call in run.all(ToolCall))
    assert all(first < result.seq < second for result in run.all(ToolResult))


@FORMS
def test_errors_usage_and_finish_reasons_are_known_where_they_are_written(
    tmp_path: Path, form: str
) -> None:
    run = read(tmp_path, form)
    first, last = run.all(ModelCall)
    assert ("errors" in run.known) == (form not in NO_ERRORS)
    assert ("usage" in run.known) == (form not in NO_USAGE)
    assert ("finish" in run.known) == (form not in NO_FINISH)
    if form not in NO_USAGE:
        assert (first.input_tokens, first.output_tokens) == (50, 9)
    if form not in NO_FINISH:
        assert last.finish_reason == "length"
    marks = [r.is_error for r in run.all(ToolResult)]
    assert marks == ([None, None] if form in NO_ERRORS else [False, True])


@FORMS
def test_a_file_of_one_document_reads_like_lines(tmp_path: Path, form: str) -> None:
    rows = EXPORTS[form]
    whole = only_run(document(tmp_path / "run.json", rows if len(rows) > 1 else rows[0]))
    assert [type(e) for e in whole.events] == [type(e) for e in read(tmp_path, form).events]


@FORMS
def test_a_torn_last_line_is_named_and_the_run_before_it_is_read(tmp_path: Path, form: str) -> None:
    path = lines(tmp_path / "run.jsonl", [*EXPORTS[form], EXPORTS[form][-1]])
    path.write_bytes(path.read_bytes()[:-20])
    runs, skipped = split(path)
    assert len(runs) == 1
    assert "cut off in the middle" in skipped[0].why


@FORMS
def test_an_unknown_line_is_named(tmp_path: Path, form: str) -> None:
    runs, skipped = split(lines(tmp_path / "run.jsonl", [*EXPORTS[form], {"weather": "rain"}]))
    assert len(runs) == 1
    assert "line" in skipped[0].why


@FORMS
def test_clean_exports_raise_no_alarm_but_for_the_reply_that_was_cut(
    tmp_path: Path, form: str
) -> None:
    run = read(tmp_path, form)
    for topic in ("unpaired-tool-call", "tool-args-unguarded", "tool-args-off-schema"):
        assert not [a for a in answers(topic, run) if a.hit]
    cut = [a for a in answers("finish-reason-unchecked", run) if a.hit]
    assert bool(cut) == (form not in NO_FINISH)


ORDERED_BY_CLOCK = [form for form, rows in EXPORTS.items() if len(rows) > 1][:4]


@pytest.mark.parametrize("form", ORDERED_BY_CLOCK)
def test_records_may_come_in_any_order(tmp_path: Path, form: str) -> None:
    rows = EXPORTS[form]
    run = only_run(lines(tmp_path / "run.jsonl", [*rows[1::2], *rows[::2]]))
    assert [type(e) for e in run.events] == [type(e) for e in read(tmp_path, form).events]
