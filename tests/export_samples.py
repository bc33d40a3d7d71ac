"""Records of runs as tracing services and frameworks export them, made by hand: one small run each.

The run is always the same: a reader's card is looked up, which works, and cancelled, which fails;
then the assistant says so.
"""

from __future__ import annotations

import json
from typing import Any

from tests.export_spans import (
    ASK,
    CANCEL,
    FIND,
    MODEL,
    SORRY,
    openinference_attributes,
    otlp_of,
    span_rows,
    traceloop_attributes,
)
from tests.trace_samples import Json


def calls(shape: str = "openai") -> list[Json]:
    """The two calls of the first reply."""
    named = (("c1", "find_reader", FIND), ("c2", "cancel_card", CANCEL))
    if shape == "openai":
        return [
            {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, n, a in named
        ]
    return [{"id": i, "name": n, "args": a, "type": "tool_call"} for i, n, a in named]


def langfuse_rows(*, snake: bool = False) -> list[Json]:
    """Observations, newest first, as the API gives them."""
    given = [{"role": "user", "content": ASK}]
    rows: list[Json] = [
        {"id": "g2", "type": "GENERATION", "name": "chat", "input": given,
         "output": {"role": "assistant", "content": SORRY}},
        {"id": "x2", "type": "TOOL", "name": "cancel_card", "input": CANCEL, "output": None,
         "level": "ERROR", "statusMessage": "no such card"},
        {"id": "x1", "type": "TOOL", "name": "find_reader", "input": FIND, "output": "reader 7"},
        {"id": "g1", "type": "GENERATION", "name": "chat", "input": {"messages": given},
         "output": {"role": "assistant", "content": None, "tool_calls": calls()},
         "model": MODEL, "usageDetails": {"input": 50, "output": 9, "input_cached_tokens": 3},
         "costDetails": {"total": 0.25}},
        {"id": "desk", "type": "AGENT", "name": "Desk"},
    ]  # fmt: skip
    for n, row in enumerate(reversed(rows)):
        row |= {"traceId": "t1", "startTime": f"2026-03-01T10:00:0{n}Z", "endTime": None}
        row["parentObservationId"] = None if row["id"] == "desk" else "desk"
    if not snake:
        return rows
    names = {"traceId": "trace_id", "startTime": "start_time", "endTime": "end_time",
             "parentObservationId": "parent_observation_id", "usageDetails": "usage_details",
             "costDetails": "cost_details", "statusMessage": "status_message"}  # fmt: skip
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


def lc(kind: str, **fields: Any) -> Json:
    """A message as `dumpd` serialises it."""
    path = ["langchain", "schema", "messages", kind]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}


def langchain_messages() -> list[Json]:
    """The run as LangChain's messages, with the fields alone."""
    facts = {"model_name": MODEL, "finish_reason": "tool_calls"}
    usage = {"input_tokens": 50, "output_tokens": 9, "input_token_details": {"cache_read": 3}}
    return [
        {"type": "human", "content": ASK, "id": "h1"},
        {"type": "ai", "content": "", "id": "a1", "name": "Desk", "tool_calls": calls("langchain"),
         "invalid_tool_calls": [], "response_metadata": facts, "usage_metadata": usage},
        {"type": "tool", "content": "reader 7", "tool_call_id": "c1", "name": "find_reader",
         "id": "r1", "status": "success"},
        {"type": "tool", "content": "no such card", "tool_call_id": "c2", "name": "cancel_card",
         "id": "r2", "status": "error"},
        {"type": "ai", "content": SORRY, "id": "a2", "name": "Desk",
         "response_metadata": {"finish_reason": "length"}},
    ]  # fmt: skip


def langsmith_rows() -> list[Json]:
    """Runs of one trace, as listed: newest first."""
    human, ai, _, _, last = langchain_messages()
    tools = [{"type": "function", "function": {"name": "cancel_card", "parameters": {
        "type": "object", "required": ["card"]}}}]  # fmt: skip
    rows: list[Json] = [
        {"id": "m2", "run_type": "llm", "name": "Chat", "inputs": {"messages": [[human]]},
         "outputs": {"generations": [[{"text": SORRY, "message": last}]]}},
        {"id": "x2", "run_type": "tool", "name": "cancel_card", "inputs": CANCEL, "outputs": None,
         "error": "ValueError('no such card')", "extra": {"tool_call_id": "c2"}},
        {"id": "x1", "run_type": "tool", "name": "find_reader", "inputs": {"input": "Ada"},
         "outputs": {"output": "reader 7"}, "extra": {"tool_call_id": "c1"}},
        {"id": "m1", "run_type": "llm", "name": "Chat",
         "inputs": {"messages": [[lc("HumanMessage", content=ASK, type="human")]]},
         "outputs": {"generations": [[{"text": "", "generation_info": {},
                     "message": lc("AIMessage", **ai)}]], "llm_output": None},
         "extra": {"invocation_params": {"model": MODEL, "tools": tools}},
         "total_cost": "0.25"},
        {"id": "desk", "run_type": "chain", "name": "Desk", "inputs": {}, "outputs": {}},
    ]  # fmt: skip
    for n, row in enumerate(reversed(rows)):
        at = f"2026-03-01T10:00:0{n}"
        row |= {"trace_id": "desk", "start_time": at, "end_time": at, "dotted_order": f"{at}.{n}"}
        row["parent_run_id"] = None if row["id"] == "desk" else "desk"
    return rows


