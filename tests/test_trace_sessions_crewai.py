"""Log files and event dumps of CrewAI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, runs_of, split

from agentcheck.model.event import (
    Compaction,
    Guardrail,
    Message,
    ModelCall,
    RunEnd,
    ToolCall,
    ToolResult,
)


def entry(status: str, task: str = "Find Dune", **more: Any) -> Json:
    head = {"timestamp": "2026-03-01 10:00:00", "task_name": "find", "task": task}
    return head | {"agent": "Librarian", "status": status, **more}


def test_a_log_file_holds_tasks_and_what_they_gave(tmp_path: Path) -> None:
    rows = [entry("started"), entry("completed", output="Shelf 7")]
    run = only_run(document(tmp_path / "l.json", rows))
    assert [(m.role, m.agent, m.text) for m in run.all(Message)] == [
        ("user", None, "Find Dune"),
        ("assistant", "Librarian", "Shelf 7"),
    ]
    assert run.known == {"content", "time"}
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"cannot-tell"}


def test_a_task_that_starts_once_more_begins_another_run(tmp_path: Path) -> None:
    rows = [entry("started"), entry("completed", output="Shelf 7, as it was before, thirty")] * 3
    runs = runs_of(document(tmp_path / "l.json", rows))
    assert [run.index for run in runs] == [0, 1, 2]
    assert not any(a.hit for run in runs for a in answers("repeated-message", run))


def test_entries_of_another_kind_are_counted(tmp_path: Path) -> None:
    [run], [skipped] = split(document(tmp_path / "l.json", [entry("started"), {"x": 1}]))
    assert (run.unknown_records, skipped.why) == (1, "item 2: no entry of a task; left out")


def event(second: int, kind: str, **more: Any) -> Json:
    stamp = f"2026-03-01T10:00:{second:02d}+00:00"
    return {
        "timestamp": stamp,
        "type": kind,
        "event_id": f"e{second}",
        "agent_role": "Clerk",
        **more,
    }


TOOL = {"tool_name": "renew", "tool_args": {"book": "Dune"}}
EVENTS = [
    event(1, "crew_kickoff_started", crew_name="Desk", inputs={}),
    event(2, "agent_execution_started", task_prompt="Renew Dune"),
    event(3, "llm_call_started", messages=[]),
    event(4, "llm_call_completed", model="m", response="I renew.", finish_reason="stop")
    | {"usage": {"prompt_tokens": 50, "completion_tokens": 5}},
    event(5, "tool_usage_started", **TOOL),
    event(6, "tool_usage_finished", started_event_id="e5", output="renewed", **TOOL),
    event(7, "llm_call_completed", model="m", response="Done.", finish_reason="length"),
    event(8, "llm_guardrail_completed", success=False, guardrail_name="tone"),
    event(8, "context_window_summarization_completed"),
    event(9, "crew_kickoff_completed", output="Done."),
]


def classed(row: Json) -> Json:
    """The event as listeners write it: the class's name, and the event under `data`."""
    words = row["type"].removeprefix("llm_").split("_")
    head = "LLM" if row["type"].startswith("llm_") else ""
    name = f"{head}{''.join(map(str.capitalize, words))}Event"
    return {"event": name, "data": {k: v for k, v in row.items() if k != "type"}}


def test_events_are_read_by_type_and_by_the_name_of_their_class(tmp_path: Path) -> None:
    for rows in (EVENTS, [classed(row) for row in EVENTS]):
        run = only_run(lines(tmp_path / "e.jsonl", rows))
        first, second = run.all(ModelCall)
        assert (first.input_tokens, first.finish_reason, second.finish_reason) == (
            50,
            "stop",
            "length",
        )
        assert (only(run, ToolCall).name, only(run, ToolCall).agent) == ("renew", "Clerk")
        assert (only(run, ToolResult).content, only(run, ToolResult).is_error) == ("renewed", False)
        assert (only(run, Guardrail).name, only(run, Guardrail).triggered) == ("tone", True)
        assert len(run.all(Compaction)) == 1
        assert (only(run, RunEnd).status, run.name) == ("completed", "Desk")
        assert run.unknown_records == 0


def test_a_failed_call_is_an_error_although_no_event_began_it(tmp_path: Path) -> None:
    rows = [*EVENTS[:4], event(5, "tool_execution_error", error="boom", **TOOL), *EVENTS[6:]]
    run = only_run(lines(tmp_path / "e.jsonl", rows))
    assert (only(run, ToolResult).is_error, only(run, ToolResult).content) == (True, "boom")
    assert not any(a.hit for a in answers("unpaired-tool-call", run))


def test_each_kickoff_is_a_run_and_a_crew_inside_it_belongs_to_it(tmp_path: Path) -> None:
    nested = [EVENTS[0], *EVENTS[:-1], EVENTS[-1], EVENTS[-1], event(10, "memory_save_completed")]
    runs = runs_of(lines(tmp_path / "e.jsonl", [*EVENTS, *nested]))
    assert [len(run.all(RunEnd)) for run in runs] == [1, 2]


def test_a_kickoff_that_failed_ended_in_an_error(tmp_path: Path) -> None:
    rows = [*EVENTS[:-1], event(9, "crew_kickoff_failed", error="boom")]
    assert only(only_run(lines(tmp_path / "e.jsonl", rows)), RunEnd).status == "error"


def test_reordered_torn_and_unknown_events_are_handled(tmp_path: Path) -> None:
    middle = [*EVENTS[1:9][::-1], event(8, "tool_usage_hologram")]
    path = lines(tmp_path / "e.jsonl", [EVENTS[0], *middle, EVENTS[9]])
    path.write_bytes(path.read_bytes()[:-5])
    [run], skipped = split(path)
    assert len(skipped) == 2
    assert run.unknown_records == 2
    assert only(run, ToolResult).call_key == only(run, ToolCall).call_key
