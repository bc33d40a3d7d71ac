"""The states and streams of LangGraph: told once each, with what a person was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.export_samples import (
    langchain_messages,
    snapshots,
)
from tests.export_spans import ASK, CANCEL, SORRY
from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, split

from agentcheck.model.event import (
    Approval,
    Compaction,
    Message,
    Run,
    RunEnd,
    ToolCall,
    ToolResult,
)


def shape(run: Run) -> list[type[Any]]:
    return [type(event) for event in run.events]


def as_tuple(row: Json) -> list[Any]:
    names = "values next config metadata created_at parent_config tasks".split()
    return [*(row[name] for name in names), []]


def as_checkpoint(row: Json) -> Json:
    inner = {
        "v": 4,
        "id": row["config"]["configurable"]["checkpoint_id"],
        "ts": row["created_at"],
        "channel_values": row["values"],
        "channel_versions": {},
    }
    kept = {key: row[key] for key in ("config", "metadata", "parent_config")}
    return kept | {"checkpoint": inner, "pending_writes": []}


def as_debug(row: Json) -> Json:
    return {"type": "checkpoint", "step": row["metadata"]["step"], "timestamp": row["created_at"],
            "payload": row}  # fmt: skip


@pytest.mark.parametrize("write", [as_tuple, as_checkpoint, as_debug])
def test_histories_read_alike_in_each_shape(tmp_path: Path, write: Any) -> None:
    rows = snapshots(langchain_messages())
    plain = only_run(document(tmp_path / "h.json", rows))
    run = only_run(document(tmp_path / "h.json", [write(row) for row in rows]))
    assert shape(run) == shape(plain)
    assert [c.source.record for c in plain.all(ToolCall)] == ["k2", "k2"]
    assert plain.id == "th1"
    assert "approval" in run.known


def test_a_bare_checkpoint_says_nothing_of_approvals(tmp_path: Path) -> None:
    rows = [as_checkpoint(row)["checkpoint"] for row in snapshots(langchain_messages())]
    run = only_run(lines(tmp_path / "c.jsonl", rows))
    assert len(run.all(ToolCall)) == 2
    assert "approval" not in run.known


def test_part_of_a_history_says_nothing_of_approvals(tmp_path: Path) -> None:
    rows = snapshots(langchain_messages())[:3]
    assert "approval" not in only_run(lines(tmp_path / "h.jsonl", rows)).known


ASKS = {"value": {"question": "Cancel?", "card": 7}, "id": "i1"}


def asked_history(answer: Json, **writes: Any) -> list[Json]:
    """A history whose second snapshot asks a person before the card is cancelled."""
    call = {"name": "cancel_card", "args": CANCEL, "id": "c1"}
    rows = snapshots(
        [
            {"type": "human", "content": ASK, "id": "h1"},
            {"type": "ai", "content": "", "id": "a1", "tool_calls": [call]},
            {"type": "tool", "tool_call_id": "c1", "id": "r1", **answer},
            {"type": "ai", "content": "Done.", "id": "a2"},
        ]
    )
    rows[2]["tasks"] = [{"id": "k", "name": "tools", "error": None, "interrupts": [ASKS]}]
    rows[2] |= writes
    return rows


def test_an_interrupt_asks_and_a_result_afterwards_shows_that_it_was_granted(
    tmp_path: Path,
) -> None:
    rows = asked_history({"content": "cancelled", "status": "success"})
    run = only_run(document(tmp_path / "h.json", rows))
    key = only(run, ToolCall).call_key
    assert [(a.state, a.call_key) for a in run.all(Approval)] == [
        ("requested", key),
        ("granted", key),
    ]
    assert run.all(Approval)[1].seq < only(run, ToolResult).seq
    assert [a.verdict for a in answers("unguarded-side-effect", run)] == ["met"]


def test_what_a_person_turned_down_was_not_granted(tmp_path: Path) -> None:
    rows = asked_history({"content": "The user said no.", "status": "error"})
    run = only_run(document(tmp_path / "h.json", rows))
    assert [a.state for a in run.all(Approval)] == ["requested", "denied"]
    plain = asked_history({"content": "left alone"})
    tuples = [as_checkpoint(row) for row in plain]
    tuples[2]["pending_writes"] = [
        ["k", "__interrupt__", [ASKS]],
        ["k", "__resume__", [{"decisions": [{"type": "reject"}]}]],
    ]
    run = only_run(document(tmp_path / "h.json", tuples))
    assert [a.state for a in run.all(Approval)] == ["requested", "denied"]


def test_a_thread_that_waits_is_interrupted(tmp_path: Path) -> None:
    rows = asked_history({"content": "cancelled"})[2:]
    run = only_run(document(tmp_path / "h.json", rows))
    assert only(run, RunEnd).status == "interrupted"
    assert [a.verdict for a in answers("unpaired-tool-call", run)] == ["met"]


def test_a_stream_of_updates_is_one_run(tmp_path: Path) -> None:
    call = {"name": "cancel_card", "args": CANCEL, "id": "c1"}
    rows: list[Any] = [
        {"agent": {"messages": [{"type": "ai", "content": "", "id": "a1", "tool_calls": [call]}]}},
        {"__interrupt__": [ASKS]},
        {"log": None},
        {"tools": {"messages": [
            {"type": "tool", "content": "ok", "tool_call_id": "c1", "id": "r1"}]}},
        {"agent": {"messages": [{"type": "ai", "content": "Done.", "id": "a2"}]}},
    ]  # fmt: skip
    run = only_run(lines(tmp_path / "u.jsonl", rows))
    assert [a.state for a in run.all(Approval)] == ["requested", "granted"]
    assert (run.unknown_records, only(run, RunEnd).status) == (0, "completed")
    heads: list[list[Any]] = [["updates"], [["sub:1"], "updates"]]
    for head in heads:
        other = only_run(lines(tmp_path / "u.jsonl", [[*head, row] for row in rows]))
        assert shape(other) == shape(run)


def test_a_state_that_lost_messages_was_compacted(tmp_path: Path) -> None:
    messages = langchain_messages()
    rows = snapshots(messages, values={"messages": messages[3:]})
    run = only_run(document(tmp_path / "h.json", rows))
    assert len(run.all(Compaction)) == 1
    assert len(run.all(ToolCall)) == 2


def test_messages_without_ids_that_say_the_same_are_each_told_once(tmp_path: Path) -> None:
    hello = {"type": "ai", "content": "Hello"}
    run = only_run(document(tmp_path / "h.json", snapshots([hello, hello, hello])))
    assert len(run.all(Message)) == 3


def test_a_state_of_other_messages_is_read_too(tmp_path: Path) -> None:
    rows = snapshots([{"role": "user", "content": ASK}, {"role": "assistant", "content": SORRY}])
    run = only_run(document(tmp_path / "h.json", rows))
    assert [(m.role, m.text) for m in run.all(Message)] == [("user", ASK), ("assistant", SORRY)]


def test_a_state_without_messages_says_what_it_lacks(tmp_path: Path) -> None:
    runs, [skipped] = split(lines(tmp_path / "h.jsonl", [{"values": {"n": 1}, "next": []}]))
    assert runs == []
    assert "a graph's state without messages" in skipped.why


def test_a_stream_of_values_that_names_its_mode_tells_what_was_asked(tmp_path: Path) -> None:
    states = asked_history({"content": "ok", "status": "success"})[::-1]
    rows = [{"type": "values", "ns": [], "data": s["values"], "interrupts": []} for s in states]
    rows[1]["interrupts"] = [ASKS]
    run = only_run(lines(tmp_path / "v.jsonl", rows))
    assert [a.state for a in run.all(Approval)] == ["requested", "granted"]
    assert len(run.all(ToolCall)) == 1


def test_a_stream_of_tokens_is_no_run(tmp_path: Path) -> None:
    chunk = [{"type": "AIMessageChunk", "content": "H"}, {"langgraph_node": "agent"}]
    rows = [{"type": "messages", "ns": [], "data": chunk}]
    runs, [skipped] = split(lines(tmp_path / "v.jsonl", rows))
    assert runs == []
    assert "a mode that holds no state" in skipped.why
