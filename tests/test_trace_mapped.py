"""Logs of a user's own form, read by what he says of them in the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here
from tests.mapped_samples import (
    KEYS,
    KINDS,
    PLANNER,
    asked,
    audit,
    came,
    event,
    found,
    looked_up,
    only,
    rules,
    thought,
)
from tests.run_checks import answers
from tests.test_trace_every_format import damaged
from tests.trace_samples import lines

from agentcheck.model.event import (
    Approval,
    Compaction,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    return Here(capfd)


# What is read


def test_each_kind_of_record_becomes_its_event(tmp_path: Path) -> None:
    rows = [
        event("heard", heard="Cancel my card."),
        event("screened", guard="tone", hit=False),
        event("beat"),
        thought("I will."),
        asked("cancel_card", card=7),
        event("signed", ref="1", verdict="thumbs up"),
        came("cancelled"),
        event("shrunk"),
        event("passed", to="billing"),
        event("left", how="ok"),
    ]
    run = only(lines(tmp_path / "log.jsonl", rows))
    kinds = [type(one) for one in run.events]
    assert kinds == [
        *(RunStart, Message, Guardrail, ModelCall, Message, ToolCall, Approval, ToolResult),
        *(Compaction, Handoff, RunEnd),
    ]
    [reply], [call], [result] = run.all(ModelCall), run.all(ToolCall), run.all(ToolResult)
    assert (reply.response_model, reply.input_tokens, reply.output_tokens) == ("gpt-4o", 100, 10)
    assert (reply.finish_reason, reply.finish_raw, reply.agent) == ("tool_call", "act", "desk")
    assert (call.arguments, call.source.record) == ({"card": 7}, 4)
    assert (result.call_key, result.duration) == (call.call_key, 0.04)
    assert (result.is_error, result.ts) == (False, 1_770_000_000)
    [approval], [handoff], [end] = run.all(Approval), run.all(Handoff), run.all(RunEnd)
    assert (approval.call_key, approval.state) == (call.call_key, "granted")
    assert (handoff.from_agent, handoff.to_agent, end.status) == ("desk", "billing", "completed")
    assert not run.all(Guardrail)[0].triggered
    assert run.format == "deskbot"
    assert run.known == {
        *("content", "results", "errors", "approval", "handoffs", "usage", "finish", "time"),
    }


def test_runs_that_interleave_are_told_apart(tmp_path: Path) -> None:
    one, two = looked_up("1"), [row | {"session": "t"} for row in looked_up("1", "Emma", "shelf")]
    rows = [row for pair in zip(one, two, strict=True) for row in pair]
    runs, why = found(lines(tmp_path / "log.jsonl", rows))
    assert [run.id for run in runs] == ["s", "t"]
    assert [run.all(ToolCall)[0].arguments for run in runs] == [
        {"title": "Dune"},
        {"title": "Emma"},
    ]
    assert why == []


def test_one_list_of_events_is_read_as_well_and_without_an_id_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(looked_up("1"), indent=1), "utf-8")
    assert only(path, KEYS.replace('run = "/session"\n', "") + KINDS).id == "0"


def test_calls_listed_in_a_reply_are_one_batch(tmp_path: Path) -> None:
    text = KEYS.replace(
        'tool = "/data/fn"', 'calls = "/data/calls"\ntool = ["/data/fn", "/fn"]'
    ).replace('call-id = "/data/ref"', 'call-id = ["/data/ref", "/ref"]')
    both = [{"fn": "find_book", "ref": "1"}, {"fn": "find_reader", "ref": "2"}]
    started = [event("asked", fn="find_book", ref="1")]
    rows = [thought(calls=both), *started, came("no one", "2"), came("shelf 4", "1")]
    run = only(lines(tmp_path / "log.jsonl", rows), text + KINDS)
    book, reader = run.all(ToolCall)
    assert (book.batch, reader.batch, reader.source.pointer) == (0, 1, "/data/calls/1")
    assert run.answers[book.call_key].content == "shelf 4"
    assert run.answers[reader.call_key].content == "no one"


def test_without_ids_results_go_by_tool_and_then_by_order(tmp_path: Path) -> None:
    text = KEYS.replace('call-id = "/data/ref"\n', "") + KINDS
    rows = [
        *(thought(), asked("a"), asked("b"), came("of b", fn="b"), came("of a", fn="a")),
        *(thought(), asked("a"), asked("b"), came("first"), came("second")),
    ]
    run = only(lines(tmp_path / "log.jsonl", rows), text)
    told = [run.answers[call.call_key].content for call in run.all(ToolCall)]
    assert told == ["of a", "of b", "first", "second"]


def test_a_run_of_steps_has_its_task_calls_and_answer(tmp_path: Path) -> None:
    step = {"thought": "Look.", "action": {"name": "find", "input": {"t": 1}}, "observation": "x"}
    row = {"id": 7, "bot": "planner-2", "question": "Is Emma in?", "trace": [step, step]}
    row |= {"answer": "Yes.", "success": False}
    run = only(lines(tmp_path / "runs.jsonl", [row]), PLANNER)
    assert (run.id, run.name) == ("7", "planner-2")
    assert [m.text for m in run.all(Message)] == ["Is Emma in?", "Look.", "Look.", "Yes."]
    assert [call.source.record for call in run.all(ToolCall)] == [0, 1]
    assert len(run.answers) == len(run.all(ModelCall)) == 2
    [end] = run.all(RunEnd)
    assert (end.status, end.output, end.source.record) == ("error", "Yes.", "run")


# What the audit says of it


def test_planted_faults_are_found_at_their_records(here: Here, tmp_path: Path) -> None:
    rows = [event("heard", heard="Renew Dune.")]
    rows += [row for ref in "123" for row in looked_up(ref)]
    rows += [thought(), asked("renew", "9", book="Dune")]
    rows += [thought("mail me at ann@library.org, key sk-proj-Zk3abcdefgh12345678", why="cap")]
    done = audit(here, lines(tmp_path / "log.jsonl", rows))
    assert done.code == 1
    shown = rules(done)
    assert shown.keys() == {
        *("repeated-call", "unpaired-tool-call", "finish-reason-unchecked", "content-logged"),
    }
    assert shown["repeated-call"][0].endswith("log.jsonl#0/8")
    assert shown["unpaired-tool-call"][0].endswith("log.jsonl#0/11")
    assert shown["finish-reason-unchecked"][0].endswith("log.jsonl#0/12")
    assert "sk-proj" not in done.out
    assert "ann@library.org" not in done.out


def test_a_run_that_only_looks_like_them_is_left_alone(here: Here, tmp_path: Path) -> None:
    rows = [event("heard", heard="Find three books.")]
    titles = ("Dune", "Emma", "Ulysses")
    rows += [row for ref, title in enumerate(titles) for row in looked_up(str(ref), title)]
    rows += [thought("The key is on shelf 4, ask desk-17.", why="done"), event("left", how="ok")]
    done = audit(here, lines(tmp_path / "log.jsonl", rows))
    assert (done.code, rules(done)) == (0, {})


def test_what_is_not_mapped_is_not_judged(tmp_path: Path) -> None:
    rows = [row for ref in "1234" for row in looked_up(ref)]
    path = lines(tmp_path / "log.jsonl", rows)
    blind = only(path, KEYS.replace('arguments = "/data/with"\n', "") + KINDS)
    assert "content" not in blind.known
    assert {a.verdict for a in answers("repeated-call", blind)} == {"cannot-tell"}
    plain = KEYS.replace('result = "/data/got"\n', "").replace('error = "/data/ok"\n', "")
    deaf = only(path, plain + KINDS.replace('came = "tool-result"', 'came = "ignore"'))
    assert {a.verdict for a in answers("unpaired-tool-call", deaf)} == {"cannot-tell"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (event("retry"), 'line 4: its kind "retry" is not among `kinds`'),
        ({"session": "s"}, "line 4: nothing stands at `kind` (/ev)"),
        (event("asked", ref="2"), "line 4: it is a tool-call, and nothing stands at `tool`"),
        (event("asked", fn=[]), "line 4: the tool of a tool-call has no name"),
        (event("signed", verdict="hm"), "line 4: what it says of an approval is not among"),
        ([1], "line 4: no object; left out"),
        (b"{", "line 4: cut off in the middle; left out"),
    ],
)
def test_a_record_that_is_not_explained_is_named_and_spoils_the_run(
    tmp_path: Path, row: Any, why: str
) -> None:
    runs, skipped = found(lines(tmp_path / "log.jsonl", [*looked_up("1"), row, thought()]))
    assert [one[: len(why)] for one in skipped] == [why]
    [run] = runs
    assert run.unknown_records == 1
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_own_formats_come_before_those_that_ship(tmp_path: Path) -> None:
    text = '[trace.formats.mine]\nkind = "/role"\ntext = "/content"\n'
    text += 'kinds = { user = "user", assistant = "assistant" }\n'
    rows = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    run = only(lines(tmp_path / "log.jsonl", rows), text)
    assert (run.format, len(run.all(ModelCall))) == ("mine", 0)
    rows = [{"role": "user", "content": "Hi."}, {"role": "tool", "content": "x"}]
    assert only(lines(tmp_path / "log.jsonl", rows), "").format == "chat messages"


def test_a_log_that_is_not_quite_the_mapping_is_told_why(tmp_path: Path) -> None:
    rows = [{"session": "s", "event": "heard"}]
    runs, [why] = found(lines(tmp_path / "log.jsonl", rows))
    assert runs == []
    assert "closest is audit log" in why
    assert "deskbot: nothing stands at `kind` (/ev)" in why
    runs, [why] = found(lines(tmp_path / "log.jsonl", [{"id": 1, "tracee": []}]), PLANNER)
    assert 'planner: no list stands at `steps` ("/trace")' in why
    assert "it has `tracee` where that has `trace`" in why


def stuck() -> list[tuple[str, list[Any]]]:
    """A run that looks a book up three times, as events and as steps."""
    step = {"thought": "Look.", "action": {"name": "find", "input": {"t": 1}}, "observation": "x"}
    events = [event("heard", heard="Find Dune."), *looked_up("1"), *looked_up("2"), *looked_up("3")]
    return [(KEYS + KINDS, events), (PLANNER, [{"id": 7, "trace": [step] * 3}])]


@pytest.mark.parametrize("number", [0, 1], ids=["events", "steps"])
def test_a_fault_whose_evidence_cannot_be_read_is_never_found_right(
    tmp_path: Path, number: int
) -> None:
    text, rows = stuck()[number]
    whole = only(lines(tmp_path / "log.jsonl", rows), text)
    assert any(answer.hit for answer in answers("repeated-call", whole))
    for what, spoilt in damaged(rows):
        runs, why = found(lines(tmp_path / "log.jsonl", spoilt), text)
        assert runs or why, what
        told = [answer for run in runs for answer in answers("repeated-call", run)]
        if not any(answer.hit for answer in told):
            assert {answer.verdict for answer in told} <= {"cannot-tell"}, what