def snapshots(messages: list[Any], **last: Any) -> list[Json]:
    """A state history, newest first: one snapshot for each message; `last` adds to the newest."""
    found: list[Json] = []
    for n in range(1, len(messages) + 1):
        above = found[-1]["config"] if found else None
        config = {"configurable": {"thread_id": "th1", "checkpoint_id": f"k{n}"}}
        found.append(
            {
                "values": {"messages": messages[:n]},
                "next": ["agent"] if n < len(messages) else [],
                "config": config,
                "metadata": {"source": "loop", "step": n},
                "created_at": f"2026-03-01T10:00:0{n}Z",
                "parent_config": above,
                "tasks": [],
            }
        )
    found[-1] |= last
    return found[::-1]


def pydantic_messages() -> list[Json]:
    """The run as pydantic-ai's messages."""
    return [
        {"kind": "request", "instructions": "Be kind.", "parts": [
            {"part_kind": "user-prompt", "content": ASK}]},
        {"kind": "response", "model_name": MODEL, "finish_reason": "tool_call",
         "usage": {"input_tokens": 50, "output_tokens": 9, "cache_read_tokens": 3},
         "timestamp": "2026-03-01T10:00:00Z", "parts": [
            {"part_kind": "thinking", "content": "Hm."},
            {"part_kind": "tool-call", "tool_name": "find_reader", "args": FIND,
             "tool_call_id": "c1"},
            {"part_kind": "tool-call", "tool_name": "cancel_card", "args": json.dumps(CANCEL),
             "tool_call_id": "c2"}]},
        {"kind": "request", "parts": [
            {"part_kind": "tool-return", "tool_name": "find_reader", "content": "reader 7",
             "tool_call_id": "c1"},
            {"part_kind": "retry-prompt", "tool_name": "cancel_card", "content": "no such card",
             "tool_call_id": "c2"}]},
        {"kind": "response", "finish_reason": "length", "parts": [
            {"part_kind": "text", "content": SORRY}]},
    ]  # fmt: skip


def autogen_messages() -> list[Json]:
    """The run as AgentChat's messages."""
    usage = {"prompt_tokens": 50, "completion_tokens": 9}
    asked = [
        {"id": c["id"], "name": c["function"]["name"], "arguments": c["function"]["arguments"]}
        for c in calls()
    ]
    back = [
        {"call_id": "c1", "name": "find_reader", "content": "reader 7", "is_error": False},
        {"call_id": "c2", "name": "cancel_card", "content": "no such card", "is_error": True},
    ]
    return [
        {"id": "1", "source": "user", "type": "TextMessage", "content": ASK, "models_usage": None},
        {"id": "2", "source": "Desk", "type": "ToolCallRequestEvent", "content": asked,
         "models_usage": usage, "created_at": "2026-03-01T10:00:00Z"},
        {"id": "3", "source": "Desk", "type": "ToolCallExecutionEvent", "content": back,
         "models_usage": None},
        {"id": "4", "source": "Desk", "type": "TextMessage", "content": SORRY,
         "models_usage": usage},
    ]  # fmt: skip


def autogen_chat() -> Json:
    """The run as the chat history of AutoGen 0.2, kept by the one who asks."""
    return {
        "chat_history": [
            {"role": "assistant", "name": "Ada", "content": ASK},
            {"role": "assistant", "name": "Desk", "content": "", "tool_calls": calls()},
            {"role": "tool", "name": "Ada", "content": "reader 7\n\nno such card",
             "tool_responses": [
                 {"tool_call_id": "c1", "role": "tool", "content": "reader 7"},
                 {"tool_call_id": "c2", "role": "tool", "content": "no such card"}]},
            {"role": "user", "name": "Desk", "content": SORRY},
        ],
        "summary": SORRY,
    }  # fmt: skip


EXPORTS: dict[str, list[Any]] = {
    "OTLP with OpenInference attributes": [otlp_of(openinference_attributes())],
    "OTLP with OpenLLMetry attributes": [otlp_of(traceloop_attributes())],
    "rows of spans with OpenInference attributes": span_rows(),
    "Langfuse observations": langfuse_rows(),
    "LangSmith runs": langsmith_rows(),
    "LangGraph state": snapshots(langchain_messages()),
    "LangChain messages": langchain_messages(),
    "pydantic-ai messages": pydantic_messages(),
    "AutoGen messages": autogen_messages(),
    "AutoGen 0.2 chat history": [autogen_chat()],
}
"""The run in each format, as the records of a JSON Lines file."""
