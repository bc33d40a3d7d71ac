"""Messages of frameworks: LangChain, pydantic-ai, AutoGen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.export_samples import (
    autogen_chat,
    autogen_messages,
    langchain_messages,
    lc,
    pydantic_messages,
)
from tests.export_spans import ASK, SORRY
from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, runs_of, split

from agentcheck.model.event import (
    Approval,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    ToolCall,
    ToolResult,
)

CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def as_dict(message: Json) -> Json:
    return {"type": message["type"], "data": message}


def as_lc(message: Json) -> Json:
    return lc(CLASSES[message["type"]], **message)


def shape(run: Run) -> list[type[Any]]:
    return [type(event) for event in run.events]


@pytest.mark.parametrize(("write", "below"), [(as_dict, "/data"), (as_lc, "/kwargs")])
def test_langchain_messages_read_alike_in_each_shape(
    tmp_path: Path, write: Any, below: str
) -> None:
    plain = only_run(document(tmp_path / "m.json", langchain_messages()))
    run = only_run(document(tmp_path / "m.json", [write(m) for m in langchain_messages()]))
    assert shape(run) == shape(plain)
    assert run.all(ToolCall)[1].source.pointer == f"{below}/tool_calls/1"
    first = run.all(ModelCall)[0]
    assert (first.cache_read, first.response_model, first.agent) == (3, "model-a", "Desk")
    assert not {"approval", "handoffs", "schema", "time"} & run.known


def test_calls_that_langchain_could_not_parse_keep_what_the_model_wrote(tmp_path: Path) -> None:
    bad = {"name": "cancel_card", "args": '{"card": 7', "id": "c1", "error": "x"}
    said = {"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": [bad]}
    call = only(only_run(document(tmp_path / "m.json", [said])), ToolCall)
    assert (call.arguments_raw, call.arguments) == ('{"card": 7', None)
    assert call.source.pointer == "/invalid_tool_calls/0"
    assert call.parse_error


@pytest.mark.parametrize("name", ["stop_reason", "finish_reason", "stopReason"])
def test_each_providers_finish_reason_is_read(tmp_path: Path, name: str) -> None:
    said = {"type": "ai", "content": "x", "response_metadata": {name: "max_tokens"}}
    run = only_run(document(tmp_path / "m.json", [said]))
    assert only(run, ModelCall).finish_reason == "length"


def test_a_transfer_of_langgraph_is_a_handoff(tmp_path: Path) -> None:
    rows = [
        {"type": "ai", "content": "", "name": "Desk", "tool_calls": [
            {"name": "transfer_to_cards", "args": {}, "id": "c1"}]},
        {"type": "tool", "content": "Successfully transferred to cards", "tool_call_id": "c1",
         "status": "success"},
    ]  # fmt: skip
    run = only_run(document(tmp_path / "m.json", rows))
    handoff = only(run, Handoff)
    assert (handoff.from_agent, handoff.to_agent) == ("Desk", "cards")
    assert handoff.call_key == only(run, ToolCall).call_key


def test_a_stream_of_values_is_one_run_and_other_lists_are_others(tmp_path: Path) -> None:
    growing = [{"messages": langchain_messages()[:n]} for n in range(1, 6)]
    run = only_run(lines(tmp_path / "v.jsonl", growing))
    assert shape(run) == shape(only_run(document(tmp_path / "m.json", langchain_messages())))
    other = [{"type": "human", "content": "Hello"}, {"type": "ai", "content": "Hi"}]
    assert len(runs_of(lines(tmp_path / "v.jsonl", [*growing, {"messages": other}]))) == 2


def test_pydantic_ai_keeps_arguments_as_they_were_written(tmp_path: Path) -> None:
    rows = pydantic_messages()
    rows[1]["parts"][2]["args"] = '{"card": 7'
    run = only_run(document(tmp_path / "p.json", rows))
    broken = run.all(ToolCall)[1]
    assert (broken.arguments, broken.source.pointer) == (None, "/parts/2")
    first = run.all(ModelCall)[0]
    assert (first.response_model, first.cache_read, first.system_text) == ("model-a", 3, "Be kind.")
    assert not {"approval", "handoffs", "schema"} & run.known


def test_the_outcome_of_a_result_says_that_it_failed_or_was_denied(tmp_path: Path) -> None:
    rows = pydantic_messages()
    rows[2]["parts"][0]["outcome"] = "denied"
    run = only_run(document(tmp_path / "p.json", rows))
    assert [r.is_error for r in run.all(ToolResult)] == [True, True]
    assert only(run, Approval).state == "denied"


def test_usage_of_earlier_pydantic_ai_and_a_prompt_to_retry_without_a_tool(tmp_path: Path) -> None:
    rows: list[Json] = [
        {"kind": "response", "usage": {"request_tokens": 5, "response_tokens": 2}, "parts": []},
        {"kind": "request", "parts": [{"part_kind": "retry-prompt", "content": "Again."}]},
    ]
    run = only_run(document(tmp_path / "p.json", rows))
    assert (only(run, ModelCall).input_tokens, only(run, ModelCall).output_tokens) == (5, 2)
    assert (only(run, Message).role, only(run, Message).text) == ("user", "Again.")
    assert "finish" not in run.known


def test_unknown_parts_are_counted(tmp_path: Path) -> None:
    rows = pydantic_messages()
    rows[1]["parts"].append({"part_kind": "dream"})
    assert only_run(document(tmp_path / "p.json", rows)).unknown_records == 1


def handing_over(*targets: str) -> list[Json]:
    """Messages in which Desk asks to hand over to some agents, and does to the first."""
    calls = [
        {"id": f"c{n}", "name": f"transfer_to_{t}", "arguments": "{}"}
        for n, t in enumerate(targets)
    ]
    text = f"Transferred to {targets[0]}."
    back = {"call_id": "c0", "name": calls[0]["name"], "content": text, "is_error": False}
    return [
        {"source": "Desk", "type": "ToolCallRequestEvent", "content": calls},
        {"source": "Desk", "type": "ToolCallExecutionEvent", "content": [back]},
        {"source": "Desk", "target": targets[0], "type": "HandoffMessage", "content": text},
    ]


def test_a_handoff_of_autogen_belongs_to_the_call_that_asked_for_it(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "a.json", handing_over("cards")))
    handoff = only(run, Handoff)
    assert (handoff.from_agent, handoff.to_agent) == ("Desk", "cards")
    assert handoff.call_key == only(run, ToolCall).call_key


def test_of_several_handoffs_in_one_reply_the_others_were_refused(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "a.json", handing_over("cards", "loans")))
    assert [(h.to_agent, h.accepted) for h in run.all(Handoff)] == [
        ("cards", True),
        ("loans", False),
    ]
    assert [a.verdict for a in answers("handoff-race", run)] == ["partly"]


def test_a_result_of_autogen_tells_why_its_team_stopped(tmp_path: Path) -> None:
    why = "Maximum number of messages 4 reached, current message count: 4"
    result = {"messages": autogen_messages(), "stop_reason": why}
    assert only(only_run(document(tmp_path / "a.json", result)), RunEnd).status == "max_turns"


def test_the_log_of_autogen_tells_each_message_once(tmp_path: Path) -> None:
    def logged(inner: Json) -> Json:
        return {"type": "Message", "payload": json.dumps(inner), "delivery_stage": "SEND"}

    rows = [logged({"message": m}) for m in autogen_messages() for _ in range(3)]
    rows.insert(0, logged({"messages": autogen_messages()[:1]}))
    rows.append({"type": "ToolCall", "tool_name": "find_reader", "agent_id": "Desk/1"})
    run = only_run(lines(tmp_path / "log.jsonl", rows))
    plain = only_run(document(tmp_path / "a.json", autogen_messages()))
    assert shape(run) == shape(plain)
    assert run.unknown_records == 0


def test_a_log_without_messages_is_no_clean_run(tmp_path: Path) -> None:
    rows = [{"type": "LLMCall", "agent_id": "Desk/1", "prompt_tokens": 5}] * 2
    runs, [skipped] = split(lines(tmp_path / "log.jsonl", rows))
    assert runs == []
    assert "nothing that happened in a run could be read" in skipped.why


def test_code_that_autogen_ran_is_counted_as_unread(tmp_path: Path) -> None:
    rows = [*autogen_messages(), {"source": "Desk", "type": "CodeExecutionEvent", "result": {}}]
    assert only_run(document(tmp_path / "a.json", rows)).unknown_records == 1


def test_who_speaks_in_autogen_0_2_is_told_by_what_they_do(tmp_path: Path) -> None:
    chat = autogen_chat()
    del chat["chat_history"][1:3]
    run = only_run(document(tmp_path / "c.json", chat))
    assert [(m.role, m.agent) for m in run.all(Message)] == [("user", None), ("assistant", "Desk")]
    assert len(run.all(ModelCall)) == 1


def test_names_alone_do_not_make_a_chat_autogens(tmp_path: Path) -> None:
    rows = [{"role": "user", "name": "Ada", "content": ASK},
            {"role": "assistant", "name": "Desk", "content": SORRY}]  # fmt: skip
    assert only_run(document(tmp_path / "c.json", rows)).format == "chat messages"
