"""Sessions of Claude Code, and what the Claude Agent SDK streams.

`{"type": "assistant", "sessionId", "uuid", "message": {..}}`, one record a line; a web export has
the same records in `{"loglines": [..]}`, and the SDK's stream writes `session_id` and ends in a
`result` record. The record of an event is its line's index, or its index in `loglines`.

Each session is a run, and so is each sub-agent of it: `isSidechain` with `agentId`, in older
releases the chain of `parentUuid`, in the stream `parent_tool_use_id`. The keys were read from
claude_agent_sdk 0.2.189 (types.py, _internal/message_parser.py, _internal/sessions.py), which says
that the records on disk are internal: kinds it does not name are counted as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.claude_code_replay import ClaudeReplay
from agentcheck.trace.readers.claude_code_types import KINDS
from agentcheck.trace.readers.fields import as_list, when
from agentcheck.trace.readers.logs import Entry, Log, in_time, logs_of
from agentcheck.trace.records import BROKEN, Buffer, ForeignError, Record, Records, strict

NAME = "Claude Code session"
_IDS = ("sessionId", "session_id", "parentUuid", "uuid", "leafUuid", "timestamp")


class _Head(Struct, gc=False):
    """The keys that tell to which run a record belongs."""

    type: Any = None
    session: Any = msgspec.field(name="sessionId", default=None)
    session_id: Any = None
    uuid: Any = None
    parent: Any = msgspec.field(name="parentUuid", default=None)
    sidechain: Any = msgspec.field(name="isSidechain", default=None)
    agent: Any = msgspec.field(name="agentId", default=None)
    parent_tool_use_id: Any = None
    loglines: Any = None


_HEAD = msgspec.json.Decoder(_Head)


def read_claude_code(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of sessions: each session, and each of its sub-agents."""
    runs = 0
    for log in logs_of(records, _Keys().key):
        if isinstance(log, Skipped):
            yield log
            continue
        for found in _whole(records, log):
            if isinstance(found, Log):
                yield _played(records.name, runs, found)
                runs += 1
            else:
                yield found


class _Keys:
    """Which run each record belongs to; keeps the ids of sidechains that have no other name."""

    def __init__(self) -> None:
        self._session = ""
        self._chains: dict[str, str] = {}
        self._exports = 0

    def key(self, raw: Buffer) -> str | None:
        head = _decoded(raw)
        if isinstance(head.loglines, list):
            self._exports += 1
            return f"\0export {self._exports}"
        if not isinstance(head.type, str):
            raise ForeignError("an object without `type`")
        session = head.session or head.session_id
        if not isinstance(session, str):
            return None if head.uuid is None and not head.sidechain else self._session
        self._session = session
        return self._within(session, head)

    def _within(self, session: str, head: _Head) -> str:
        if isinstance(head.parent_tool_use_id, str):
            return f"{session}\0{head.parent_tool_use_id}"
        if head.sidechain is not True:
            return session
        if isinstance(head.agent, str):
            return f"{session}\0{head.agent}"
        chain = self._chains.get(str(head.parent), str(head.uuid))
        self._chains[str(head.uuid)] = chain
        return f"{session}\0{chain}"


def _decoded(raw: Buffer) -> _Head:
    try:
        return _HEAD.decode(raw)
    except msgspec.ValidationError:
        raise ForeignError("no object") from None
    except BROKEN:
        return _HEAD.decode(strict(raw))


def _whole(records: Records, log: Log) -> Iterator[Log | Skipped]:
    """The sessions in a log: itself, or those of the exports that it is a list of."""
    if not log.key.startswith("\0export"):
        yield log
        return
    for entry in log.entries:
        yield from _exported(records, entry)


def _exported(records: Records, entry: Entry) -> Iterator[Log | Skipped]:
    """The sessions of one export, whose records stand in a list."""
    inner = _Loglines(records.name, as_list(entry.value.get("loglines")))
    yield from logs_of(inner, _Keys().key)
    if not inner.items:
        yield from Losses(records.name, records.unit).add(entry.number, "`loglines` is empty")


class _Loglines:
    """The records of an export as records of a file."""

    unit = "logline"

    def __init__(self, name: str, items: list[Any]) -> None:
        self.name = name
        self.items = items

    def __iter__(self) -> Iterator[Record]:
        """Every record of the list."""
        for index, item in enumerate(self.items):
            yield Record(index, index, msgspec.json.encode(item))

    def fetch(self, spot: int) -> Buffer:
        """The record of an index."""
        return msgspec.json.encode(self.items[spot])

    def close(self) -> None:
        """Nothing is held open."""


def _played(name: str, number: int, log: Log) -> Run:
    session, _, agent = log.key.partition("\0")
    replay = ClaudeReplay(name, number, sub_agent=bool(agent))
    replay.unknown += log.lost
    replay.play(in_time(log.entries, lambda value: when(value.get("timestamp"))))
    return replay.ended(session or str(number), NAME)


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    lines = value.get("loglines")
    if isinstance(lines, list):
        return max(map(_fit, lines[:16]), key=lambda fit: fit.score, default=NOT_AT_ALL)
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        return Fit(0.1, "no `type` of a session's record")
    if kind in ("user", "assistant") and not isinstance(value.get("message"), dict):
        return Fit(0.4, f"a record of type {kind!r} without `message`")
    if not any(key in value for key in _IDS):
        return Fit(0.5, "the records name no session and have neither id nor time")
    return FITS


_MARKS = ("type", "sessionId", "uuid", "parentUuid", "message")
CLAUDE_CODE = Format(NAME, _fit, read_claude_code, marks=_MARKS)
