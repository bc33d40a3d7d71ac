"""Log files of CrewAI (`output_log_file` that ends in .json): what tasks were given and gave.

`[{"timestamp", "task_name", "task", "agent", "status": "started"|"completed", "output"}]`, read
from crewai 1.15.30 (utilities/file_handler.py, crew.py). There are no tool calls, no usage and no
reasons. A file is added to by every kickoff; a task that starts once more after it was completed
begins another run. The record of an event is its entry's index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.fields import as_text, when
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.records import BROKEN, Records, value_of
from agentcheck.trace.texts import text_of

NAME = "CrewAI log file"


def read_crewai_log(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a log: the kickoffs that can be told apart."""
    losses = Losses(records.name, records.unit)
    crew = _Crew(records.name, 0)
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            crew.unknown += 1
            yield from losses.broken(record.number, error)
            continue
        if _is_entry(value):
            if crew.begins_anew(value):
                yield crew.ended(str(crew.run), NAME)
                crew = _Crew(records.name, crew.run + 1)
            crew.entry(record.number, value)
        else:
            crew.unknown += 1
            yield from losses.add(record.number, "no entry of a task; left out")
    yield crew.ended(str(crew.run), NAME)
    yield from losses.rest()


class _Crew(LogReplay):
    """One kickoff."""

    __slots__ = ("_done",)

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ("content",))
        self._done: set[str] = set()

    def begins_anew(self, value: dict[str, Any]) -> bool:
        return value["status"] == "started" and _task(value) in self._done

    def entry(self, number: int, value: dict[str, Any]) -> None:
        self.ts = when(value.get("timestamp"))
        if len(self.events) == 1:
            self.start(self.source(number))
        if value["status"] == "completed":
            self.agent = as_text(value.get("agent"))
            self._done.add(_task(value))
            self.message(self.source(number, "/output"), "assistant", text_of(value.get("output")))
        elif value["status"] == "started":
            self.agent = None
            self.message(self.source(number, "/task"), "user", text_of(value.get("task")))
        else:
            self.unknown += 1


def _task(value: dict[str, Any]) -> str:
    return f"{value.get('task_name')}\0{value.get('task')}"


def _is_entry(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("status"), str):
        return False
    return "agent" in value and ("task" in value or "task_name" in value) and "timestamp" in value


def _fit(value: Any) -> Fit:
    if _is_entry(value):
        return FITS
    named = isinstance(value, dict) and "task_name" in value
    return Fit(0.4, "entries without `agent`, `status` or `timestamp`") if named else NOT_AT_ALL


_MARKS = ("task_name", "task", "agent", "status", "timestamp")
CREWAI_LOG = Format(NAME, _fit, read_crewai_log, marks=_MARKS)
