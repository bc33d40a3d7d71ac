"""A recorded run as what a test replays: the question, the model's replies, and the tools' answers.

Only the first turn is taken: what was said until the user spoke again. Secrets give way to
placeholders, the same on both sides of what is compared.
"""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Message, ModelCall, Run, ToolCall, ToolResult
from agentcheck.trace.mask import SECRETS, Numbered, mask

FINISHES = {"stop": "stop", "length": "length", "content_filter": "content_filter"}


class NotReplayableError(ValueError):
    """A run that holds no question or no reply of a model."""


def recording_of(run: Run) -> dict[str, Any]:
    """`question`, `replies` as `agentcheck.testing.replay` reads them, `answers`, and `more`.

    `answers` are the texts that tools returned, in the order of the calls, each with its tool's
    name; `more` tells whether the run went on after its first turn. Raises NotReplayableError.
    """
    events, more = _first_turn(run)
    question = next((e.text for e in events if isinstance(e, Message) and e.role == "user"), None)
    replies = _replies(events)
    if question is None or not replies:
        raise NotReplayableError("the run holds no question, or no reply of a model")
    clean = _Cleaner()
    answers = [
        {"name": call.name, "text": clean(run.answers[call.call_key].content)}
        for call in events
        if isinstance(call, ToolCall) and call.call_key in run.answers
    ]
    shown = [clean.walk(reply) for reply in replies]
    return {"question": clean(question), "replies": shown, "answers": answers, "more": more}


def starting_agent(run: Run) -> str | None:
    """The name of the agent that gave the first reply, where the run says so."""
    said = (e for e in run.events if isinstance(e, (Message, ToolCall)) and _is_reply(e))
    first = next(said, None)
    return first.agent if first is not None else None


def _first_turn(run: Run) -> tuple[list[Any], bool]:
    """The events until the user speaks after a reply, and whether there are any after that."""
    kept: list[Any] = []
    replied = False
    for event in run.events:
        if replied and isinstance(event, Message) and event.role == "user":
            return kept, True
        replied = replied or _is_reply(event)
        kept.append(event)
    return kept, False


def _is_reply(event: Any) -> bool:
    said = isinstance(event, Message) and event.role == "assistant"
    return said or isinstance(event, ToolCall)


def _replies(events: list[Any]) -> list[dict[str, Any]]:
    """The replies: what the assistant said and asked for until a tool answered, or anew."""
    replies: list[dict[str, Any]] = []
    opened: dict[str, Any] | None = None
    place: Any = None
    for event in events:
        if isinstance(event, ToolResult):
            opened = None
        elif isinstance(event, ModelCall):
            _measure(replies, event)
        elif _is_reply(event):
            if opened is None or (event.source.record != place and isinstance(event, Message)):
                opened, place = {}, event.source.record
                replies.append(opened)
            _add(opened, event)
    return replies


def _add(reply: dict[str, Any], event: Message | ToolCall) -> None:
    if isinstance(event, Message):
        reply["text"] = reply.get("text", "") + event.text
    else:
        call = {"name": event.name, "arguments": event.arguments_raw}
        reply.setdefault("calls", []).append(call)


def _measure(replies: list[dict[str, Any]], event: ModelCall) -> None:
    """Usage and finish reason go to the reply that has none yet."""
    if not replies or "usage" in replies[-1]:
        return
    if event.input_tokens is not None and event.output_tokens is not None:
        replies[-1]["usage"] = [event.input_tokens, event.output_tokens]
    if event.finish_reason in FINISHES and not replies[-1].get("calls"):
        replies[-1]["finish"] = FINISHES[event.finish_reason]


class _Cleaner:
    def __init__(self) -> None:
        self._numbered = Numbered()

    def __call__(self, text: str) -> str:
        return self._numbered(mask(text, SECRETS))

    def walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {key: self.walk(inner) for key, inner in value.items()}
        return [self.walk(inner) for inner in value] if isinstance(value, list) else value
