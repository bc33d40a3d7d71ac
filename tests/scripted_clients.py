"""The SDKs of providers, each asked in one way and heard in one form.

`ask` asks one SDK, synchronously or not, streamed or not, and tells what it made of the answer.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

import pytest

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"at": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["at"],
}
SDKS = ("openai-chat", "openai-responses", "anthropic", "gemini")
MODES = ("whole", "streamed", "whole, async", "streamed, async")


class Said(NamedTuple):
    """What the SDK made of an answer; `finish` in the provider's words."""

    text: str
    calls: list[tuple[str, str, Any]]
    finish: str
    usage: tuple[int, int] | None


class Way(NamedTuple):
    """One SDK and one way to call it."""

    sdk: str
    mode: str

    @property
    def streamed(self) -> bool:
        return self.mode.startswith("streamed")

    @property
    def later(self) -> bool:
        return self.mode.endswith("async")


WAYS = [pytest.param(Way(sdk, mode), id=f"{sdk}, {mode}") for sdk in SDKS for mode in MODES]


def ask(way: Way, *tools: str, history: list[Any] | None = None, **options: Any) -> Said:
    """Ask the model once, offering the tools; `options` go to the client."""
    return asyncio.run(_asked(way, tools, history, {"max_retries": 0, **options}))


async def _asked(way: Way, tools: Any, history: Any, options: Any) -> Said:
    made = CLIENTS[way.sdk](way, options)
    if way.later:
        async with made as client:
            return await ASK[way.sdk](way, client, tools, history)  # type: ignore[no-any-return]
    with made as client:
        return await ASK[way.sdk](way, client, tools, history)  # type: ignore[no-any-return]


def _openai(way: Way, options: Any) -> Any:
    openai: Any = pytest.importorskip("openai")
    return (openai.AsyncOpenAI if way.later else openai.OpenAI)(**options)


def _anthropic(way: Way, options: Any) -> Any:
    anthropic: Any = pytest.importorskip("anthropic")
    return (anthropic.AsyncAnthropic if way.later else anthropic.Anthropic)(**options)


def _genai(way: Way, options: Any) -> Any:
    genai: Any = pytest.importorskip("google.genai")
    client = genai.Client()
    return client.aio if way.later else client


async def _items(stream: Any, *, later: bool) -> list[Any]:
    return [item async for item in stream] if later else list(stream)


