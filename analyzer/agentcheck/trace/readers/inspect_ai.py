"""Logs of inspect_ai: an object with `eval` and `samples`, or the samples alone, one a record.

`.eval` files are archives of the same; they come as records, the head first. Read from inspect_ai
0.3.285 (log/_log.py, model/_chat_message.py, tool/_tool_call.py). Each sample is a run; the record
of an event is its message's index. A tool's message has `error` only where there was one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.chat_run import Fields, fields_of, value
from agentcheck.trace.readers.fields import as_dict, as_text
from agentcheck.trace.readers.inspect_sample import play_sample
from agentcheck.trace.records import BROKEN, ForeignError, Record, Records, value_of, why_broken

NAME = "inspect_ai log"


def read_inspect(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a log: its samples."""
    losses = Losses(records.name, records.unit)
    log = _Log(records.name)
    for record in records:
        try:
            yield from log.take(record)
        except BROKEN as error:
            yield from losses.add(record.number, _why(error))
    yield from losses.rest()
    if not log.runs and not losses.count:
        yield Skipped(records.name, "a log of inspect_ai that holds no sample")


def _why(error: Exception) -> str:
    said = why_broken(error)
    return said if said.endswith("left out") else f"{said}; left out"


class _Log:
    """Plays samples, of which the head of the log says the task."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._task: str | None = None
        self.runs = 0

    def take(self, record: Record) -> Iterator[Run]:
        if bytes(memoryview(record.raw)[:1]) == b'"':  # an entry of an archive that is damaged
            raise ForeignError(value_of(record.raw))
        fields = fields_of(record.raw)
        if "eval" in fields:
            self._task = as_text(as_dict(value(fields, "eval")).get("task"))
            yield from self._samples(fields)
        elif _is_sample(sample := {key: value(fields, key) for key in fields}):
            yield self._run(sample)
        else:
            raise ForeignError("neither a log nor a sample")

    def _samples(self, fields: Fields) -> Iterator[Run]:
        """The samples of a log, decoded one at a time."""
        found = fields.get("samples")
        if found is None or bytes(memoryview(found)[:1]) != b"[":
            return
        for raw in msgspec.json.decode(found, type=list[msgspec.Raw]):
            sample = msgspec.json.decode(raw)
            yield self._run(sample if isinstance(sample, dict) else {"messages": [None]})

    def _run(self, sample: dict[str, Any]) -> Run:
        self.runs += 1
        return play_sample(self._name, self.runs - 1, sample, self._task, NAME)


def _is_sample(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("messages"), list):
        return False
    return "epoch" in found and "id" in found


def _fit(found: Any) -> Fit:
    if not isinstance(found, dict):
        return NOT_AT_ALL
    if _is_sample(found):
        return FITS
    task = as_dict(found.get("eval"))
    if not task:
        return Fit(0.1, "neither `eval` nor a sample's `epoch` and `messages`")
    if "task" in task and ("plan" in found or "status" in found or "samples" in found):
        return FITS
    return Fit(0.4, "`eval` without `task`")


_MARKS = ("eval", "samples", "epoch", "messages", "task")
INSPECT = Format(NAME, _fit, read_inspect, marks=_MARKS)
