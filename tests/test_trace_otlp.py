"""OTLP/JSON with gen_ai attributes -> events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.trace_samples import (
    Json,
    call_part,
    document,
    lines,
    only,
    only_run,
    otlp,
    otlp_span,
    parts,
    runs_of,
    split,
    text_part,
)

from agentcheck.model.event import Message, ModelCall, RunEnd, RunStart, ToolCall, ToolResult

ASK = parts("user", text_part("My card is lost."))
CALL = parts("assistant", call_part("cancel_card", {"card": 7}))
BACK = parts("user", {"type": "tool_call_response", "id": "c1", "result": "cancelled"})
DONE = parts("assistant", text_part("Cancelled."), finish_reason="stop")


def agent_run(trace: str = "t1", **more: Any) -> list[Json]:
    """An agent span with two model spans and a tool span, in the order in which they end."""
    up = {"trace": trace, "parent": "a"} | more
    return [
        otlp_span(
            "m1", "chat", 2, gen_ai__input__messages=[ASK], gen_ai__output__messages=[CALL], **up
        ),
        otlp_span(
            "x1",
            "execute_tool",
            3,
            gen_ai__tool__name="cancel_card",
            gen_ai__tool__call__id="c1",
            gen_ai__tool__call__result="cancelled",
            **up,
        ),
        otlp_span(
            "m2",
            "chat",
            4,
            gen_ai__input__messages=[ASK, CALL, BACK],
            gen_ai__output__messages=[DONE],
            gen_ai__usage__input_tokens=60,
            gen_ai__usage__output_tokens=5,
            gen_ai__response__finish_reasons=("stop",),
            **up,
        ),
        otlp_span("a", "invoke_agent", 1, trace=trace, gen_ai__agent__name="Desk", **more),
    ]


def test_spans_become_events_in_the_order_of_their_start(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(*agent_run())]))
    assert [type(event).__name__ for event in run.events] == [
        "RunStart",
        "Message",
        "ModelCall",
        "ToolCall",
        "ToolResult",
        "ModelCall",
        "Message",
        "RunEnd",
    ]
    call, answer = only(run, ToolCall), only(run, ToolResult)
    assert (call.source.record, call.arguments, call.agent) == ("m1", {"card": 7}, "Desk")
    assert (answer.source.record, answer.call_key) == ("x1", call.call_key)
    assert [m.text for m in run.all(Message)] == ["My card is lost.", "Cancelled."]


def test_usage_finish_and_time_are_read_where_they_are(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "t.json", otlp(*agent_run())))
    last = run.all(ModelCall)[1]
    assert (last.input_tokens, last.output_tokens, last.finish_reason) == (60, 5, "stop")
    assert (last.ts, last.duration, last.loop) == (4.0, 0.5, "a")
    assert {"usage", "finish", "time", "results", "errors", "content"} <= run.known
    assert not {"approval", "handoffs"} & run.known
    assert only(run, RunStart).workflow == "Desk"
    assert only(run, RunEnd).status == "completed"


def test_the_first_abnormal_finish_reason_of_several_counts(tmp_path: Path) -> None:
    span = otlp_span("m", "chat", 1, gen_ai__response__finish_reasons=("stop", "max_tokens"))
    call = only(only_run(lines(tmp_path / "t.jsonl", [otlp(span)])), ModelCall)
    assert (call.finish_reason, call.finish_raw) == ("length", "max_tokens")


@pytest.mark.parametrize(
    "names",
    [
        ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
        ("tool_arguments", "tool_response"),
    ],
)
def test_tool_spans_are_the_calls_where_messages_are_not_recorded(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    given: Json = {
        names[0].replace(".", "__"): '{"card": 7}',
        names[1].replace(".", "__"): "cancelled",
    }
    span = otlp_span("x", "execute_tool", 2, gen_ai__tool__name="cancel_card", **given)
    model = otlp_span("m", "chat", 1, gen_ai__request__model="model-a")
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(model, span)]))
    assert only(run, ToolCall).arguments == {"card": 7}
    assert run.answers[only(run, ToolCall).call_key].content == "cancelled"


def test_without_content_there_is_none_to_judge(tmp_path: Path) -> None:
    model = otlp_span("m", "chat", 1, gen_ai__request__model="model-a")
    span = otlp_span("x", "execute_tool", 2, gen_ai__tool__name="cancel_card")
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(model, span)]))
    assert "content" not in run.known


def test_the_history_of_the_agent_span_stands_in_for_model_spans(tmp_path: Path) -> None:
    model = otlp_span("m", "chat", 2, parent="a", gen_ai__request__model="model-a")
    agent = otlp_span("a", "invoke_agent", 1, pydantic_ai__all_messages=[ASK, CALL, BACK, DONE])
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(model, agent)]))
    assert (only(run, ToolCall).name, only(run, ToolCall).source.record) == ("cancel_card", "a")


def test_broken_arguments_stay_as_the_model_wrote_them(tmp_path: Path) -> None:
    reply = parts("assistant", call_part("cancel_card", '{"card": 7'))
    span = otlp_span("m", "chat", 1, gen_ai__output__messages=[reply])
    call = only(only_run(lines(tmp_path / "t.jsonl", [otlp(span)])), ToolCall)
    assert (call.arguments_raw, call.arguments) == ('{"card": 7', None)
    assert call.parse_error


def test_a_failed_tool_span_is_an_error(tmp_path: Path) -> None:
    rows = agent_run()
    rows[1]["status"] = {"code": "STATUS_CODE_ERROR"}
    rows[3]["status"] = {"code": 2}
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(*rows)]))
    assert only(run, ToolResult).is_error is True
    assert only(run, RunEnd).status == "error"


def test_a_trace_is_gathered_over_the_lines_it_was_exported_in(tmp_path: Path) -> None:
    one, two = agent_run("t1"), agent_run("t2")
    batches = [otlp(*one[:2], *two[:1]), otlp(*one[2:], *two[1:3]), otlp(two[3])]
    runs = runs_of(lines(tmp_path / "t.jsonl", batches))
    assert [(run.id, run.index, len(run.all(ModelCall))) for run in runs] == [
        ("t1", 0, 2),
        ("t2", 1, 2),
    ]


def test_conversations_of_one_trace_are_runs_of_their_own(tmp_path: Path) -> None:
    rows = [
        row
        | {
            "spanId": f"{row['spanId']}{n}",
            "parentSpanId": row.get("parentSpanId", "top") and f"a{n}",
        }
        if row["spanId"] != "a"
        else row | {"spanId": f"a{n}", "parentSpanId": "top"}
        for n in (1, 2)
        for row in agent_run(gen_ai__conversation__id=f"talk {n}")
    ]
    runs = runs_of(lines(tmp_path / "t.jsonl", [otlp(*rows)]))
    assert [(run.id, len(run.all(ToolCall))) for run in runs] == [("talk 1", 1), ("talk 2", 1)]


def test_tool_definitions_are_kept(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {}}
    tools = [{"type": "function", "name": "cancel_card", "parameters": schema}]
    asked = {"function_tools": [{"name": "cancel_card", "parameters_json_schema": schema}]}
    now = otlp_span("m", "chat", 1, gen_ai__tool__definitions=tools)
    before = otlp_span("m", "chat", 1, model_request_parameters=asked)
    for span in (now, before):
        run = only_run(lines(tmp_path / "t.jsonl", [otlp(span)]))
        assert only(run, RunStart).tools == {"cancel_card": schema}
        assert "schema" in run.known


def test_spans_of_other_kinds_are_passed_over_and_unknown_operations_counted(
    tmp_path: Path,
) -> None:
    web = {"traceId": "t1", "spanId": "w", "name": "GET /", "attributes": []}
    odd = otlp_span("o", "divine", 5)
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(web, odd, *agent_run())]))
    assert run.unknown_records == 1


def test_traces_without_agents_say_so(tmp_path: Path) -> None:
    web = {"traceId": "t1", "spanId": "w", "name": "GET /", "attributes": []}
    runs, skipped = split(lines(tmp_path / "t.jsonl", [otlp(web)]))
    assert runs == []
    assert "without any gen_ai attributes" in skipped[0].why
