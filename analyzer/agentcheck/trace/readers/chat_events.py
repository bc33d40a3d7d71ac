"""Plain chat messages -> the events that a replay makes of them, without its case by case."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.model.event import Event, Message, ModelCall, Source, ToolCall, ToolResult
from agentcheck.trace.arguments import read_arguments
from agentcheck.trace.readers.chat_plain import (
    Plain,
    PlainCall,
    PlainReply,
    PlainResult,
    PlainSystem,
)
from agentcheck.trace.readers.chat_replay import ChatReplay


def feed_plain(replay: ChatReplay, messages: Sequence[Plain]) -> None:
    """As `replay.feed` of each of the messages, the first of a run."""
    file, run, events = replay.file, replay.run, replay.events
    system: str | None = None
    calls: list[ToolCall] = []
    done: set[str] = set()
    for index, message in enumerate(messages):
        source, text = Source(file, run, index), message.content or ""
        if type(message) is PlainResult:
            key = _answered(calls, message.tool_call_id, done)
            seq = len(events)
            events.append(ToolResult(seq=seq, source=source, call_key=key, content=text))
            continue
        if type(message) is PlainReply:
            role = "assistant"
            seq = len(events)
            events.append(
                ModelCall(seq=seq, source=source, context_messages=index, system_text=system)
            )
        elif type(message) is PlainSystem:
            role, system = "system", text
        else:
            role = "user"
        if text:
            events.append(Message(seq=len(events), source=source, role=role, text=text))
        if type(message) is PlainReply:
            calls = _asked(events, source, message.tool_calls or ())
    replay.messages = len(messages)


def _asked(events: list[Event], source: Source, calls: Sequence[PlainCall]) -> list[ToolCall]:
    found: list[ToolCall] = []
    for batch, call in enumerate(calls):
        raw, value, error = read_arguments(call.function.arguments)
        event = ToolCall(
            seq=len(events),
            source=Source(source.file, source.run, source.record, f"/tool_calls/{batch}"),
            call_key=f"{source.record}.{batch}:{call.id}",
            call_id=call.id,
            name=call.function.name,
            arguments_raw=raw,
            arguments=value,
            batch=batch,
            parse_error=error,
        )
        events.append(event)
        found.append(event)
    return found


def _answered(calls: Sequence[ToolCall], call_id: str, done: set[str]) -> str | None:
    """The key of the call of a reply that a result is for: of equal ids one that still waits."""
    same = [call.call_key for call in calls if call.call_id == call_id]
    key = next((each for each in same if each not in done), None) or next(iter(same), None)
    if key is not None:
        done.add(key)
    return key
