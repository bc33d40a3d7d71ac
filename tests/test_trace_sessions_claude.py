"""Sessions of Claude Code, exports of them, and what the Claude Agent SDK streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, runs_of, split

from agentcheck.model.event import (
    Approval,
    Compaction,
    Message,
    ModelCall,
    RunEnd,
    ToolCall,
    ToolResult,
)

S = "session-1"


def row(kind: str, second: int, content: Any = None, /, **more: Any) -> Json:
    """A record of a session file; `message` keys are given under `m`."""
    message = {"role": kind, "content": content} | more.pop("m", {})
    stamp = f"2026-03-01T10:00:{second:02d}.000Z"
    head = {"type": kind, "sessionId": S, "uuid": f"u{second}", "timestamp": stamp}
    return head | ({"message": message} if content is not None else {}) | more


def use(name: str, call_id: str, **given: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def out(call_id: str, text: str, **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, **more}


def reply(
    second: int, part: Json, message_id: str, tokens: int, stop: str | None = None, **more: Any
) -> Json:
    usage = {"input_tokens": 10, "output_tokens": tokens, "cache_read_input_tokens": 5}
    told = {"id": message_id, "model": "claude-x", "usage": usage, "stop_reason": stop}
    return row("assistant", second, [part], m=told, **more)


SESSION = [
    {"type": "summary", "summary": "Books", "leafUuid": "u9"},
    row("user", 1, "Renew Dune"),
    reply(2, {"type": "thinking", "thinking": "hm"}, "m1", 1),
    reply(3, {"type": "text", "text": "I will."}, "m1", 4),
    reply(4, use("Renew", "t1", book="Dune"), "m1", 9, "tool_use"),
    reply(5, use("Look", "t2", book="Dune"), "m1", 12, "tool_use"),
    row("user", 6, [out("t1", "renewed")]),
    row("user", 7, [out("t2", "no shelf", is_error=True)]),
    row("system", 8, subtype="compact_boundary", compactMetadata={"preTokens": 900}),
    row("user", 9, "Short summary", isCompactSummary=True),
    reply(10, {"type": "text", "text": "Done."}, "m2", 3, "end_turn"),
]


def test_lines_of_one_message_are_one_model_call_with_the_last_usage(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "s.jsonl", SESSION))
    first, second = run.all(ModelCall)
    assert (first.output_tokens, first.input_tokens, first.cache_read) == (12, 10, 5)
    assert (first.finish_reason, second.finish_reason) == ("tool_call", "stop")
    assert first.response_model == "claude-x"
    assert [(c.name, c.batch, c.source.record) for c in run.all(ToolCall)] == [
        ("Renew", 0, 4),
        ("Look", 1, 5),
    ]
    assert {"usage", "finish", "time", "results", "errors", "content"} == run.known
    assert run.unknown_records == 0


def test_results_come_as_the_user_and_say_whether_they_failed(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "s.jsonl", SESSION))
    calls = {c.call_key: c.name for c in run.all(ToolCall)}
    assert [(calls[r.call_key or ""], r.is_error) for r in run.all(ToolResult)] == [
        ("Renew", False),
        ("Look", True),
    ]
    said = [(m.role, m.text) for m in run.all(Message)]
    assert ("system", "Short summary") in said
    assert [text for role, text in said if role == "user"] == ["Renew Dune"]
    assert only(run, Compaction).before_tokens == 900


def test_shuffled_records_are_told_in_the_order_of_their_times(tmp_path: Path) -> None:
    rows = [r for r in SESSION if "timestamp" in r]
    straight = only_run(lines(tmp_path / "a.jsonl", rows))
    shuffled = only_run(lines(tmp_path / "b.jsonl", rows[::-1]))
    assert [type(e) for e in straight.events] == [type(e) for e in shuffled.events]
    assert {a.verdict for a in answers("unpaired-tool-call", shuffled)} == {"met"}


def test_a_torn_last_line_leaves_no_clean_verdict(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", SESSION)
    path.write_bytes(path.read_bytes()[:-30])
    [run], [skipped] = split(path)
    assert skipped.why == "line 11: cut off in the middle; left out"
    assert run.unknown_records == 1
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_kinds_of_records_that_are_not_known_are_counted(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "s.jsonl", [*SESSION, row("hologram", 11)]))
    assert run.unknown_records == 1


def test_a_sub_agent_is_a_run_of_its_own(tmp_path: Path) -> None:
    side = {"isSidechain": True}
    rows = [
        row("user", 1, "Find it"),
        reply(2, use("Task", "t1", prompt="look"), "m1", 1, "tool_use"),
        row("user", 3, "look", parentUuid=None, **side),
        reply(4, use("Grep", "t2", q="x"), "m2", 1, "tool_use", parentUuid="u3", **side),
        row("user", 5, [out("t2", "found")], parentUuid="u4", **side),
        reply(6, {"type": "text", "text": "There."}, "m3", 1, "end_turn", parentUuid="u5", **side),
        row("user", 7, [out("t1", "There.")]),
    ]
    main, sub = runs_of(lines(tmp_path / "s.jsonl", rows))
    assert [c.name for c in main.all(ToolCall)] == ["Task"]
    assert [c.name for c in sub.all(ToolCall)] == ["Grep"]
    assert (main.name, sub.name) == ("run", "sub-agent")
    assert (main.index, sub.index) == (0, 1)


def test_two_sessions_in_one_file_are_two_runs(tmp_path: Path) -> None:
    other = [r | {"sessionId": "session-2"} for r in SESSION[1:]]
    mixed = [r for pair in zip(SESSION[1:], other, strict=True) for r in pair]
    runs = runs_of(lines(tmp_path / "s.jsonl", mixed))
    assert [run.id for run in runs] == [S, "session-2"]
    assert [len(run.all(ToolCall)) for run in runs] == [2, 2]


def stream(**result: Any) -> list[Json]:
    ids = {"session_id": S, "parent_tool_use_id": None}
    rows = [r | ids for r in SESSION[1:8]]
    for each in rows:
        for key in ("sessionId", "timestamp"):
            each.pop(key)
    end = {"type": "result", "subtype": "success", "is_error": False, "session_id": S}
    return [{"type": "system", "subtype": "init", "session_id": S}, *rows, end | result]


def test_the_result_record_of_a_stream_ends_the_run(tmp_path: Path) -> None:
    denied = [{"tool_name": "Look", "tool_use_id": "t2", "tool_input": {}}]
    rows = stream(num_turns=3, total_cost_usd=0.25, result="Done.", permission_denials=denied)
    run = only_run(lines(tmp_path / "s.jsonl", rows))
    end = only(run, RunEnd)
    assert (end.status, end.output) == ("completed", "Done.")
    assert (end.labels["num_turns"], end.labels["total_cost_usd"]) == (3, 0.25)
    approval = only(run, Approval)
    assert approval.state == "denied"
    assert approval.call_key == run.all(ToolCall)[1].call_key
    assert "approval" not in run.known  # what was granted leaves no record


def test_the_status_is_that_of_the_result_record(tmp_path: Path) -> None:
    def status(**result: Any) -> str:
        return only(only_run(lines(tmp_path / "s.jsonl", stream(**result))), RunEnd).status

    assert status(subtype="error_max_turns", is_error=True) == "max_turns"
    assert status(terminal_reason="aborted_tools") == "interrupted"
    assert status(subtype="error_during_execution", is_error=True) == "error"


def test_a_web_export_is_read_as_the_same(tmp_path: Path) -> None:
    bare = [{k: v for k, v in r.items() if k != "sessionId"} for r in SESSION[1:]]
    run = only_run(document(tmp_path / "e.json", {"loglines": bare}))
    assert [c.source.record for c in run.all(ToolCall)] == [3, 4]
    assert len(run.all(ModelCall)) == 2


def test_replies_without_a_stop_reason_leave_the_reasons_unknown(tmp_path: Path) -> None:
    rows = [row("user", 1, "Hi"), reply(2, {"type": "text", "text": "Hello"}, "m1", 1)]
    run = only_run(lines(tmp_path / "s.jsonl", rows))
    assert {a.verdict for a in answers("finish-reason-unchecked", run)} == {"cannot-tell"}


def test_what_the_program_says_for_the_model_is_no_model_call(tmp_path: Path) -> None:
    error = row("assistant", 2, [{"type": "text", "text": "API Error"}], m={"model": "<synthetic>"})
    run = only_run(lines(tmp_path / "s.jsonl", [row("user", 1, "Hi"), error]))
    assert run.all(ModelCall) == []


def test_records_that_name_no_session_say_why_they_are_not_read(tmp_path: Path) -> None:
    _, [skipped] = split(lines(tmp_path / "s.jsonl", [{"type": "assistant", "message": {}}]))
    assert "closest is Claude Code session: the records name no session" in skipped.why
