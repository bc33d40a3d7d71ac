"""Dumps of CrewAI's event bus: one event an object, told by its `type` or by its class's name.

`{"timestamp", "type": "tool_usage_finished", "event_id", "started_event_id", "agent_role", ..}` is
what an event's `to_json()` gives; listeners that people write put the class's name
("ToolUsageFinishedEvent") under `event`, `event_type`, `class` or `name`, and the event itself
under `data`, `event` or `payload`. Read from crewai 1.15.30 (events/base_events.py, events/types).

A kickoff is a run; crews that a crew starts belong to it. Events have no id of the run, so
kickoffs at the same time cannot be told apart. The record of an event is its index in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.crewai_replay import TOLD, CrewReplay, is_silent
from agentcheck.trace.readers.fields import when
from agentcheck.trace.readers.logs import Entry, in_time
from agentcheck.trace.records import BROKEN, Records, value_of

NAME = "CrewAI events"
_NAMES = ("type", "event_type", "event", "class", "__class__", "name")
_INNER = ("data", "event", "payload")
_CLASS = lazy_re(r"(?:[A-Z][A-Za-z0-9]*)Event")
_WORD = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def read_crewai_events(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of events."""
    losses = Losses(records.name, records.unit)
    crews = _Kickoffs(records.name)
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            crews.lost += 1
            yield from losses.broken(record.number, error)
            continue
        kind = kind_of(value)
        if kind is None:
            crews.lost += 1
            yield from losses.add(record.number, "no event; left out")
        else:
            yield from crews.take(kind, Entry(record.number, _flat(value) | {"type": kind}))
    yield from crews.close()
    yield from losses.rest()


class _Kickoffs:
    """Collects the events of one outermost kickoff after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._runs = 0
        self._depth = 0
        self._entries: list[Entry] = []
        self.lost = 0

    def take(self, kind: str, entry: Entry) -> Iterator[Run]:
        self._entries.append(entry)
        if kind == "crew_kickoff_started":
            self._depth += 1
        elif kind in ("crew_kickoff_completed", "crew_kickoff_failed"):
            self._depth -= 1
            if self._depth == 0:
                yield self._run()
            self._depth = max(self._depth, 0)

    def close(self) -> Iterator[Run]:
        told = any(not is_silent(str(entry.value["type"])) for entry in self._entries)
        if told or self.lost or not self._runs:  # what a crew does after its end is no run
            yield self._run()

    def _run(self) -> Run:
        replay = CrewReplay(self._name, self._runs)
        replay.unknown += self.lost
        replay.play(in_time(self._entries, lambda value: when(value.get("timestamp"))))
        self._entries, self.lost = [], 0
        self._runs += 1
        return replay.ended(str(replay.run), NAME)


def kind_of(value: Any) -> str | None:
    """The `type` of an event, in CrewAI's words; None for what is none."""
    if not isinstance(value, dict):
        return None
    for key in _NAMES:
        name = value.get(key)
        if isinstance(name, str):
            if _CLASS.fullmatch(name):
                return _WORD.sub("_", name.removesuffix("Event")).lower()
            if name in TOLD or is_silent(name):
                return name
    inner = next((value[key] for key in _INNER if isinstance(value.get(key), dict)), None)
    return kind_of(inner) if inner is not None and inner is not value else None


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    """An event with what a listener wrapped."""
    inner = (value[key] for key in _INNER if isinstance(value.get(key), dict))
    return value | next(inner, {})


def _fit(value: Any) -> Fit:
    kind = kind_of(value)
    if kind is None:
        return NOT_AT_ALL
    if kind not in TOLD and not is_silent(kind):
        return Fit(0.3, f"no event of CrewAI has the name {kind[:40]!r}")
    if "timestamp" not in _flat(value) and "event_id" not in _flat(value):
        return Fit(0.4, "its events have neither `timestamp` nor `event_id`")
    return FITS


_MARKS = ("type", "timestamp", "event_id", "source_type")
CREWAI_EVENTS = Format(NAME, _fit, read_crewai_events, marks=_MARKS)
