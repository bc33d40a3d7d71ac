"""Recorded runs in four shapes, made up, as rows of JSON Lines. Equal seeds give equal runs.

- chat: a service desk in chat messages, about 26 messages and 18 kB a run, a third of it the system
  prompt that all runs share; 58 of 100 runs bring an e-mail address in a tool's result, 4 ask the
  model too often, 3 repeat a call: the rates of gpt-4o's runs in tau-bench.
- long: coding agents in chat messages, about 60 kB a run, mostly files and logs of 2 to 5 kB.
- spans: the export of the OpenAI Agents SDK, about 950 bytes a span, 14 spans a run.
- otlp: one OTLP request a line with one span, about 950 bytes, GenAI attributes, 9 spans a run.

Half of the runs in spans and otlp overlap with the next one in the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

_WORDS = (
    "the a of and to in is you that it for on are with as be this have from or one had by word not "
    "what all were we when your can there use an each which she do how their if will up other "
    "about out many then them these so some her would make like him into time has look two more "
    "order item parcel flight booking address payment refund account customer reservation delivery "
    "window seat policy change cancel confirm available tomorrow morning evening total price"
).split()
_CODE = (
    "def read(path):", "    return json.loads(text)", "class Store:", "    self._items = {}",
    "import asyncio", "for key, value in found.items():", "    if value is None:",
    "        continue", "    raise ValueError(message)", "INFO  worker 3 took 412 ms",
    "FAILED tests/test_store.py::test_reads_back - AssertionError", "    yield from self._rows()",
    "@pytest.fixture", "async with session.get(url) as reply:", "# nothing is kept here",
)  # fmt: skip
_TOOLS = (
    "get_user_details",
    "get_order_details",
    "search_flights",
    "list_products",
    "track_parcel",
)
POLICY = " ".join(Random(0).choices(_WORDS, k=1_100))  # noqa: S311 - nothing here is secret


def prose(dice: Random, words: int) -> str:
    """A text of common words."""
    return " ".join(dice.choices(_WORDS, k=words)) + "."


def chat(number: int) -> Iterator[Row]:
    """One run of the service desk."""
    dice = Random(number)  # noqa: S311
    mails = dice.random() < 0.58
    turns = 28 if dice.random() < 0.04 else dice.randint(7, 15)
    again = dice.random() < 0.03
    messages: list[Row] = [
        {"role": "system", "content": POLICY},
        {"role": "user", "content": prose(dice, 25)},
    ]
    for turn in range(turns):
        if dice.random() < 0.55:
            messages += _looked_up(dice, turn, number, mails=mails and turn > 1, again=again)
            mails = mails and turn <= 1
        else:
            messages.append({"role": "assistant", "content": prose(dice, 80)})
            messages.append({"role": "user", "content": prose(dice, 20)})
    messages.append({"role": "assistant", "content": prose(dice, 40)})
    yield {"task_id": number, "reward": float(dice.random() < 0.5), "messages": messages}


def _looked_up(dice: Random, turn: int, number: int, *, mails: bool, again: bool) -> list[Row]:
    arguments = {"id": "W1" if again else f"W{number}{turn}", "detail": "full"}
    call = _call(dice, dice.choice(_TOOLS) if not again else _TOOLS[0], arguments)
    record = {
        "order_id": f"#W{dice.randrange(10**7)}",
        "status": "on its way",
        "items": [
            {
                "product_id": str(dice.randrange(10**10)),
                "price": round(dice.random() * 300, 2),
                "options": {"color": dice.choice(_WORDS), "size": dice.choice("SML")},
            }
            for _ in range(dice.randint(4, 12))
        ],
        "placed": f"2024-05-{dice.randint(10, 28)}",
    }
    if mails:
        record["email"] = f"person{number}@example.com"
    reply = {"role": "assistant", "content": None, "tool_calls": [call]}
    found = {
        "role": "tool",
        "tool_call_id": call["id"],
        "name": call["function"]["name"],
        "content": json.dumps(record),
    }
    return [reply, found]


def _call(dice: Random, name: str, arguments: Row) -> Row:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{dice.getrandbits(96):024x}", "type": "function", "function": function}


def long(number: int) -> Iterator[Row]:
    """One run of a coding agent."""
    dice = Random(number)  # noqa: S311
    messages: list[Row] = [
        {"role": "system", "content": POLICY[:2_500]},
        {"role": "user", "content": prose(dice, 120)},
    ]
    for turn in range(17):
        command = f"sed -n {turn * 40},{turn * 40 + 80}p src/module_{dice.randrange(500)}.py"
        call = _call(dice, "run_in_shell", {"command": command})
        seen = "\n".join(dice.choices(_CODE, k=dice.randint(60, 150)))
        messages.append({"role": "assistant", "content": prose(dice, 30), "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": seen})
    messages.append({"role": "assistant", "content": prose(dice, 60)})
    yield {"id": number, "messages": messages}


def spans(number: int) -> Iterator[Row]:
    """One trace of the OpenAI Agents SDK, children first, as they end."""
    dice = Random(number)  # noqa: S311
    trace = f"trace_{dice.getrandbits(128):032x}"
    agent, clock = f"span_{dice.getrandbits(96):024x}", number * 3_600 % 80_000
    yield {"object": "trace", "id": trace, "workflow_name": "Service desk", "group_id": None}
    history: list[Row] = [{"role": "user", "content": prose(dice, 25)}]
    for turn in range(4):
        turn_id = f"span_{dice.getrandbits(96):024x}"
        call = _call(dice, dice.choice(_TOOLS), {"id": f"W{number}{turn}"})
        item = {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
        }
        found = prose(dice, 70)
        asked: Row = {"type": "generation", "input": history, "output": [item], "model": "gpt-4o"}
        asked["usage"] = {"input_tokens": 900 + turn, "output_tokens": 40}
        ran = {"type": "function", "name": item["name"], "input": item["arguments"]}
        ran |= {"output": found, "mcp_data": None}
        tokens = {"input_tokens": 900 + turn, "output_tokens": 40, "cached_input_tokens": 0}
        whole = {"sdk_span_type": "turn", "turn": turn + 1, "agent_name": "desk", "usage": tokens}
        yield _sdk_span(dice, trace, turn_id, clock + turn * 3, asked)
        yield _sdk_span(dice, trace, turn_id, clock + turn * 3 + 1, ran)
        about = {"type": "custom", "name": "turn", "data": whole}
        yield _sdk_span(dice, trace, agent, clock + turn * 3, about, turn_id)
        output = {"type": "function_call_output", "call_id": call["id"], "output": found}
        history += [item, output]
    about = {"type": "agent", "name": "desk", "tools": [*_TOOLS], "handoffs": []}
    yield _sdk_span(dice, trace, None, clock, about, agent)


def _sdk_span(
    dice: Random, trace: str, parent: str | None, second: int, data: Row, own: str = ""
) -> Row:
    return {
        "object": "trace.span",
        "id": own or f"span_{dice.getrandbits(96):024x}",
        "trace_id": trace,
        "parent_id": parent,
        "started_at": _stamp(dice, second),
        "ended_at": _stamp(dice, second + 1),
        "span_data": data,
        "error": None,
    }


def _stamp(dice: Random, second: int) -> str:
    clock = f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"2026-11-01T{clock}.{dice.randrange(10**6):06}+00:00"


def otlp(number: int) -> Iterator[Row]:
    """One conversation of an instrumented agent: a request and a tool on each turn."""
    dice = Random(number)  # noqa: S311
    trace, agent = f"{dice.getrandbits(128):032x}", f"{dice.getrandbits(64):016x}"
    clock = (1_796_000_000 + number * 20) * 10**9
    for turn in range(4):
        call_id = f"call_{dice.getrandbits(64):016x}"
        name, arguments = dice.choice(_TOOLS), {"id": f"W{number}{turn}"}
        part = {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        output = [{"role": "assistant", "parts": [part], "finish_reason": "tool_call"}]
        asked = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.usage.input_tokens": 900 + turn,
            "gen_ai.usage.output_tokens": 40,
            "gen_ai.output.messages": json.dumps(output),
        }
        ran = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": prose(dice, 40),
        }
        yield _otlp(dice, trace, agent, clock + turn * 10**9, asked)
        yield _otlp(dice, trace, agent, clock + turn * 10**9 + 10**8, ran)
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
    yield _otlp(dice, trace, "", clock, about, agent)


def _otlp(dice: Random, trace: str, parent: str, start: int, facts: Row, own: str = "") -> Row:
    span = {
        "traceId": trace,
        "spanId": own or f"{dice.getrandbits(64):016x}",
        "parentSpanId": parent,
        "name": facts["gen_ai.operation.name"],
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 10**7),
        "attributes": [
            {"key": k, "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
            for k, v in facts.items()
        ],
        "status": {},
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "desk"}}]}
    scoped = {"scope": {"name": "desk"}, "spans": [span]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


def woven(make: Callable[[int], Iterator[Row]], number: int) -> Iterator[Row]:
    """Two runs, the records of which alternate."""
    one, two = list(make(number)), list(make(number + 1))
    for pair in zip(one, two, strict=True):
        yield from pair


SHAPES: dict[str, Callable[[int], Iterator[Row]]] = {
    "chat": chat,
    "long": long,
    "spans": spans,
    "otlp": otlp,
}


def lines(shape: str, size: int) -> Iterator[str]:
    """Rows of a shape as lines, of `size` bytes at least."""
    make, written, number = SHAPES[shape], 0, 0
    while written < size:
        overlap = shape in ("spans", "otlp") and number % 4 == 0
        for row in woven(make, number) if overlap else make(number):
            line = json.dumps(row) + "\n"
            written += len(line)
            yield line
        number += 2 if overlap else 1
