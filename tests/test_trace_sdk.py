"""The export of the OpenAI Agents SDK -> events."""

from __future__ import annotations

from pathlib import Path

from tests.trace_samples import Json, Sdk, asked, item, lines, only, only_run, runs_of, said, split

from agentcheck.model.event import (
    Approval,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)


def one_call(sdk: Sdk, output: str | None = "cancelled", error: Json | None = None) -> Sdk:
    """A run with one tool call, and an answer where the call has an output."""
    task, agent = sdk.opening()
    call = item("cancel_card", {"card": 7})
    turn = sdk.turn(agent, 1, call)
    sdk.ran(turn, call, output, error)
    sdk.end(turn)
    if output is not None:
        sdk.end(sdk.turn(agent, 2, said("Cancelled.")))
    sdk.end(agent, task)
    return sdk


def test_spans_are_put_in_the_order_of_their_start(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "t.jsonl", one_call(Sdk()).rows))
    told = [type(event).__name__ for event in run.events]
    assert told == [
        "RunStart",
        "Message",
        "ModelCall",
        "ToolCall",
        "ToolResult",
        "ModelCall",
        "Message",
        "RunEnd",
    ]
    assert only(run, RunStart).workflow == "Library desk"
    assert only(run, RunEnd).status == "completed"
    assert [m.text for m in run.all(Message)] == ["My card is lost.", "Cancelled."]


def test_calls_stand_in_the_generation_and_results_in_the_function_span(tmp_path: Path) -> None:
    rows = one_call(Sdk()).rows
    kinds = {row["id"]: row.get("span_data", {}).get("type") for row in rows}
    run = only_run(lines(tmp_path / "t.jsonl", rows))
    call, answer = only(run, ToolCall), only(run, ToolResult)
    assert kinds[call.source.record] == "generation"
    assert kinds[answer.source.record] == "function"
    assert (answer.call_key, answer.content, answer.is_error) == (
        call.call_key,
        "cancelled",
        False,
    )
    assert (call.agent, call.arguments) == ("Desk", {"card": 7})


def test_usage_and_times_are_read_and_finish_reasons_not_claimed(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "t.jsonl", one_call(Sdk()).rows))
    first = run.all(ModelCall)[0]
    assert (first.input_tokens, first.output_tokens, first.response_model) == (50, 9, "model-a")
    assert first.duration is not None
    assert first.duration > 0
    assert {"usage", "time", "approval", "handoffs", "results", "errors"} <= run.known
    assert "finish" not in run.known


def test_interleaved_traces_are_told_apart(tmp_path: Path) -> None:
    one, two = one_call(Sdk("trace_1")).rows, one_call(Sdk("trace_2")).rows
    mixed = [row for pair in zip(one, two, strict=True) for row in pair]
    runs = runs_of(lines(tmp_path / "t.jsonl", mixed))
    assert [(run.id, run.index) for run in runs] == [("trace_1", 0), ("trace_2", 1)]
    assert [len(run.all(ToolCall)) for run in runs] == [1, 1]


def test_upload_bodies_hold_the_same_objects(tmp_path: Path) -> None:
    rows = one_call(Sdk()).rows
    body = only_run(lines(tmp_path / "b.jsonl", [{"data": rows[:3]}, {"data": rows[3:]}]))
    assert body.events == only_run(lines(tmp_path / "b.jsonl", rows)).events


