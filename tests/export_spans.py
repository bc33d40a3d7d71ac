"""The run of the exports as spans, in the names of OpenInference and of OpenLLMetry."""

from __future__ import annotations

import json
from typing import Any

from tests.trace_samples import Json, otlp

ASK = "My card is lost."
SORRY = "I could not cancel it."
FIND = {"name": "Ada"}
CANCEL = {"card": 7}
MODEL = "model-a"


def attribute_span(
    span_id: str, at: int, parent: str | None, attributes: Json, *, failed: bool = False
) -> Json:
    """An OTLP span with attributes under any names."""
    span: Json = {
        "traceId": "t1",
        "spanId": span_id,
        "name": span_id,
        "startTimeUnixNano": str(at * 10**9),
        "endTimeUnixNano": str(at * 10**9 + 5 * 10**8),
        "attributes": [{"key": k, "value": any_value(v)} for k, v in attributes.items()],
        "status": {"code": 2, "message": "no such card"} if failed else {},
    }
    return span | {"parentSpanId": parent} if parent else span


def any_value(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def openinference_attributes() -> dict[str, Json]:
    """The attributes of each span by its id, in OpenInference's flattened names."""
    first, second = "llm.output_messages.0.message", "llm.input_messages"
    call = "tool_calls.{}.tool_call"
    asked = {
        f"{first}.role": "assistant",
        f"{first}.{call.format(0)}.id": "c1",
        f"{first}.{call.format(0)}.function.name": "find_reader",
        f"{first}.{call.format(0)}.function.arguments": json.dumps(FIND),
        f"{first}.{call.format(1)}.id": "c2",
        f"{first}.{call.format(1)}.function.name": "cancel_card",
        f"{first}.{call.format(1)}.function.arguments": json.dumps(CANCEL),
    }
    schema = {"type": "object", "required": ["card"]}
    tool = {"type": "function", "function": {"name": "cancel_card", "parameters": schema}}
    kind = "openinference.span.kind"
    return {
        "desk": {kind: "AGENT", "agent.name": "Desk", "session.id": "s1"},
        "m1": {
            kind: "LLM",
            "llm.model_name": MODEL,
            "llm.token_count.prompt": 50,
            "llm.token_count.completion": 9,
            "llm.token_count.prompt_details.cache_read": 3,
            "llm.cost.total": 0.25,
            "llm.finish_reason": "tool_calls",
            "llm.tools.0.tool.json_schema": json.dumps(tool),
            f"{second}.0.message.role": "user",
            f"{second}.0.message.contents.0.message_content.type": "text",
            f"{second}.0.message.contents.0.message_content.text": ASK,
            **asked,
        },
        "x1": {kind: "TOOL", "tool.name": "find_reader", "input.value": "Ada",
               "output.value": "reader 7"},
        "x2": {kind: "TOOL", "tool.name": "cancel_card", "input.value": json.dumps(CANCEL)},
        "m2": {
            kind: "LLM",
            "llm.finish_reason": "length",
            f"{second}.0.message.role": "user",
            f"{second}.0.message.content": ASK,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": SORRY,
        },
    }  # fmt: skip


def traceloop_attributes() -> dict[str, Json]:
    """The same in the flattened names of OpenLLMetry."""
    reply = "gen_ai.completion.0"
    wrapped = {"args": [], "kwargs": CANCEL}
    return {
        "desk": {"traceloop.span.kind": "workflow", "traceloop.entity.name": "Desk",
                 "traceloop.workflow.name": "Desk"},
        "m1": {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.request.model": MODEL,
            "gen_ai.usage.prompt_tokens": 50,
            "gen_ai.usage.completion_tokens": 9,
            "gen_ai.usage.cache_read_input_tokens": 3,
            "llm.usage.total_tokens": 59,
            "llm.request.functions.0.name": "cancel_card",
            "llm.request.functions.0.parameters": '{"type": "object", "required": ["card"]}',
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": ASK,
            f"{reply}.role": "assistant",
            f"{reply}.finish_reason": "tool_calls",
            f"{reply}.tool_calls.0.id": "c1",
            f"{reply}.tool_calls.0.name": "find_reader",
            f"{reply}.tool_calls.0.arguments": json.dumps(FIND),
            f"{reply}.tool_calls.1.id": "c2",
            f"{reply}.tool_calls.1.name": "cancel_card",
            f"{reply}.tool_calls.1.arguments": json.dumps(CANCEL),
        },
        "x1": {"traceloop.span.kind": "tool", "traceloop.entity.name": "find_reader",
               "traceloop.entity.input": json.dumps({"args": ["Ada"], "kwargs": {}}),
               "traceloop.entity.output": json.dumps({"output": "reader 7"})},
        "x2": {"traceloop.span.kind": "tool", "traceloop.entity.name": "cancel_card",
               "traceloop.entity.input": json.dumps(wrapped)},
        "m2": {
            "llm.request.type": "chat",
            "gen_ai.request.model": MODEL,
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": ASK,
            f"{reply}.content": SORRY,
            f"{reply}.finish_reason": "length",
        },
    }  # fmt: skip


def otlp_of(attributes: dict[str, Json]) -> Json:
    """Those attributes as OTLP spans, in the order in which they end."""
    at = {"desk": 1, "m1": 2, "x1": 3, "x2": 4, "m2": 5}
    return otlp(
        *(
            attribute_span(i, at[i], None if i == "desk" else "desk", attributes[i],
                           failed=i == "x2")
            for i in ("m1", "x1", "x2", "m2", "desk")
        )
    )  # fmt: skip


def span_rows() -> list[Json]:
    """The OpenInference spans as rows with a context and flat attributes."""
    return [
        {
            "name": i,
            "context": {"trace_id": "0xt1", "span_id": i},
            "parent_id": None if i == "desk" else "desk",
            "start_time": f"2026-03-01T10:00:0{n}Z",
            "end_time": f"2026-03-01T10:00:0{n}.5Z",
            "status": {"status_code": "ERROR", "description": "no such card"}
            if i == "x2"
            else {"status_code": "OK"},
            "attributes": attributes,
        }
        for n, (i, attributes) in enumerate(openinference_attributes().items())
    ]
