"""One run in every format: a book is looked up three times to no avail, then the agent gives up.

Formats that carry no calls hold the same sentence three times instead, and an audit log, which
carries no arguments either, a call that is never answered.
"""

from __future__ import annotations

from typing import Any

from tests.every_format_spans import (
    ASK,
    CHAT,
    END,
    GIVEN,
    IDS,
    NONE,
    TEXT,
    at,
    langfuse_rows,
    langsmith_rows,
    otlp_rows,
    sdk_rows,
    span_rows,
)
from tests.export_samples import snapshots
from tests.trace_samples import Json, asked, item, said, user


def _langchain() -> list[Json]:
    rows: list[Json] = [{"type": "human", "content": ASK, "id": "h"}]
    for i in IDS:
        call = {"id": i, "name": "find", "args": GIVEN, "type": "tool_call"}
        rows += [
            {"type": "ai", "content": "", "id": f"a{i}", "tool_calls": [call]},
            {"type": "tool", "content": NONE, "tool_call_id": i, "name": "find", "id": f"r{i}"},
        ]
    return [*rows, {"type": "ai", "content": END, "id": "a"}]


def _pydantic_ai() -> list[Any]:
    rows: list[Json] = [_part("request", part_kind="user-prompt", content=ASK)]
    for i in IDS:
        named = {"tool_name": "find", "tool_call_id": i}
        rows.append(_part("response", part_kind="tool-call", args=GIVEN, **named))
        rows.append(_part("request", part_kind="tool-return", content=NONE, **named))
    return [*rows, _part("response", part_kind="text", content=END)]


def _part(kind: str, **part: Any) -> Json:
    return {"kind": kind, "parts": [part]}


def _autogen() -> list[Any]:
    def said_by(source: str, kind: str, content: Any) -> Json:
        return {"source": source, "type": kind, "content": content, "models_usage": None}

    rows = [said_by("user", "TextMessage", ASK)]
    for i in IDS:
        call = {"id": i, "name": "find", "arguments": TEXT}
        back = {"call_id": i, "name": "find", "content": NONE, "is_error": False}
        rows.append(said_by("Desk", "ToolCallRequestEvent", [call]))
        rows.append(said_by("Desk", "ToolCallExecutionEvent", [back]))
    return [*rows, said_by("Desk", "TextMessage", END)]


def _autogen_chat() -> list[Any]:
    rows: list[Json] = [{"role": "assistant", "name": "Ada", "content": ASK}]
    for i in IDS:
        back = {"tool_call_id": i, "role": "tool", "content": NONE}
        rows += [
            {"role": "assistant", "name": "Desk", "content": ""}
            | {"tool_calls": [asked("find", GIVEN, i)]},
            {"role": "tool", "name": "Ada", "content": NONE, "tool_responses": [back]},
        ]
    rows.append({"role": "user", "name": "Desk", "content": END})
    return [{"chat_history": rows, "summary": END}]


def _claude_code() -> list[Any]:
    def row(n: int, kind: str, content: Any, **more: Any) -> Json:
        message = {"role": kind, "content": content, **more}
        head = {"type": kind, "sessionId": "s1", "uuid": f"u{n}", "timestamp": at(n)}
        return head | {"message": message}

    rows = [row(0, "user", ASK)]
    for n, i in enumerate(IDS, 1):
        use = {"type": "tool_use", "id": i, "name": "find", "input": GIVEN}
        back = {"type": "tool_result", "tool_use_id": i, "content": NONE}
        rows.append(row(2 * n, "assistant", [use], id=f"m{n}", stop_reason="tool_use"))
        rows.append(row(2 * n + 1, "user", [back]))
    return [*rows, row(9, "assistant", [{"type": "text", "text": END}], id="m9")]


def _inspect() -> list[Any]:
    messages: list[Json] = [{"role": "user", "content": ASK}]
    for i in IDS:
        call = {"id": i, "function": "find", "arguments": GIVEN}
        messages.append({"role": "assistant", "content": "", "id": f"a{i}", "tool_calls": [call]})
        messages.append({"role": "tool", "content": NONE, "tool_call_id": i, "function": "find"})
    messages.append({"role": "assistant", "content": END, "id": "a"})
    return [{"id": 1, "epoch": 1, "input": ASK, "messages": messages, "events": []}]


def _agentdojo() -> list[Any]:
    messages: list[Json] = [{"role": "user", "content": [{"type": "text", "content": ASK}]}]
    for i in IDS:
        call = {"function": "find", "args": GIVEN, "id": i}
        back = [{"type": "text", "content": NONE}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call": call, "tool_call_id": i, "content": back, "error": None},
        ]
    messages.append({"role": "assistant", "content": END, "tool_calls": None})
    head = {"suite_name": "shelf", "pipeline_name": "p", "user_task_id": "u0", "error": None}
    return [head | {"injection_task_id": None, "messages": messages}]


