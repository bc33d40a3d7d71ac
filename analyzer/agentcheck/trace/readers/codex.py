"""Rollouts of the Codex CLI: one session a file, one record a line.

`{"timestamp", "type": "session_meta" | "response_item" | "event_msg" | "turn_context" |
"compacted", "payload": {..}}`. Older releases wrote a head without `type` and then bare items of
the Responses API, with `record_type: "state"` lines in between. The record of an event is its
line's index. The shapes are those of `RolloutLine` and `RolloutItem` in codex-rs/protocol.

A reply has no record of its own: it is the items between what was put in. `token_count` events
are cumulative and repeat; the growth since the last one is the usage of the reply before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.chat_message import ROLES
from agentcheck.trace.readers.codex_replay import ITEMS, CodexReplay
from agentcheck.trace.readers.fields import as_text, when
from agentcheck.trace.readers.logs import Entry, in_time
from agentcheck.trace.records import BROKEN, Records, value_of

NAME = "Codex rollout"
ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def read_codex(records: Records) -> Iterator[Run | Skipped]:
    """The one run of a rollout."""
    losses = Losses(records.name, records.unit)
    entries: list[Entry] = []
    for record in records:
        try:
            value = value_of(record.raw)
        except BROKEN as error:
            yield from losses.broken(record.number, error)
            continue
        if isinstance(value, dict):
            entries.append(Entry(record.number, value))
        else:
            yield from losses.add(record.number, "no object; left out")
    replay = CodexReplay(records.name, 0)
    replay.unknown += losses.count
    replay.play(in_time(entries, lambda value: when(value.get("timestamp"))))
    yield replay.close(NAME)
    yield from losses.rest()


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    kind = value.get("type")
    if isinstance(kind, str) and kind in ENVELOPES:
        return FITS if isinstance(value.get("payload"), dict) else Fit(0.4, "no `payload` object")
    if kind is None and (_is_old_head(value) or value.get("record_type") == "state"):
        return FITS
    if isinstance(kind, str) and kind in ITEMS and _is_item(kind, value):
        return FITS  # the generic reader comes first where a file has nothing else
    return Fit(0.1, "no record of a rollout: neither `payload` nor an item of the Responses API")


def _is_old_head(value: dict[str, Any]) -> bool:
    named = isinstance(value.get("id"), str) and isinstance(value.get("timestamp"), str)
    return named and "role" not in value and ("instructions" in value or "git" in value)


def _is_item(kind: str, value: dict[str, Any]) -> bool:
    if kind == "message":
        return as_text(value.get("role")) in ROLES and isinstance(value.get("content"), list)
    return kind == "reasoning" or isinstance(value.get("call_id"), str)


_MARKS = ("timestamp", "type", "payload")
CODEX = Format(NAME, _fit, read_codex, marks=_MARKS)
