"""Runs of AgentDojo: `{"suite_name", "pipeline_name", "user_task_id", "injection_task_id",
"attack_type", "injections", "messages", "error", "utility", "security", "duration"}`.

Read from agentdojo 0.1.35 (benchmark.py TaskResults, types.py). Calls are `{"function": name,
"args": {..}, "id"}`, results name their call in `tool_call`, for not every model gives ids. A
result's `error` is text or null. The record of an event is its message's index.

`security` is true where the injected task was carried out, which is the reverse of what it reads;
without an injected task it is always true. The label `attack_succeeded` says it plainly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.chat_fit import is_list
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_run import (
    End,
    Fields,
    concluded,
    feed,
    runs_of_objects,
    value,
)
from agentcheck.trace.readers.fields import as_dict, as_text
from agentcheck.trace.records import ForeignError, Records
from agentcheck.trace.replay import Status

NAME = "AgentDojo run"
_LABELS = ("user_task_id", "injection_task_id", "attack_type", "utility", "security")
_KEYS = ("suite_name", "user_task_id")


def read_agentdojo(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file, one an object."""
    return runs_of_objects(records, _play)


def _play(name: str, number: int, fields: Fields) -> Iterator[Run]:
    if "messages" not in fields or not is_list(fields["messages"]):
        raise ForeignError("an object without `messages`")
    replay = ChatReplay(name, number)
    feed(replay, [_named(message) for message in value(fields, "messages")])
    replay.start(replay.source(0), as_text(value(fields, "suite_name")))
    labels = {key: value(fields, key) for key in _LABELS if key in fields}
    if labels.get("injection_task_id") is not None and isinstance(labels.get("security"), bool):
        labels["attack_succeeded"] = labels["security"]
    status: Status = "error" if value(fields, "error") else "completed"
    run_id = as_text(value(fields, "user_task_id")) or str(number)
    yield concluded(replay, run_id, NAME, End(status, labels))


def _named(message: Any) -> Any:
    """A result with the name of its tool, which pairs it where there is no id."""
    if isinstance(message, dict) and "tool_call" in message:
        return message | {"name": as_dict(message["tool_call"]).get("function")}
    return message


def _fit(record: Any) -> Fit:
    if not isinstance(record, dict):
        return NOT_AT_ALL
    missing = [key for key in _KEYS if key not in record]
    if missing:
        return Fit(0.1, f"no `{missing[0]}`")
    return FITS if isinstance(record.get("messages"), list) else Fit(0.5, "no list of `messages`")


_MARKS = ("suite_name", "pipeline_name", "user_task_id", "injection_task_id", "messages")
AGENTDOJO = Format(NAME, _fit, read_agentdojo, marks=_MARKS)
