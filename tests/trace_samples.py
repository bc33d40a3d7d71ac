"""Records of runs, made by hand in the shapes that SDKs write them in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.read import read_runs

Json = dict[str, Any]
E = TypeVar("E")


def asked(name: str, arguments: Any = "{}", call_id: str = "c1") -> Json:
    """A tool call of a chat message."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def assistant(text: str | None = None, *calls: Json, **more: Any) -> Json:
    message: Json = {"role": "assistant", "content": text, **more}
    return message | {"tool_calls": list(calls)} if calls else message


def result(text: str, call_id: str = "c1", **more: Any) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


LOAN = [user("Renew Dune"), assistant(None, asked("renew")), result("renewed"), assistant("Done.")]


def lines(path: Path, rows: Iterable[Any]) -> Path:
    """A JSON Lines file; a row that is bytes stands as it is."""
    texts = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"".join(text + b"\n" for text in texts))
    return path


def document(path: Path, value: Any) -> Path:
    """A JSON document over several lines."""
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path


def runs_of(path: Path) -> list[Run]:
    """The runs of a file that holds nothing else."""
    found = list(read_runs(path))
    assert [item for item in found if isinstance(item, Skipped)] == []
    return [item for item in found if isinstance(item, Run)]


def only_run(path: Path) -> Run:
    [run] = runs_of(path)
    return run


def only(run: Run, kind: type[E]) -> E:
    [event] = run.all(kind)
    return event


def split(path: Path) -> tuple[list[Run], list[Skipped]]:
    """The runs of a file, and what of it was skipped."""
    found = list(read_runs(path))
    return (
        [item for item in found if isinstance(item, Run)],
        [item for item in found if isinstance(item, Skipped)],
    )


class Sdk:
    """One trace of the OpenAI Agents SDK; `rows` are in the order in which spans end."""

    def __init__(self, trace: str = "trace_1") -> None:
        self.trace = trace
        self.rows: list[Json] = [{"object": "trace", "id": trace, "workflow_name": "Library desk"}]
        self._clock = 0
        self.history: list[Json] = [user("My card is lost.")]

    def now(self) -> str:
        self._clock += 1
        return f"2026-03-01T10:00:{self._clock:02d}.000000+00:00"

    def span(self, parent: Json | None, kind: str, error: Json | None = None, **data: Any) -> Json:
        """A span that began now; it is written when it ends."""
        return {
            "object": "trace.span",
            "id": f"span_{self.trace}_{self._clock}",
            "trace_id": self.trace,
            "parent_id": parent and parent["id"],
            "started_at": self.now(),
            "span_data": {"type": kind, **data},
            "error": error,
        }

    def end(self, *spans: Json) -> None:
        for span in spans:
            self.rows.append(span | {"ended_at": self.now()})

    def custom(self, parent: Json | None, kind: str, **data: Any) -> Json:
        inner = {"sdk_span_type": kind, **data}
        return self.span(parent, "custom", name=kind, data=inner)

    def opening(self, agent: str = "Desk") -> tuple[Json, Json]:
        """The task and the agent that a run begins with."""
        task = self.custom(None, "task", name="Library desk")
        tools = ["find_reader", "cancel_card"]
        return task, self.span(task, "agent", name=agent, handoffs=[], tools=tools)

    def turn(self, agent: Json, number: int, *output: Json) -> Json:
        """A turn with its generation, still open."""
        name = agent["span_data"]["name"]
        turn = self.custom(agent, "turn", turn=number, agent_name=name)
        usage = {"input_tokens": 50, "output_tokens": 9}
        given = list(self.history)
        self.end(
            self.span(
                turn, "generation", input=given, output=[*output], model="model-a", usage=usage
            )
        )
        self.history += output
        return turn

    def ran(self, turn: Json, call: Json, output: str | None, error: Json | None = None) -> None:
        """A function span of a call."""
        span = self.span(
            turn, "function", error, name=call["name"], input=call["arguments"], output=output
        )
        self.end(span)
        if output is not None:
            self.answer(call, output)

    def answer(self, call: Json, output: str) -> None:
        """What the next generation is given as a call's result."""
        given = {"type": "function_call_output", "call_id": call["call_id"], "output": output}
        self.history.append(given)


def item(name: str, arguments: Any = "{}", call_id: str = "c1") -> Json:
    """A function call among the items of the Responses API."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}


def said(text: str) -> Json:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "content": content}


def otlp(*spans: Json) -> Json:
    """Spans in the envelopes of OTLP/JSON."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [*spans]}]}]}


def otlp_span(
    span_id: str,
    operation: str,
    at: int,
    *,
    trace: str = "t1",
    parent: str | None = None,
    status: Json | None = None,
    **attributes: Any,
) -> Json:
    """A GenAI span; dots of attribute names are written as two underscores."""
    pairs = {"gen_ai.operation.name": operation} | {
        key.replace("__", "."): value for key, value in attributes.items()
    }
    span: Json = {
        "traceId": trace,
        "spanId": span_id,
        "name": operation,
        "startTimeUnixNano": str(at * 10**9),
        "endTimeUnixNano": str(at * 10**9 + 5 * 10**8),
        "attributes": [{"key": k, "value": _any_value(v)} for k, v in pairs.items()],
        "status": status or {},
    }
    return span | {"parentSpanId": parent} if parent else span


def _any_value(value: Any) -> Json:
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, tuple):
        return {"arrayValue": {"values": [_any_value(item) for item in value]}}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def parts(role: str, *inner: Json, **more: Any) -> Json:
    """A message of the GenAI semantic conventions."""
    return {"role": role, "parts": list(inner), **more}


def text_part(text: str) -> Json:
    return {"type": "text", "content": text}


def call_part(name: str, arguments: Any, call_id: str = "c1") -> Json:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def repeated(rows: Iterable[Json], count: int) -> Iterator[Json]:
    """The rows `count` times over."""
    kept = list(rows)
    for _ in range(count):
        yield from kept


def chat(tmp_path: Path, *runs: list[Json], name: str = "runs.jsonl") -> Path:
    """A file of chat messages, one run a line."""
    return lines(tmp_path / name, [{"messages": messages} for messages in runs])
