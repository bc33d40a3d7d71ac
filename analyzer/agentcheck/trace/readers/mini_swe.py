"""Trajectories of mini-swe-agent: `{"info", "messages", "trajectory_format"}`, or its messages.

Read from mini-swe-agent 2.4.6 (agents/default.py, models/). A message's `extra` holds what the
chat does not: of a reply its `cost`, `response` and the `actions` that were parsed out of it, of an
observation whether the command could be run at all (`exception_info`). Replies are chat messages
with `tool_calls`, responses of the Responses API with `output`, or texts with one command in a
fenced block; then the next message is what came of it. A bare list is told by the marker that the
prompt has the model print. The record of an event is its message's index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, SURE, Fit, Format
from agentcheck.trace.readers.fields import as_dict
from agentcheck.trace.readers.mini_swe_replay import MiniReplay
from agentcheck.trace.readers.swe_agent import tell_end
from agentcheck.trace.records import BROKEN, Records, value_of
from agentcheck.trace.texts import text_of

NAME = "mini-swe-agent trajectory"
_MARKER = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_FORMAT = "mini-swe-agent"


def read_mini_swe(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file: each object or list is one, and so are all messages that stand alone."""
    losses = Losses(records.name, records.unit)
    alone: list[Any] = []
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            alone.append(None)
            yield from losses.broken(record.number, error)
            continue
        if isinstance(value, list):
            yield _played(records.name, record.number, value, {})
        elif isinstance(value, dict) and isinstance(value.get("messages"), list):
            info = as_dict(value.get("info"))
            yield _played(records.name, record.number, value["messages"], info)
        else:
            alone.append(value)
    if any(_is_message(value) for value in alone):
        yield _played(records.name, 0, alone, {})
    elif len(alone) > losses.count:
        yield Skipped(records.name, f"{len(alone) - losses.count} records are no messages")
    yield from losses.rest()


def _played(name: str, number: int, messages: list[Any], info: dict[str, Any]) -> Run:
    replay = MiniReplay(name, number)
    for message in messages:
        replay.feed(message)
    tell_end(replay, replay.exited | info)
    return replay.ended(str(number), NAME)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return "role" in value or value.get("object") == "response" or "call_id" in value


def _fit(record: Any) -> Fit:
    if isinstance(record, list):
        said = any(_MARKER in text_of(as_dict(m).get("content")) for m in record[:3])
        return FITS if said else Fit(0.05, f"no message tells the model to print {_MARKER}")
    if not isinstance(record, dict):
        return NOT_AT_ALL
    if "role" in record and _MARKER in text_of(record.get("content")):
        return SURE
    if not isinstance(record.get("messages"), list):
        return Fit(0.1, "no list of `messages`")
    if str(record.get("trajectory_format", "")).startswith(_FORMAT):
        return FITS
    info = as_dict(record.get("info"))
    known = "mini_version" in info or ("exit_status" in info and "model_stats" in info)
    return FITS if known else Fit(0.1, "no `trajectory_format` and no `info` of a run")


_MARKS = ("trajectory_format", "messages", "info", "exit_status")
MINI_SWE = Format(NAME, _fit, read_mini_swe, marks=_MARKS)
