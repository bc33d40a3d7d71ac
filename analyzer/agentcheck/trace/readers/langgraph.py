"""What LangGraph tells of a thread: checkpoints, state histories, and streams.

Read in langgraph 1.2.24 and langgraph-checkpoint 4.3.2: `StateSnapshot` as an object, as the list
that JSON makes of a named tuple, or as the platform's API gives it; `Checkpoint`, alone or in a
`CheckpointTuple`; `stream` with the modes updates, values, debug and checkpoints, alone or with
the mode's name. Each snapshot repeats the whole state, so messages are told once, by their id or,
without one, by what they say. A history begins with the newest snapshot; here it is told from the
oldest. The runs of a file are its threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.grouping import grouped
from agentcheck.trace.readers.langgraph_entries import Entry, entry_of, is_history, near_miss
from agentcheck.trace.readers.langgraph_replay import LangGraphReplay
from agentcheck.trace.records import Buffer, ForeignError, Records, value_of

NAME = "LangGraph state"
_HISTORY = ("history", "checkpoints", "states")


def read_langgraph(records: Records) -> Iterator[Run | Skipped]:
    """The threads of a file, each as one run."""
    number = count()
    for group in grouped(records, _threads, _entries, lambda entry: entry.thread):
        if isinstance(group, Skipped):
            yield group
            continue
        replay = LangGraphReplay(records.name, next(number))
        replay.unknown += group.lost
        replay.play(group.held)
        yield replay.finish(group.key or str(replay.run), NAME)


def _threads(raw: Buffer) -> list[str]:
    found = list(dict.fromkeys(entry.thread for entry in _entries(raw)))
    if not found:
        raise ForeignError("neither state nor update of a graph")
    return found


def _entries(raw: Buffer) -> list[Entry]:
    return list(_of(value_of(raw)))


def _of(value: Any) -> Iterator[Entry]:
    entry = entry_of(value)
    if entry is not None:
        yield entry
        return
    items = value if isinstance(value, list) else _pages(value)
    for item in items:
        entry = entry_of(item)
        if entry is not None:
            yield entry


def _pages(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        return []
    return next((value[key] for key in _HISTORY if isinstance(value.get(key), list)), [])


def _fit(value: Any) -> Fit:
    if not isinstance(value, (dict, list)):
        return NOT_AT_ALL
    if any(is_history(entry) for entry in _of(value)):
        return FITS
    return near_miss(value)


_MARKS = ("channel_values", "values", "checkpoint", "messages", "metadata")
LANGGRAPH = Format(NAME, _fit, read_langgraph, marks=_MARKS)