async def _chat(way: Way, client: Any, tools: Any, history: Any) -> Said:
    offered = [{"type": "function", "function": _tool(name, "parameters")} for name in tools]
    params: dict[str, Any] = {"model": "m", "messages": history or user("content")}
    params |= {"tools": offered} if tools else {}
    if way.streamed:
        params |= {"stream": True, "stream_options": {"include_usage": True}}
    made: Any = client.chat.completions.create(**params)
    answer = await made if way.later else made
    if way.streamed:
        return _chunks(await _items(answer, later=way.later))
    choice = answer.choices[0]
    message, used = choice.message, answer.usage
    calls = [(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or []]
    text = message.content or message.refusal or ""
    return Said(text, calls, choice.finish_reason, (used.prompt_tokens, used.completion_tokens))


def _chunks(chunks: list[Any]) -> Said:
    deltas = [chunk.choices[0] for chunk in chunks if chunk.choices]
    text = "".join(d.delta.content or d.delta.refusal or "" for d in deltas)
    pieces = [piece for d in deltas for piece in d.delta.tool_calls or []]
    calls: dict[int, tuple[str, str, str]] = {}
    for piece in pieces:
        id_, name, given = calls.get(piece.index, ("", "", ""))
        function = piece.function
        calls[piece.index] = (piece.id or id_, function.name or name, given + function.arguments)
    used = chunks[-1].usage
    usage = (used.prompt_tokens, used.completion_tokens) if used else None
    finish = next(d.finish_reason for d in reversed(deltas) if d.finish_reason)
    return Said(text, list(calls.values()), finish, usage)


async def _responses(way: Way, client: Any, tools: Any, history: Any) -> Said:
    offered = [{"type": "function", **_tool(name, "parameters"), "strict": False} for name in tools]
    params: dict[str, Any] = {"model": "m", "input": history or "Hello."}
    params |= {"tools": offered} if tools else {}
    made: Any = client.responses.create(**params, stream=way.streamed)
    answer = await made if way.later else made
    if way.streamed:
        events = await _items(answer, later=way.later)
        assert [event.sequence_number for event in events] == list(range(len(events)))
        answer = events[-1].response
        pieces = [event.delta for event in events if event.type.endswith(".delta")]
        assert "".join(pieces) == "".join(map(_told, answer.output))
    return _response(answer)


def _told(item: Any) -> str:
    if item.type == "function_call":
        return str(item.arguments)
    part = item.content[0]
    return str(part.refusal if part.type == "refusal" else part.text)


def _response(answer: Any) -> Said:
    calls = [(i.call_id, i.name, i.arguments) for i in answer.output if i.type == "function_call"]
    text = "".join(_told(item) for item in answer.output if item.type == "message")
    details = answer.incomplete_details
    used = (answer.usage.input_tokens, answer.usage.output_tokens)
    return Said(text, calls, details.reason if details else answer.status, used)


async def _messages(way: Way, client: Any, tools: Any, history: Any) -> Said:
    offered = [_tool(name, "input_schema") for name in tools]
    params: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": history or user("content")}
    params |= {"tools": offered} if tools else {}
    if not way.streamed:
        made = client.messages.create(**params)
        return _message(await made if way.later else made)
    if way.later:
        async with client.messages.stream(**params) as stream:
            return _message(await stream.get_final_message())
    with client.messages.stream(**params) as stream:
        return _message(stream.get_final_message())


def _message(answer: Any) -> Said:
    text = "".join(block.text for block in answer.content if block.type == "text")
    used = [block for block in answer.content if block.type == "tool_use"]
    calls = [(block.id, block.name, json.dumps(block.input)) for block in used]
    usage = (answer.usage.input_tokens, answer.usage.output_tokens)
    return Said(text, calls, answer.stop_reason, usage)


async def _gemini(way: Way, client: Any, tools: Any, history: Any) -> Said:
    offered = [{"function_declarations": [_tool(name, "parameters") for name in tools]}]
    config: Any = {"tools": offered} if tools else {}
    asked: dict[str, Any] = {"model": "m", "contents": history or "Hello.", "config": config}
    models = client.models
    if not way.streamed:
        made = models.generate_content(**asked)
        return _contents([await made if way.later else made])
    stream = models.generate_content_stream(**asked)
    return _contents(await _items(await stream if way.later else stream, later=way.later))


def _contents(answers: list[Any]) -> Said:
    candidates = [candidate for answer in answers for candidate in answer.candidates or []]
    parts = [part for c in candidates if c.content for part in c.content.parts or []]
    used = [part.function_call for part in parts if part.function_call]
    calls = [(call.id, call.name, json.dumps(call.args)) for call in used]
    last = answers[-1].usage_metadata
    finish = next((c.finish_reason for c in reversed(candidates) if c.finish_reason), None)
    blocked = answers[0].prompt_feedback
    why = str((finish or blocked.block_reason).value)
    text = "".join(part.text or "" for part in parts)
    return Said(text, calls, why, (last.prompt_token_count, last.candidates_token_count))


def user(key: str) -> list[dict[str, Any]]:
    """A history of one message."""
    return [{"role": "user", key: "Hello."}]


def _tool(name: str, key: str) -> dict[str, Any]:
    return {"name": name, "description": "A tool.", key: SCHEMA}


CLIENTS: dict[str, Any] = {
    "openai-chat": _openai,
    "openai-responses": _openai,
    "anthropic": _anthropic,
    "gemini": _genai,
}
ASK: dict[str, Any] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _messages,
    "gemini": _gemini,
}
