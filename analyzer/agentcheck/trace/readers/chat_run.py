"""Runs that are lists of chat messages with more told around them: labels, usage, an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.outline import Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers.chat_message import as_message, decode_messages
from agentcheck.trace.readers.chat_plain import plain_messages
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.log_replay import carried
from agentcheck.trace.records import (
    BROKEN,
    Buffer,
    ForeignError,
    Record,
    Records,
    strict,
)
from agentcheck.trace.replay import Status

Fields = dict[str, msgspec.Raw]
_OBJECT = msgspec.json.Decoder(Fields)


class End(NamedTuple):
    """How a run ended, by its source."""

    status: Status
    labels: dict[str, Any]
    pointer: str = ""
    output: str | None = None


Facts = Callable[[int, dict[str, Any]], dict[str, Any]]


def runs_of_objects(
    records: Records, play: Callable[[str, int, Fields], Iterator[Run]]
) -> Iterator[Run | Skipped]:
    """The runs of a file of objects, each with undecoded values; `play` is given a run's number.

    `play` raises ForeignError for an object that is none of the format's.
    """
    losses = Losses(records.name, records.unit)
    for record in records:
        try:
            yield from play(records.name, record.number, fields_of(record.raw))
        except BROKEN as error:
            yield from losses.broken(record.number, error)
    yield from losses.rest()


def outlines_of_objects(
    records: Records,
    plain: msgspec.json.Decoder[Any],
    play: Callable[[str, int, Fields], Iterator[Run]],
) -> Iterator[Recorded | Skipped]:
    """As `runs_of_objects`, by the outlines; of plain messages alone it is told without playing."""
    losses = Losses(records.name, records.unit)
    for record in records:
        run = plain_messages(record.raw, plain)
        if run is not None:
            yield Recorded(run.outline, partial(_played, records.name, record, play))
            continue
        try:
            yield from map(recorded, play(records.name, record.number, fields_of(record.raw)))
        except BROKEN as error:
            yield from losses.broken(record.number, error)
    yield from losses.rest()


def _played(name: str, record: Record, play: Callable[[str, int, Fields], Iterator[Run]]) -> Run:
    return next(play(name, record.number, fields_of(record.raw)))


def value(fields: Fields, key: str) -> Any:
    """A value of an object; None where it is absent."""
    return msgspec.json.decode(fields[key]) if key in fields else None


def feed_raw(replay: ChatReplay, raw: msgspec.Raw) -> None:
    """Tells an undecoded list of messages."""
    for message in decode_messages(raw):
        replay.feed(message)


def feed(replay: ChatReplay, messages: list[Any], facts: Facts | None = None) -> None:
    """Tells messages. `facts` gives further fields of the model call of an assistant's message.

    The field `finish` among them is why the reply ended.
    """
    for index, item in enumerate(messages):
        message = as_message(item)
        if message is not None and facts is not None and message.role == "assistant":
            more = facts(index, item)
            if more.get("finish") is not None:
                message.finish_reason = more["finish"]
            replay.facts = {k: v for k, v in more.items() if k != "finish"}
        replay.feed(message)


def concluded(replay: ChatReplay, run_id: str, form: str, end: End) -> Run:
    """The run with its end, knowing of usage, times and reasons what its replies carry."""
    replay.known -= {"finish", "usage", "time"}
    replay.known |= carried(replay.events)
    last = max(replay.messages - 1, 0)
    replay.end(replay.source(last, end.pointer), end.status, end.output, **end.labels)
    return replay.finish(run_id, form)


def fields_of(raw: Buffer) -> Fields:
    """The undecoded values of an object. Raises one of BROKEN, for other JSON a ForeignError."""
    if bytes(memoryview(raw)[:1]) != b"{":
        raise ForeignError("no object")
    try:
        return _OBJECT.decode(raw)
    except BROKEN:
        return _OBJECT.decode(strict(raw))
