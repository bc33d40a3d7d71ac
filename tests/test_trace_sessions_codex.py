"""Rollouts of the Codex CLI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run_checks import answers
from tests.trace_samples import Json, item, lines, only, only_run, split

from agentcheck.model.event import Compaction, Message, ModelCall, RunEnd, ToolCall, ToolResult


def row(second: int, kind: str, **payload: Any) -> Json:
    return {"timestamp": f"2026-03-01T10:00:{second:02d}.000Z", "type": kind, "payload": payload}


def said(second: int, role: str, text: str) -> Json:
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return row(second, "response_item", type="message", role=role, content=[part])


def output(second: int, call_id: str, said: Any) -> Json:
    return row(second, "response_item", type="function_call_output", call_id=call_id, output=said)


def tokens(second: int, given: int, got: int, cached: int = 0) -> Json:
    total = {"input_tokens": given, "output_tokens": got, "cached_input_tokens": cached}
    return row(second, "event_msg", type="token_count", info={"total_token_usage": total})


ROLLOUT = [
    row(0, "session_meta", id="s-1", cwd="/books", cli_version="0.9"),
    row(1, "turn_context", model="gpt-x"),
    row(2, "event_msg", type="user_message", message="Renew Dune"),
    said(2, "user", "Renew Dune"),
    row(3, "response_item", **item("shell", {"command": ["ls"]}, "c1")),
    row(4, "response_item", **item("shell", {"command": ["pwd"]}, "c2")),
    tokens(5, 100, 10, 20),
    tokens(5, 100, 10, 20),
    output(6, "c1", "dune"),
    output(7, "c2", {"content": "no", "success": False}),
    said(8, "assistant", "Done."),
    tokens(9, 250, 25, 90),
    row(9, "event_msg", type="task_complete", last_agent_message="Done."),
]


def test_cumulative_counts_become_the_usage_of_each_reply(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "r.jsonl", ROLLOUT))
    used = [(c.input_tokens, c.output_tokens, c.cache_read) for c in run.all(ModelCall)]
    assert used == [(100, 10, 20), (150, 15, 70)]
    assert [c.request_model for c in run.all(ModelCall)] == ["gpt-x", "gpt-x"]
    assert run.id == "s-1"
    assert run.unknown_records == 0


def test_a_count_that_fell_begins_anew(tmp_path: Path) -> None:
    fell = tokens(9, 30, 3)
    fell["payload"]["info"]["last_token_usage"] = {"input_tokens": 30, "output_tokens": 3}
    run = only_run(lines(tmp_path / "r.jsonl", [*ROLLOUT[:11], fell]))
    assert run.all(ModelCall)[-1].input_tokens == 30


def test_calls_are_paired_with_their_results(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "r.jsonl", ROLLOUT))
    assert [(c.name, c.batch, c.source.record) for c in run.all(ToolCall)] == [
        ("shell", 0, 4),
        ("shell", 1, 5),
    ]
    assert [(r.content, r.is_error) for r in run.all(ToolResult)] == [("dune", None), ("no", True)]
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"met"}
    assert [m.role for m in run.all(Message)] == ["user", "assistant"]


def test_custom_calls_and_local_shell_calls_are_calls(tmp_path: Path) -> None:
    patch = row(
        3, "response_item", type="custom_tool_call", name="apply_patch", input="*", call_id="c1"
    )
    shell = row(
        4, "response_item", type="local_shell_call", call_id="c2", action={"command": ["ls"]}
    )
    run = only_run(lines(tmp_path / "r.jsonl", [*ROLLOUT[:4], patch, shell]))
    assert [(c.name, c.arguments) for c in run.all(ToolCall)] == [
        ("apply_patch", {"input": "*"}),
        ("local_shell", {"command": ["ls"]}),
    ]


def test_the_end_and_compactions_are_told(tmp_path: Path) -> None:
    rows = [
        *ROLLOUT,
        row(10, "compacted", message="short"),
        row(11, "event_msg", type="turn_aborted"),
    ]
    run = only_run(lines(tmp_path / "r.jsonl", rows))
    assert only(run, RunEnd).status == "interrupted"
    assert only(run, Compaction).source.record == 13
    assert only(only_run(lines(tmp_path / "s.jsonl", ROLLOUT)), RunEnd).output == "Done."


def test_older_files_have_no_envelope(tmp_path: Path) -> None:
    head = {"id": "s-0", "timestamp": "2025-06-01T10:00:00Z", "instructions": None}
    rows = [head, *(r["payload"] for r in ROLLOUT if r["type"] == "response_item")]
    rows.insert(2, {"record_type": "state"})
    run = only_run(lines(tmp_path / "r.jsonl", rows))
    assert (run.format, run.id) == ("Codex rollout", "s-0")
    assert len(run.all(ToolCall)) == 2
    assert run.unknown_records == 0


def test_items_alone_stay_chat_messages(tmp_path: Path) -> None:
    rows = [r["payload"] for r in ROLLOUT if r["type"] == "response_item"]
    assert only_run(lines(tmp_path / "r.jsonl", rows)).format == "chat messages"


def test_a_torn_last_line_and_unknown_records_are_counted(tmp_path: Path) -> None:
    path = lines(tmp_path / "r.jsonl", [*ROLLOUT, row(10, "hologram"), said(11, "user", "More")])
    path.write_bytes(path.read_bytes()[:-20])
    [run], [skipped] = split(path)
    assert "cut off in the middle" in skipped.why
    assert run.unknown_records == 2
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_shuffled_records_are_told_in_the_order_of_their_times(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "r.jsonl", [*ROLLOUT[9:], *ROLLOUT[:9]]))
    assert [c.call_id for c in run.all(ToolCall)] == ["c1", "c2"]
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"met"}


def test_why_replies_ended_cannot_be_told(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "r.jsonl", ROLLOUT))
    assert {a.verdict for a in answers("finish-reason-unchecked", run)} == {"cannot-tell"}
    assert {a.verdict for a in answers("unguarded-side-effect", run)} == {"cannot-tell"}
