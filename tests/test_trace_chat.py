"""Chat messages in the shapes that providers and frameworks write them in -> events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.trace_samples import (
    LOAN,
    asked,
    assistant,
    document,
    lines,
    only,
    only_run,
    result,
    runs_of,
    user,
)

from agentcheck.model.event import Handoff, Message, ModelCall, RunStart, ToolCall, ToolResult


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([LOAN], id="a bare list a line"),
        pytest.param([{"messages": LOAN}], id="under messages"),
        pytest.param([{"id": 7, "steps": [1, 2], "log": LOAN}], id="under any other key"),
        pytest.param(LOAN, id="one message a line"),
    ],
)
def test_a_run_is_found_wherever_its_messages_stand(tmp_path: Path, rows: list[Any]) -> None:
    run = only_run(lines(tmp_path / "runs.jsonl", rows))
    call = only(run, ToolCall)
    assert (call.name, call.arguments, call.source.record) == ("renew", {}, 1)
    assert run.answers[call.call_key].content == "renewed"
    assert [m.text for m in run.all(Message)] == ["Renew Dune", "Done."]


def test_a_document_may_hold_one_run_or_a_list_of_them(tmp_path: Path) -> None:
    assert only_run(document(tmp_path / "one.json", LOAN)).index == 0
    assert only_run(document(tmp_path / "under.json", {"history": LOAN})).index == 0
    two = runs_of(document(tmp_path / "two.json", [{"messages": LOAN}, {"messages": LOAN}]))
    assert [run.index for run in two] == [0, 1]


def test_runs_are_numbered_by_their_line(tmp_path: Path) -> None:
    path = lines(tmp_path / "runs.jsonl", [{"messages": LOAN}, b"", {"messages": LOAN}])
    runs = runs_of(path)
    assert [run.index for run in runs] == [0, 2]
    assert {event.source.run for event in runs[1].events} == {2}
    assert {event.source.file for event in runs[1].events} == {"runs.jsonl"}


def test_results_belong_to_the_reply_they_follow_for_ids_repeat(tmp_path: Path) -> None:
    messages = [
        user("Renew two"),
        assistant(None, asked("renew", {"title": "Dune"})),
        result("first"),
        assistant(None, asked("renew", {"title": "Emma"})),
        result("second"),
    ]
    run = only_run(lines(tmp_path / "runs.jsonl", [messages]))
    first, second = run.all(ToolCall)
    assert first.call_id == second.call_id
    assert first.call_key != second.call_key
    assert [run.answers[c.call_key].content for c in (first, second)] == ["first", "second"]


def test_calls_of_one_reply_are_numbered_and_may_be_answered_in_any_order(tmp_path: Path) -> None:
    reply = assistant(None, asked("a", call_id="x"), asked("b", call_id="y"))
    path = lines(
        tmp_path / "runs.jsonl", [[user("Go"), reply, result("of b", "y"), result("of a", "x")]]
    )
    run = only_run(path)
    assert [(c.name, c.batch, run.answers[c.call_key].content) for c in run.all(ToolCall)] == [
        ("a", 0, "of a"),
        ("b", 1, "of b"),
    ]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param({"id": "c1", "name": "renew", "args": {"title": "Dune"}}, id="LangChain"),
        pytest.param(
            {"id": "c1", "function": "renew", "args": {"title": "Dune"}}, id="function is a name"
        ),
        pytest.param({"id": "c1", "name": "renew", "arguments": '{"title":"Dune"}'}, id="flat"),
    ],
)
def test_tool_calls_are_read_in_their_other_shapes(tmp_path: Path, call: dict[str, Any]) -> None:
    messages = [user("Renew"), assistant(None, call), result("renewed"), assistant("Done.")]
    run = only_run(lines(tmp_path / "runs.jsonl", [messages]))
    assert only(run, ToolCall).arguments == {"title": "Dune"}
    assert only(run, ToolResult).call_key == only(run, ToolCall).call_key


def test_anthropic_parts_are_calls_and_results(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "renew", "input": {"title": "Dune"}}
    back = {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
    messages = [user("Renew"), {"role": "assistant", "content": [use]}]
    messages.append({"role": "user", "content": [back]})
    run = only_run(lines(tmp_path / "runs.jsonl", [messages]))
    answer = run.answers[only(run, ToolCall).call_key]
    assert (answer.content, answer.is_error, answer.source.pointer) == ("no", True, "/content/0")
    assert "errors" in run.known
    assert [m.text for m in run.all(Message)] == ["Renew"]


def test_items_of_the_responses_api_form_one_reply(tmp_path: Path) -> None:
    items = [
        user("Renew two"),
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "call_id": "x", "name": "renew", "arguments": "{}"},
        {"type": "function_call", "call_id": "y", "name": "renew", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "y", "output": "2"},
        {"type": "function_call_output", "call_id": "x", "output": "1"},
        {"type": "message", "role": "assistant", "content": [{"text": "Done."}]},
    ]
    run = only_run(lines(tmp_path / "runs.jsonl", [{"input": items}]))
    assert len(run.all(ModelCall)) == 2
    assert [(c.batch, run.answers[c.call_key].content) for c in run.all(ToolCall)] == [
        (0, "1"),
        (1, "2"),
    ]
    assert run.unknown_records == 0


def test_the_old_function_call_is_answered_by_name(tmp_path: Path) -> None:
    call = {"role": "assistant", "content": None, "function_call": asked("renew")["function"]}
    answer = {"role": "function", "name": "renew", "content": "renewed"}
    run = only_run(lines(tmp_path / "runs.jsonl", [[user("Renew"), call, answer]]))
    assert run.answers[only(run, ToolCall).call_key].content == "renewed"


def test_swarm_histories_tell_handoffs(tmp_path: Path) -> None:
    messages = [
        user("A fine"),
        assistant(None, asked("to_fines", call_id="h1"), sender="Desk"),
        result('{"assistant": "Fines"}', "h1", tool_name="to_fines"),
        assistant("Paid.", sender="Fines"),
    ]
    run = only_run(lines(tmp_path / "runs.jsonl", [messages]))
    handoff = only(run, Handoff)
    assert (handoff.from_agent, handoff.to_agent, handoff.batch) == ("Desk", "Fines", 0)
    assert handoff.call_key == only(run, ToolCall).call_key
    assert [call.agent for call in run.all(ModelCall)] == ["Desk", "Fines"]
    assert "handoffs" in run.known


def test_early_swarm_logs_have_calls_and_no_results(tmp_path: Path) -> None:
    tool = {"task_id": "a", "role": "user", "tool": {"tool": "query_docs", "args": {"q": "hours"}}}
    log = [{"task_id": "a", "role": "user", "content": "Hours?"}, tool]
    run = only_run(document(tmp_path / "session.json", log))
    assert only(run, ToolCall).arguments == {"q": "hours"}
    assert "results" not in run.known


def test_a_stored_completion_is_one_model_call_with_its_usage(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": None}
    stored = {
        "object": "chat.completion",
        "model": "model-a",
        "created": 1700000000,
        "messages": [user("Hours?")],
        "choices": [{"index": 0, "message": assistant("9 to"), "finish_reason": "length"}],
        "usage": usage | {"prompt_tokens_details": {"cached_tokens": 4}},
    }
    run = only_run(lines(tmp_path / "stored.jsonl", [stored]))
    call = only(run, ModelCall)
    assert (call.finish_reason, call.finish_raw, call.source.record) == ("length", "length", 1)
    assert (call.input_tokens, call.output_tokens, call.cache_read) == (9, 3, 4)
    assert (call.response_model, call.ts) == ("model-a", 1700000000.0)
    assert {"usage", "finish", "time"} <= run.known


def test_bare_messages_do_not_claim_what_they_do_not_carry(tmp_path: Path) -> None:
    plain, with_finish = runs_of(
        lines(tmp_path / "runs.jsonl", [LOAN, [user("Hi"), assistant("Yes?", finish_reason=None)]])
    )
    assert plain.known == {"results", "content"}
    assert with_finish.known == {"results", "content", "finish"}


def test_the_tools_of_a_request_are_kept_with_their_schemas(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "renew", "parameters": schema}}]
    run = only_run(lines(tmp_path / "runs.jsonl", [{"messages": LOAN, "tools": tools}]))
    assert only(run, RunStart).tools == {"renew": schema}
    assert "schema" in run.known


@pytest.mark.parametrize(
    ("raw", "value", "wrong"),
    [
        ('{"a": 1}', {"a": 1}, False),
        ("", {}, False),
        (" ", {}, False),
        ('{"a": NaN}', None, None),
        ('{"a": 1', None, True),
        ("[1]", None, True),
        ('"{}"', None, True),
        ("null", None, True),
    ],
)
def test_arguments_are_an_object_or_an_error_says_why(
    tmp_path: Path, raw: str, value: object, wrong: object
) -> None:
    run = only_run(lines(tmp_path / "r.jsonl", [[user("Go"), assistant(None, asked("f", raw))]]))
    call = only(run, ToolCall)
    assert call.arguments_raw == raw
    if wrong is None:
        assert call.arguments is not None, "Python's own reader takes it"
        assert call.parse_error is None
    else:
        assert call.arguments == value
        assert bool(call.parse_error) is wrong
