"""Runs of benchmarks: tau-bench, tau2-bench, AgentDojo, SWE-agent, mini-swe-agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.run_checks import answers
from tests.trace_samples import (
    LOAN,
    Json,
    asked,
    assistant,
    document,
    lines,
    only,
    only_run,
    result,
    runs_of,
    split,
    user,
)

from agentcheck.model.event import Message, ModelCall, RunEnd, ToolCall, ToolResult

STOP = user("Thanks. ###STOP###")


def tau(reward: float, *more: Json, **info: Any) -> Json:
    return {"task_id": 4, "reward": reward, "info": info, "traj": [*LOAN, *more], "trial": 1}


def test_tau_results_carry_their_reward_and_how_they_ended(tmp_path: Path) -> None:
    rows = [tau(1.0, STOP), tau(0.0), tau(0.0, error="boom")]
    runs = runs_of(document(tmp_path / "r.json", rows))
    ends = [only(run, RunEnd) for run in runs]
    assert [end.status for end in ends] == ["completed", "unknown", "error"]
    assert ends[0].labels == {"task_id": 4, "trial": 1, "reward": 1.0}
    assert [call.source.record for call in runs[0].all(ToolCall)] == [1]


def test_a_tau_run_ends_after_it_was_handed_to_people(tmp_path: Path) -> None:
    over = [assistant(None, asked("transfer_to_human_agents")), result("Transfer successful")]
    run = only_run(lines(tmp_path / "r.jsonl", [tau(0.0, *over)]))
    assert only(run, RunEnd).status == "completed"


def test_a_torn_last_tau_run_is_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "r.jsonl", [tau(1.0), tau(0.0)])
    path.write_bytes(path.read_bytes()[:-30])
    runs, skipped = split(path)
    assert len(runs) == 1
    assert "line 2: cut off" in skipped[0].why


def simulation(**more: Any) -> Json:
    call = {"id": "c1", "name": "renew", "arguments": {"book": "Dune"}, "requestor": "assistant"}
    toggle = {"id": "u1", "name": "toggle", "arguments": {}, "requestor": "user"}
    spent = {"usage": {"prompt_tokens": 40, "completion_tokens": 4}, "cost": 0.01}
    messages = [
        user("Renew Dune") | {"timestamp": "2026-03-01T10:00:00"},
        {"role": "assistant", "content": None, "tool_calls": [call], **spent},
        {
            "role": "tool",
            "id": "c1",
            "content": "renewed",
            "requestor": "assistant",
            "error": False,
        },
        {"role": "user", "content": None, "tool_calls": [toggle]},
        {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "error": False},
        assistant("Done.", **spent),
    ]
    told = {"id": "sim", "task_id": "7", "messages": messages, "trial": 0}
    return told | {"termination_reason": "user_stop", "reward_info": {"reward": 1.0}} | more


def test_simulations_of_tau2_are_runs(tmp_path: Path) -> None:
    found = [simulation(), simulation(termination_reason="max_steps")]
    results = {"info": {}, "tasks": [], "simulations": found}
    first, second = runs_of(document(tmp_path / "r.json", results))
    assert (first.index, second.index) == (0, 1)
    assert (only(first, RunEnd).status, only(second, RunEnd).status) == ("completed", "max_turns")
    assert only(first, RunEnd).labels["reward"] == 1.0
    assert [(c.input_tokens, c.cost) for c in first.all(ModelCall)] == [(40, 0.01)] * 2
    assert only(first, ToolCall).name == "renew"  # the user's own tool is none of the agent's
    assert {a.verdict for a in answers("unpaired-tool-call", first)} == {"met"}


def test_results_of_several_tools_in_one_message_are_told_apart(tmp_path: Path) -> None:
    each = simulation()
    call = each["messages"][1]["tool_calls"][0]
    each["messages"][1]["tool_calls"] = [call, call | {"id": "c2", "name": "look"}]
    both = [each["messages"][2], each["messages"][2] | {"id": "c2"}]
    each["messages"][2] = {"role": "tool", "tool_messages": both}
    run = only_run(document(tmp_path / "r.json", each))
    assert [r.source.record for r in run.all(ToolResult)] == [2, 2]
    assert run.all(Message)[-1].source.record == 5


def test_a_simulation_of_voices_is_not_read_as_clean(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "r.json", simulation(messages=None, ticks=[{}, {}])))
    assert run.unknown_records == 2


def dojo(*more: Json, **labels: Any) -> Json:
    call = {"function": "read_file", "args": {"path": "bill.txt"}, "id": None}
    text = [{"type": "text", "content": "Pay 5"}]
    messages = [
        {"role": "user", "content": [{"type": "text", "content": "Pay the bill"}]},
        {"role": "assistant", "content": None, "tool_calls": [call, call | {"function": "now"}]},
        {"role": "tool", "tool_call": call | {"function": "now"}, "tool_call_id": None}
        | {"content": text, "error": None},
        {"role": "tool", "tool_call": call, "tool_call_id": None, "content": "", "error": "gone"},
        {"role": "assistant", "content": "Paid.", "tool_calls": None},
    ]
    head = {"suite_name": "bank", "pipeline_name": "p", "user_task_id": "u0", "error": None}
    return head | {"injection_task_id": None, "messages": [*messages, *more]} | labels


def test_results_without_ids_are_paired_by_the_call_they_name(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "d.json", dojo(utility=True, security=True)))
    names = {c.call_key: c.name for c in run.all(ToolCall)}
    assert [(names[r.call_key or ""], r.is_error) for r in run.all(ToolResult)] == [
        ("now", False),
        ("read_file", True),
    ]
    assert run.name == "bank"
    assert "attack_succeeded" not in only(run, RunEnd).labels


def test_the_label_security_means_the_reverse_of_what_it_reads(tmp_path: Path) -> None:
    attacked = dojo(injection_task_id="i1", security=True, utility=False, error="cut")
    end = only(only_run(document(tmp_path / "d.json", attacked)), RunEnd)
    assert (end.status, end.labels["attack_succeeded"]) == ("error", True)


def trajectory(**more: Any) -> Json:
    step = {"action": "ls -a", "observation": "books", "thought": "Look.", "response": "Look."}
    stats = {"instance_cost": 0.5, "tokens_sent": 70, "tokens_received": 7, "api_calls": 2}
    info = {"exit_status": "submitted", "submission": "diff", "model_stats": stats}
    return {"environment": "main", "trajectory": [step, step], "history": [], "info": info} | more


TURNS = [
    {"role": "system", "content": "You fix books", "agent": "main"},
    {"role": "assistant", "content": "demo", "action": "rm", "agent": "main", "is_demo": True},
    {"role": "assistant", "content": "Look.\nls", "thought": "Look.", "action": "ls"}
    | {"agent": "main"},
    {"role": "user", "content": "books", "agent": "main"},
]


def test_steps_of_a_trajectory_and_its_end_are_read(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "t.traj", trajectory()))
    end = only(run, RunEnd)
    assert [(c.name, c.source.record) for c in run.all(ToolCall)] == [("ls", 0), ("ls", 1)]
    assert (end.status, end.output, end.labels["cost"]) == ("completed", "diff", 0.5)
    assert (end.labels["input_tokens"], end.labels["model_calls"]) == (70, 2)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("submitted (exit_cost)", "max_turns"),
        ("exit_context", "error"),
        ("exit_format", "error"),
        ("early_exit", "interrupted"),
        (None, "unknown"),
    ],
)
def test_an_exit_status_says_how_the_run_ended(
    tmp_path: Path, said: str | None, status: str
) -> None:
    run = only_run(document(tmp_path / "t.traj", trajectory(info={"exit_status": said})))
    assert only(run, RunEnd).status == status


def test_a_history_alone_has_its_actions_in_messages(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "t.traj", trajectory(trajectory=[], history=TURNS)))
    assert [(c.name, c.source.record) for c in run.all(ToolCall)] == [("ls", 2)]
    assert [(r.content, r.source.record) for r in run.all(ToolResult)] == [("books", 3)]


def test_a_history_with_tool_calls_is_read_as_that(tmp_path: Path) -> None:
    calls = [assistant("Look.", asked("ls"), agent="main", action="ls")]
    answer = {"role": "tool", "content": "books", "tool_call_ids": ["c1"], "agent": "main"}
    run = only_run(document(tmp_path / "t.traj", trajectory(history=[*TURNS[:2], *calls, answer])))
    assert [(c.name, c.source.record) for c in run.all(ToolCall)] == [("ls", 2)]
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"met"}


PROMPT = user("Print COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT when done")
BLOCK = "Look.\n```mswea_bash_command\nls\n```"


def mini(*messages: Json, status: str = "Submitted") -> Json:
    stats = {"instance_cost": 0.2, "api_calls": 2}
    info = {"exit_status": status, "submission": "", "model_stats": stats, "mini_version": "2"}
    return {
        "info": info,
        "messages": [PROMPT, *messages],
        "trajectory_format": "mini-swe-agent-1.1",
    }


def test_mini_swe_agent_is_read_with_cost_and_why_replies_ended(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    response = {"model": "m", "usage": usage, "choices": [{"finish_reason": "length"}]}
    extra = {"cost": 0.1, "timestamp": 1772000000.0, "response": response}
    called = assistant("Look.", asked("bash", {"command": "ls"}), extra=extra)
    seen = result("books", extra={"returncode": 0, "exception_info": ""})
    done = {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}}
    run = only_run(document(tmp_path / "m.json", mini(called, seen, done)))
    model = only(run, ModelCall)
    assert (model.cost, model.input_tokens, model.finish_reason) == (0.1, 9, "length")
    assert (only(run, ToolCall).arguments, only(run, ToolResult).is_error) == (
        {"command": "ls"},
        False,
    )
    assert (only(run, RunEnd).status, only(run, RunEnd).labels["cost"]) == ("completed", 0.2)
    assert {"usage", "finish", "errors"} <= run.known


def test_commands_parsed_out_of_texts_are_calls(tmp_path: Path) -> None:
    rows = [PROMPT, assistant(BLOCK), user("books"), assistant("no block"), user("Use one block")]
    run = only_run(document(tmp_path / "m.json", rows))
    assert run.format == "mini-swe-agent trajectory"
    assert [(c.arguments, c.source.record) for c in run.all(ToolCall)] == [({"command": "ls"}, 1)]
    assert only(run, ToolResult).content == "books"


def test_a_limit_of_mini_swe_agent_ends_the_run(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "m.json", mini(assistant(BLOCK), status="LimitsExceeded")))
    assert only(run, RunEnd).status == "max_turns"
    assert any(a.hit for a in answers("unbounded-loop", run))


def test_objects_that_come_close_say_what_is_missing(tmp_path: Path) -> None:
    _, [skipped] = split(document(tmp_path / "x.json", {"traj": [{"role": "boss", "content": 1}]}))
    assert "`traj` " in skipped.why
