"""The run of every format as tracers write it, in spans: what is asked, found and said.

The parts of the run that the other formats tell as well are named here.
"""

from __future__ import annotations

import json
from typing import Any

from tests.export_spans import any_value
from tests.trace_samples import Json, Sdk, asked, assistant, item, otlp, parts, result, said, user

ASK = "Is there a copy of Dune for me?"
NONE = "no copy on any shelf"
END = "I could not find Dune for you."
GIVEN: Json = {"title": "Dune"}
TEXT = json.dumps(GIVEN)
IDS = ("c1", "c2", "c3")
CHAT: list[Json] = [
    user(ASK),
    *(row for i in IDS for row in (assistant(None, asked("find", GIVEN, i)), result(NONE, i))),
    assistant(END),
]


def at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02d}Z"


def otlp_rows() -> list[Any]:
    spans: list[Json] = [_span("desk", 1, None, {"gen_ai.operation.name": "invoke_agent"})]
    for n, i in enumerate(IDS, 1):
        call = {"type": "tool_call", "id": i, "name": "find", "arguments": GIVEN}
        model = {
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": json.dumps([parts("assistant", call)]),
        }
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": i,
            "gen_ai.tool.call.arguments": TEXT,
            "gen_ai.tool.call.result": NONE,
        }
        spans += [_span(f"m{n}", 2 * n, "desk", model), _span(f"x{n}", 2 * n + 1, "desk", tool)]
    return [otlp(span) for span in spans]


def _span(span_id: str, at: int, parent: str | None, attributes: Json) -> Json:
    """A span; the parent is named before it ends, as in a file that spans are written to."""
    span: Json = {
        "traceId": "t1",
        "spanId": span_id,
        "name": span_id,
        "startTimeUnixNano": str(at * 10**9),
        "endTimeUnixNano": str(at * 10**9 + 10**8),
        "attributes": [{"key": k, "value": any_value(v)} for k, v in attributes.items()],
    }
    return span | {"parentSpanId": parent} if parent else span


def sdk_rows() -> list[Any]:
    sdk = Sdk()
    task, agent = sdk.opening()
    for number, i in enumerate(IDS, 1):
        call = item("find", GIVEN, i)
        turn = sdk.turn(agent, number, call)
        sdk.ran(turn, call, NONE)
        sdk.end(turn)
    sdk.end(sdk.turn(agent, 4, said(END)), agent, task)
    return [*sdk.rows]


def langsmith_rows() -> list[Any]:
    rows: list[Json] = [{"id": "desk", "run_type": "chain", "name": "Desk"}]
    for n, i in enumerate(IDS, 1):
        ai = {"type": "ai", "content": "", "tool_calls": [{"id": i, "name": "find", "args": GIVEN}]}
        rows += [
            {"id": f"m{n}", "run_type": "llm", "name": "Chat"}
            | {"inputs": {"messages": [[{"type": "human", "content": ASK}]]}}
            | {"outputs": {"generations": [[{"text": "", "message": ai}]]}},
            {"id": f"x{n}", "run_type": "tool", "name": "find", "inputs": GIVEN}
            | {"outputs": {"output": NONE}, "extra": {"tool_call_id": i}},
        ]
    for n, row in enumerate(rows):
        row.setdefault("inputs", {})
        row.setdefault("outputs", {})
        row |= {"trace_id": "desk", "start_time": at(n), "end_time": at(n)}
        row |= {"dotted_order": f"{n:02d}", "parent_run_id": "desk" if n else None}
    return [*rows]


def langfuse_rows() -> list[Any]:
    rows: list[Json] = [{"id": "desk", "type": "AGENT", "name": "Desk"}]
    for n, i in enumerate(IDS, 1):
        reply = {"role": "assistant", "content": None, "tool_calls": [asked("find", GIVEN, i)]}
        rows += [
            {"id": f"g{n}", "type": "GENERATION", "name": "chat", "input": [user(ASK)]}
            | {"output": reply},
            {"id": f"x{n}", "type": "TOOL", "name": "find", "input": GIVEN, "output": NONE},
        ]
    for n, row in enumerate(rows):
        row |= {"traceId": "t1", "startTime": at(n), "endTime": None}
        row["parentObservationId"] = "desk" if n else None
    return [*rows]


def span_rows() -> list[Any]:
    kind, reply = "openinference.span.kind", "llm.output_messages.0.message"
    rows: list[tuple[str, Json]] = [("desk", {kind: "AGENT", "agent.name": "Desk"})]
    for n, i in enumerate(IDS, 1):
        call = f"{reply}.tool_calls.0.tool_call"
        given = {f"{call}.id": i, f"{call}.function.name": "find"}
        given |= {f"{call}.function.arguments": TEXT, f"{reply}.role": "assistant"}
        rows.append((f"m{n}", {kind: "LLM", **given}))
        tool = {kind: "TOOL", "tool.name": "find", "input.value": TEXT, "output.value": NONE}
        rows.append((f"x{n}", tool))
    return [
        {
            "name": span_id,
            "context": {"trace_id": "0xt1", "span_id": span_id},
            "parent_id": "desk" if n else None,
            "start_time": at(n),
            "end_time": at(n),
            "attributes": attributes,
        }
        for n, (span_id, attributes) in enumerate(rows)
    ]
