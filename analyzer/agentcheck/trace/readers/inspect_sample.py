"""One sample of an inspect_ai log -> a run.

The conversation stands in `messages`; why a reply ended, its usage and its time stand in the event
of its model call, told by the message's id. Long texts may be references into `attachments`.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from agentcheck.model.event import Approval, Run, ToolCall
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_run import End, concluded, feed
from agentcheck.trace.readers.fields import as_dict, as_list, as_text
from agentcheck.trace.readers.inspect_events import Events
from agentcheck.trace.replay import Status

_REFERENCE = "attachment://"
_LIMITS: dict[str, Status] = {"message": "max_turns", "turn": "max_turns", "context": "error"}


def play_sample(file: str, run: int, sample: dict[str, Any], task: str | None, form: str) -> Run:
    """The run of a sample. Calls of models that are in no message count as unknown."""
    kept = as_dict(sample.get("attachments"))
    messages = [_resolved(m, kept) if kept else m for m in as_list(sample.get("messages"))]
    events = Events(_resolved(as_list(sample.get("events")), kept), as_dict(sample.get("output")))
    replay = ChatReplay(file, run)
    replay.known.add("errors")
    feed(replay, [_whole(m) for m in messages], events.of_messages(messages))
    replay.unknown += events.elsewhere(messages)
    _unparsed(replay, messages)
    _approved(replay, events)
    replay.start(replay.source(0), task, events.tools)
    if events.tools:
        replay.known.add("schema")
    run_id = f"{sample.get('id', run)}/{sample.get('epoch', 1)}"
    return concluded(replay, run_id, form, _end(sample))


def _whole(message: Any) -> Any:
    """A tool's message says whether it failed; one without an error did not."""
    if not isinstance(message, dict) or message.get("role") != "tool":
        return message
    error = message.get("error") or message.get("tool_error")
    content = message.get("content") or as_dict(error).get("message") or ""
    return message | {"error": error, "content": content, "name": message.get("function")}


def _unparsed(replay: ChatReplay, messages: list[Any]) -> None:
    """Calls whose arguments the log says were no JSON; what it holds of them is a guess."""
    for at, event in enumerate(replay.events):
        if isinstance(event, ToolCall) and isinstance(event.source.record, int):
            calls = as_list(as_dict(messages[event.source.record]).get("tool_calls"))
            asked = as_dict(calls[event.batch]) if event.batch < len(calls) else {}
            error = as_text(asked.get("parse_error"))
            if error is not None:
                replay.events[at] = replace(event, arguments=None, parse_error=error[:120])


def _approved(replay: ChatReplay, events: Events) -> None:
    """Decisions of approvers, right behind the calls that they are about."""
    by_id = {e.call_id: e for e in replay.events if isinstance(e, ToolCall)}
    for call_id, state, by in events.approvals:
        replay.known.add("approval")
        call = by_id.get(call_id)
        source = call.source if call else replay.source(0)
        key = call.call_key if call else None
        replay.events.append(
            Approval(seq=len(replay.events), source=source, call_key=key, state=state, by=by)
        )


def _end(sample: dict[str, Any]) -> End:
    labels: dict[str, Any] = {}
    for name, score in as_dict(sample.get("scores")).items():
        labels[f"score:{name}"] = as_dict(score).get("value")
    limit = as_text(as_dict(sample.get("limit")).get("type"))
    status: Status = "completed"
    if sample.get("error"):
        status = "error"
    elif limit is not None:
        status = _LIMITS.get(limit, "interrupted")
        labels["limit"] = limit
    return End(status, labels)


def _resolved(value: Any, kept: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith(_REFERENCE):
        return kept.get(value.removeprefix(_REFERENCE), value)
    if isinstance(value, list):
        return [_resolved(item, kept) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(item, kept) for key, item in value.items()}
    return value
