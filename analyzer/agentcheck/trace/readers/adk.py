"""Sessions of Google's Agent Development Kit: `{"id", "app_name", "user_id", "state", "events"}`,
or events alone, one a line.

Read from google-adk 2.13.0 (sessions/session.py, events/event.py, events/event_actions.py,
models/llm_response.py, flows/llm_flows). Keys are in snake case or in camel case. The record of an
event is its index in `events`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.adk_replay import AdkReplay, get
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.fields import as_text, when
from agentcheck.trace.readers.logs import Entry, in_time
from agentcheck.trace.records import BROKEN, Records, value_of

NAME = "Google ADK session"


def read_adk(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file: each session is one, and so are all events that stand alone."""
    losses = Losses(records.name, records.unit)
    alone: list[Entry] = []
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            yield from losses.broken(record.number, error)
            continue
        if _is_session(value):
            yield _session(records.name, record.number, value)
        elif isinstance(value, dict):
            alone.append(Entry(record.number, value))
        else:
            yield from losses.add(record.number, "neither a session nor an event; left out")
    if alone:
        replay = AdkReplay(records.name, 0)
        replay.unknown += losses.count
        yield _played(replay, alone, {})
    yield from losses.rest()


def _session(name: str, number: int, session: dict[str, Any]) -> Run:
    replay = AdkReplay(name, number)
    events = session["events"]
    entries = [Entry(i, event) for i, event in enumerate(events) if isinstance(event, dict)]
    replay.unknown += len(events) - len(entries)
    return _played(replay, entries, session)


def _played(replay: AdkReplay, entries: list[Entry], session: dict[str, Any]) -> Run:
    replay.start(replay.source(0), as_text(get(session, "app_name")))
    replay.play(in_time(entries, lambda event: when(event.get("timestamp"))))
    return replay.ended(as_text(session.get("id")) or str(replay.run), NAME)


def _is_session(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("events"), list)


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    named = isinstance(value.get("author"), str) and get(value, "invocation_id") is not None
    return named and ("content" in value or "actions" in value)


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    if _is_event(value):
        return FITS
    if not _is_session(value):
        return Fit(0.1, "no list of `events`")
    events = value["events"]
    if any(map(_is_event, events[:16])) or (not events and get(value, "app_name") is not None):
        return FITS
    return Fit(0.3, "its `events` have no `author` and `invocation_id`")


_MARKS = ("app_name", "events", "author", "invocation_id", "actions")
ADK = Format(NAME, _fit, read_adk, marks=_MARKS)
