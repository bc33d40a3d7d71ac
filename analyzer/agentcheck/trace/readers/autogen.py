"""Messages and events of AutoGen's AgentChat, and the log of its runtime.

Read in autogen-agentchat and autogen-core 0.7.5 and what they write: `model_dump`
of messages, a `TaskResult`, a model context, and the event logger's lines, whose `payload` is JSON
that repeats each message once a receiver. A file of lines is one run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.autogen_replay import TYPES, AutoGenReplay
from agentcheck.trace.readers.base import FITS, Fit, Format
from agentcheck.trace.readers.listed import best_list, fit_list
from agentcheck.trace.readers.wrapped import decoded
from agentcheck.trace.records import BROKEN, Records, value_of

NAME = "AutoGen messages"
_LOGGED = frozenset(
    {
        "Message", "MessageDropped", "MessageHandlerException", "AgentConstructionException",
        "LLMCall", "LLMStreamStart", "LLMStreamEnd", "ToolCall",
    }
)  # fmt: skip


def read_autogen(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file: each list of messages, or all its lines."""
    losses = Losses(records.name, records.unit)
    lines = AutoGenReplay(records.name, 0)
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            yield from losses.broken(record.number, error)
            continue
        items = best_list(value, is_message)
        if items:
            yield _whole(AutoGenReplay(records.name, record.number), items, value)
        elif not _line(lines, record.number, value):
            yield from losses.add(record.number, "of another shape; left out")
    if lines.messages or lines.logged:
        lines.unknown += losses.count
        yield lines.whole(NAME)
    yield from losses.rest()


def is_message(value: Any) -> bool:
    """Whether a value is a message or event of AutoGen."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and (kind in TYPES or kind.startswith("StructuredMessage"))


def _whole(replay: AutoGenReplay, items: list[Any], around: Any) -> Run:
    for index, item in enumerate(items):
        if is_message(item):
            replay.feed(index, item)
        else:
            replay.unknown += 1
    stopped = around.get("stop_reason") if isinstance(around, dict) else None
    return replay.whole(NAME, stopped)


def _line(replay: AutoGenReplay, number: int, value: Any) -> bool:
    """One line: a message, or an entry of the log; False for anything else."""
    if is_message(value):
        replay.feed(number, value)
        return True
    if not _is_logged(value):
        return False
    replay.logged += value["type"] != "Message"
    for message in _in_payload(value):
        replay.feed(number, message, "/payload")
    return True


def _is_logged(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _LOGGED and bool(value.keys() & _LOG_KEYS)


_LOG_KEYS = frozenset({"payload", "agent_id", "delivery_stage", "tool_name", "exception"})


def _in_payload(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = decoded(value.get("payload"))
    if isinstance(inner, dict):
        more = inner.get("messages")
        for message in (inner.get("message"), *(more if isinstance(more, list) else [])):
            if is_message(message):
                yield message


def _fit(value: Any) -> Fit:
    if _is_logged(value):
        return FITS
    return fit_list(value, is_message, "the `type` of an AutoGen message")


_MARKS = ("type", "source", "content", "models_usage")
AUTOGEN = Format(NAME, _fit, read_autogen, marks=_MARKS)
