"""Audit logs of a hook bus: the shape of what happened, and none of its content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run_checks import CHECKS, answers
from tests.trace_samples import Json, lines, only, only_run, runs_of, split

from agentcheck.model.event import Approval, Guardrail, ModelCall, RunEnd, ToolCall, ToolResult
from agentcheck.rule import TraceSettings


def row(second: int, event: str, **more: Any) -> Json:
    return {"ts": 1772000000.0 + second, "event": event, "agent_id": "w1", **more}


LOG = [
    row(0, "swarm_start"),
    row(1, "pre_agent_spawn"),
    row(2, "post_agent_call", cost_usd=0.02, latency_ms=800),
    row(3, "pre_tool_call", tool_name="send_email"),
    row(4, "post_tool_call", tool_name="send_email", status="ok", latency_ms=90),
    row(5, "post_agent_call", cost_usd=0.01),
    row(6, "swarm_complete", status="completed", cost_usd=0.03),
]


def test_calls_costs_and_the_end_are_read(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "a.jsonl", LOG))
    assert [(c.cost, c.duration) for c in run.all(ModelCall)] == [(0.02, 0.8), (0.01, None)]
    assert (only(run, ToolCall).name, only(run, ToolCall).agent) == ("send_email", "w1")
    assert (only(run, ToolResult).is_error, only(run, ToolResult).duration) == (False, 0.09)
    assert (only(run, RunEnd).status, only(run, RunEnd).labels) == ("completed", {"cost": 0.03})
    assert run.unknown_records == 0


def test_whatever_asks_for_content_cannot_be_told(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "a.jsonl", LOG))
    told = {topic: {a.verdict for a in answers(topic, run)} for topic in CHECKS}
    for topic in (
        "content-logged",
        "repeated-call",
        "repeated-message",
        "non-idempotent-side-effect",
        "injected-side-effect",
        "tool-args-unguarded",
        "tool-error-ignored",
        "finish-reason-unchecked",
        "unguarded-side-effect",
        "handoff-race",
    ):
        assert told[topic] == {"cannot-tell"}, topic
    assert told["unpaired-tool-call"] == {"met"}


def test_a_log_of_calls_without_results_cannot_tell_pairing(tmp_path: Path) -> None:
    rows = [r for r in LOG if r["event"] != "post_tool_call"]
    run = only_run(lines(tmp_path / "a.jsonl", rows))
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_approvals_belong_to_the_call_of_their_tool(tmp_path: Path) -> None:
    settings = TraceSettings(side_effecting=frozenset({"send_email"}))
    granted = [*LOG[:4], row(3, "approval_granted", tool_name="send_email"), *LOG[4:]]
    run = only_run(lines(tmp_path / "a.jsonl", granted))
    assert only(run, Approval).call_key == only(run, ToolCall).call_key
    assert {a.verdict for a in answers("unguarded-side-effect", run, settings)} == {"met"}
    before = [*LOG[:3], row(2, "approval_requested", tool_name="send_email"), *LOG[3:]]
    asked = only_run(lines(tmp_path / "b.jsonl", before))
    assert only(asked, Approval).state == "requested"
    assert any(a.hit for a in answers("unguarded-side-effect", asked, settings))


def test_a_denied_or_blocked_call_is_not_one_that_was_lost(tmp_path: Path) -> None:
    for event in ("approval_denied", "security_block"):
        rows = [*LOG[:4], row(4, event, tool_name="send_email"), *LOG[5:], *LOG[3:5]]
        run = only_run(lines(tmp_path / "a.jsonl", rows))
        assert only(run, Approval).state == "denied"
        assert not any(a.hit for a in answers("unpaired-tool-call", run)), event


def test_guards_that_spoke_up_and_hooks_that_crashed_are_told(tmp_path: Path) -> None:
    rows = [*LOG, row(7, "injection_detected"), row(8, "hook_error")]
    run = only_run(lines(tmp_path / "a.jsonl", rows))
    assert [(g.name, g.triggered) for g in run.all(Guardrail)] == [
        ("injection_detected", True),
        ("hook_error", False),
    ]


def test_each_swarm_start_begins_a_run(tmp_path: Path) -> None:
    later = [r | {"ts": r["ts"] + 60} for r in LOG]
    assert [len(r.all(ToolCall)) for r in runs_of(lines(tmp_path / "a.jsonl", LOG + later))] == [
        1,
        1,
    ]


def test_named_runs_may_interleave(tmp_path: Path) -> None:
    both = [r | {"run_id": name} for r in LOG for name in ("a", "b")]
    runs = runs_of(lines(tmp_path / "a.jsonl", both))
    assert [(run.id, len(run.all(ModelCall))) for run in runs] == [("a", 2), ("b", 2)]


def test_reordered_torn_and_unknown_events_are_handled(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [*LOG[::-1], row(5, "metric_bump"), row(9, "hook_error")])
    path.write_bytes(path.read_bytes()[:-9])
    [run], [torn, blank] = split(path)
    assert "cut off" in torn.why
    assert "nothing that happened in a run could be read" in blank.why
    assert len(run.all(ToolCall)) == len(run.answers)


def test_events_of_another_log_say_why_they_are_not_read(tmp_path: Path) -> None:
    _, [skipped] = split(lines(tmp_path / "a.jsonl", [{"event": "deploy", "ts": 1.0}]))
    assert "no event of a hook bus has the name 'deploy'" in skipped.why
    _, [timeless] = split(lines(tmp_path / "b.jsonl", [{"event": "hook_error"}]))
    assert "its events have no time" in timeless.why