def _mini_swe() -> list[Any]:
    messages = [user("Print COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT when done"), *CHAT]
    info = {"exit_status": "Submitted", "submission": "", "mini_version": "2"}
    return [{"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}]


def _swe_agent() -> list[Any]:
    step = {"action": "find Dune", "observation": NONE, "thought": "Look.", "response": "Look."}
    info = {"exit_status": "submitted", "submission": "diff"}
    return [{"environment": "main", "trajectory": [step] * 3, "history": [], "info": info}]


def _adk() -> list[Any]:
    def event(n: int, author: str, part: Json) -> Json:
        content = {"parts": [part], "role": "user" if author == "user" else "model"}
        head = {"id": f"e{n}", "invocation_id": "i1", "author": author, "actions": {}}
        return head | {"timestamp": 1772000000.0 + n, "content": content}

    rows = [event(0, "user", {"text": ASK})]
    for n, i in enumerate(IDS, 1):
        call = {"id": i, "name": "find", "args": GIVEN}
        back = {"id": i, "name": "find", "response": {"result": NONE}}
        rows.append(event(2 * n, "desk", {"function_call": call}))
        rows.append(event(2 * n + 1, "desk", {"function_response": back}))
    return [*rows, event(9, "desk", {"text": END})]


def _audit_log() -> list[Any]:
    events = ["swarm_start", "post_agent_call", "pre_tool_call", "post_agent_call"]
    events[3:3] = ["post_tool_call", "post_agent_call", "pre_tool_call"]
    rows = [{"ts": 1772000000.0 + n, "event": e, "agent_id": "w1"} for n, e in enumerate(events)]
    return [row | ({"tool_name": "find"} if "tool" in str(row["event"]) else {}) for row in rows]


def _crewai_events() -> list[Any]:
    def event(n: int, kind: str, **more: Any) -> Json:
        return {"timestamp": at(n), "type": kind, "event_id": f"e{n}", **more}

    tool: Json = {"tool_name": "find", "tool_args": GIVEN}
    rows = [event(0, "crew_kickoff_started", crew_name="Desk", inputs={})]
    for n in (1, 4, 7):
        rows += [
            event(n, "llm_call_completed", model="m", response="I look."),
            event(n + 1, "tool_usage_started", **tool),
            event(n + 2, "tool_usage_finished", started_event_id=f"e{n + 1}", output=NONE, **tool),
        ]
    return [*rows, event(11, "crew_kickoff_completed", output=END)]


def _crewai_log() -> list[Any]:
    head = {"timestamp": "2026-03-01 10:00:00", "task_name": "find", "agent": "Librarian"}
    tasks = [(f"Find Dune, part {n}", f"{END} There is {NONE}.") for n in (1, 2, 3)]
    return [
        head | {"task": task, "status": status, "output": text if status == "completed" else None}
        for task, text in tasks
        for status in ("started", "completed")
    ]


def _codex() -> list[Any]:
    def row(n: int, kind: str, **payload: Any) -> Json:
        return {"timestamp": at(n), "type": kind, "payload": payload}

    rows = [row(0, "session_meta", id="s-1", cwd="/books", cli_version="0.9")]
    for n, i in enumerate(IDS, 1):
        back = {"type": "function_call_output", "call_id": i, "output": NONE}
        rows += [row(2 * n, "response_item", **item("find", GIVEN, i))]
        rows += [row(2 * n + 1, "response_item", **back)]
    return [*rows, row(9, "response_item", **said(END))]


def _transcript() -> list[Any]:
    again = "I have looked for Dune on every shelf of the house and did not find it."
    rows = [("Ada", ASK), ("Desk", again), ("Ada", "And now?"), ("Desk", again)]
    rows += [("Ada", "Look once more."), ("Desk", again), ("Ada", "Thank you.")]
    return [{"speaker": speaker, "content": text} for speaker, text in rows]


STEP = {"action": "find Dune", "observation": NONE, "thought": "Look."}
STUCK: dict[str, list[Any]] = {
    "otlp": otlp_rows(),
    "agents-sdk": sdk_rows(),
    "langsmith": langsmith_rows(),
    "langfuse": langfuse_rows(),
    "span-rows": span_rows(),
    "langgraph": [*snapshots(_langchain())],
    "langchain": [*_langchain()],
    "pydantic-ai": _pydantic_ai(),
    "autogen": _autogen(),
    "autogen-chat": _autogen_chat(),
    "claude-code": _claude_code(),
    "inspect": _inspect(),
    "tau-bench": [{"task_id": 4, "reward": 0.0, "info": {}, "traj": CHAT, "trial": 1}],
    "agentdojo": _agentdojo(),
    "mini-swe-agent": _mini_swe(),
    "swe-agent": _swe_agent(),
    "adk": _adk(),
    "audit-log": _audit_log(),
    "crewai-events": _crewai_events(),
    "crewai-log": _crewai_log(),
    "steps": [STEP] * 3,
    "chat": [*CHAT],
    "codex": _codex(),
    "transcript": _transcript(),
}
"""The run in each format by the name that `--format` has for it, as records of JSON Lines."""
FAULT = dict.fromkeys(STUCK, "repeated-call") | {
    "audit-log": "unpaired-tool-call",
    "crewai-log": "repeated-message",
    "transcript": "repeated-message",
}
"""The topic of the fault that is planted."""
