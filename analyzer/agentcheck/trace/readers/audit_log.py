"""Audit logs of a hook bus: one event a line, and of each only what is safe to keep.

`{"ts", "event", "agent_id", "tool_name", "cost_usd", "latency_ms", "status"}`: no prompts, no
arguments, no results' texts. So whatever asks for content cannot be told. Events: `pre_tool_call`,
`post_tool_call`, `pre_agent_spawn`, `post_agent_call` (one reply of an agent's model),
`swarm_start`, `swarm_complete`, `security_block`, `injection_detected`, `hook_error`, and those of
approvals. A log that has `run_id` or `session_id` holds a run for each; else each `swarm_start`
begins one. The record of an event is its line's index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.audit_replay import EVENTS, AuditReplay, is_approval
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.fields import as_dict, first, when
from agentcheck.trace.readers.logs import in_time, logs_of
from agentcheck.trace.records import BROKEN, Buffer, ForeignError, Records, strict

NAME = "audit log"
_RUN_KEYS = ("run_id", "session_id", "swarm_id", "trace_id")
_TIMES = ("ts", "timestamp", "time")


class _Head(Struct, gc=False):
    """The keys that tell to which run an event belongs."""

    event: Any = None
    run_id: Any = None
    session_id: Any = None
    swarm_id: Any = None
    trace_id: Any = None


_HEAD = msgspec.json.Decoder(_Head)


def read_audit_log(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of events."""
    runs = 0
    for log in logs_of(records, _Keys().key):
        if isinstance(log, Skipped):
            yield log
            continue
        replay = AuditReplay(records.name, runs)
        replay.unknown += log.lost
        replay.play(in_time(log.entries, _time))
        yield replay.ended(log.key.lstrip("\0") or str(runs), NAME)
        runs += 1


class _Keys:
    """Which run each event belongs to."""

    def __init__(self) -> None:
        self._starts = 0

    def key(self, raw: Buffer) -> str:
        try:
            head = _HEAD.decode(raw)
        except msgspec.ValidationError:
            raise ForeignError("no object") from None
        except BROKEN:
            head = _HEAD.decode(strict(raw))
        if not isinstance(head.event, str):
            raise ForeignError("an object without `event`")
        named = next((n for k in _RUN_KEYS if isinstance(n := getattr(head, k), str)), None)
        if named is not None:
            return named
        self._starts += head.event == "swarm_start"
        return f"\0{self._starts}"


def _time(value: dict[str, Any]) -> float | None:
    return when(first(value | as_dict(value.get("data")), *_TIMES))


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    event = value.get("event")
    if not isinstance(event, str):
        return Fit(0.1, "no `event`")
    if not any(key in value for key in _TIMES):
        return Fit(0.4, "its events have no time")
    if event in EVENTS or is_approval(event):
        return FITS
    return Fit(0.4, f"no event of a hook bus has the name {event[:40]!r}")


_MARKS = ("ts", "event", "agent_id", "tool_name")
AUDIT_LOG = Format(NAME, _fit, read_audit_log, marks=_MARKS)