def test_chat_messages_in_generations_are_read_too(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    reply = {"role": "assistant", "content": None, "tool_calls": [asked("find_reader")]}
    turn = sdk.turn(agent, 1, reply)
    sdk.ran(turn, item("find_reader"), "reader 7")
    sdk.end(turn, agent, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert only(run, ToolCall).source.pointer == "/span_data/output/0/tool_calls/0"
    assert only(run, ToolResult).call_key == only(run, ToolCall).call_key


def test_function_spans_are_the_calls_where_replies_are_not_recorded(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    response = sdk.span(agent, "response", response_id="resp_1", usage={"input_tokens": 5})
    sdk.end(response)
    sdk.ran(agent, item("find_reader", {"card": 7}), "reader 7")
    sdk.end(agent, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert only(run, ModelCall).input_tokens == 5
    assert only(run, ToolCall).arguments == {"card": 7}


def test_a_call_without_output_at_the_end_waits_for_an_approval(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "t.jsonl", one_call(Sdk(), None).rows))
    assert only(run, Approval).state == "requested"
    assert run.all(ToolResult) == []
    assert only(run, RunEnd).status == "interrupted"


def test_a_call_without_output_that_is_followed_by_a_turn_returned_nothing(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    call = item("cancel_card")
    turn = sdk.turn(agent, 1, call)
    sdk.ran(turn, call, None)
    sdk.end(turn, sdk.turn(agent, 2, said("Done.")), agent, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert run.all(Approval) == []
    assert only(run, ToolResult).content == ""


def test_an_approved_call_that_runs_later_is_one_call(tmp_path: Path) -> None:
    sdk = one_call(Sdk(), None)
    call = item("cancel_card", {"card": 7})
    task, agent = sdk.opening()
    turn = sdk.custom(agent, "turn", turn=2, agent_name="Desk")
    sdk.ran(turn, call, "cancelled")
    sdk.end(turn, agent, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert [a.state for a in run.all(Approval)] == ["requested", "granted"]
    assert run.answers[only(run, ToolCall).call_key].content == "cancelled"


def test_a_turn_limit_ends_the_run_in_its_last_turn(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    turns = [sdk.turn(agent, n, item("find_reader", call_id=f"c{n}")) for n in (1, 2)]
    sdk.end(*turns)
    error = {"message": "Max turns exceeded", "data": {"max_turns": 2}}
    sdk.end(agent | {"error": error}, task)
    end = only(only_run(lines(tmp_path / "t.jsonl", sdk.rows)), RunEnd)
    assert (end.status, end.source.record) == ("max_turns", turns[1]["id"])


def test_a_tool_error_is_marked(tmp_path: Path) -> None:
    error = {"message": "Error running tool (non-fatal)", "data": {"tool_name": "cancel_card"}}
    rows = one_call(Sdk(), "An error occurred.", error).rows
    answer = only(only_run(lines(tmp_path / "t.jsonl", rows)), ToolResult)
    assert (answer.is_error, answer.content) == (True, "An error occurred.")


def test_two_handoffs_of_one_reply_are_told_although_one_span_is_left(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    to_cards, to_fines = item("go_cards", call_id="h1"), item("go_fines", call_id="h2")
    turn = sdk.turn(agent, 1, to_cards, to_fines)
    error = {"message": "Multiple handoffs", "data": {"requested_agents": ["Cards", "Fines"]}}
    span = sdk.span(turn, "handoff", error, from_agent="Desk", to_agent="Cards")
    sdk.answer(to_fines, "Multiple handoffs detected, ignoring this one.")
    sdk.answer(to_cards, '{"assistant": "Cards"}')
    sdk.end(span, turn, agent)
    cards = sdk.span(task, "agent", name="Cards")
    sdk.end(sdk.turn(cards, 2, said("Hello.")), cards, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    told = [(h.from_agent, h.to_agent, h.batch, h.accepted) for h in run.all(Handoff)]
    assert told == [("Desk", "Cards", 0, True), ("Desk", "Fines", 1, False)]
    assert {h.call_key for h in run.all(Handoff)} == {c.call_key for c in run.all(ToolCall)}


def test_guardrails_are_events_and_unknown_spans_are_counted(tmp_path: Path) -> None:
    sdk = one_call(Sdk())
    sdk.end(sdk.span(None, "guardrail", name="no-spoilers", triggered=True))
    sdk.end(sdk.span(None, "telepathy"), sdk.span(None, "mcp_tools", server="s", result=[]))
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert (only(run, Guardrail).name, only(run, Guardrail).triggered) == ("no-spoilers", True)
    assert run.unknown_records == 1


def test_a_lost_line_inside_a_trace_makes_it_incomplete(tmp_path: Path) -> None:
    rows: list[object] = list(one_call(Sdk("trace_1")).rows)
    rows[3] = b'{"object": "trace.span", "id": "spa'
    other = one_call(Sdk("trace_2")).rows
    runs, skipped = split(lines(tmp_path / "t.jsonl", [*rows, *other]))
    assert [s.why for s in skipped] == ["line 4: cut off in the middle; left out"]
    assert [bool(run.unknown_records) for run in runs] == [True, False]


def test_a_trace_that_was_cut_off_at_the_end_is_incomplete(tmp_path: Path) -> None:
    rows = one_call(Sdk()).rows
    run = only_run(lines(tmp_path / "t.jsonl", rows[:-1]))
    assert run.unknown_records == 1
