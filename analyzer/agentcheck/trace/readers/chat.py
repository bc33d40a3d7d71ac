"""Chat messages in the shape of OpenAI's chat completions, and what is near to it.

A run is a list of messages: bare, or under any key of an object (found by what it holds). Several
runs stand in JSON Lines or in a JSON list; one run may also stand one message a line. A stored
completion (an object with `choices`) is a run of one model call. Read too: Anthropic's tool parts,
items of the OpenAI Responses API, the histories of openai/swarm.

A message carries no usage and no time; it carries a finish reason only where one is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import msgspec

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.losses import Losses
from agentcheck.trace.outline import Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers.base import FITS, Apart, Fit, Format, NotApartError
from agentcheck.trace.readers.chat_events import feed_plain
from agentcheck.trace.readers.chat_fit import fit_chat, is_list, is_message, messages_key
from agentcheck.trace.readers.chat_message import ChatMessage, as_message, decode_messages
from agentcheck.trace.readers.chat_plain import (
    Plain,
    PlainRun,
    plain_decoder,
    plain_list,
    plain_messages,
)
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_stored import reply_of
from agentcheck.trace.records import (
    BROKEN,
    Buffer,
    ForeignError,
    Record,
    Records,
    strict,
)

NAME = "chat messages"
T = TypeVar("T")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_chat(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of chat messages; each record is a run, or they all are one."""
    reader = _ChatFile(records.name)
    return _each(records, reader, reader.take)


def outlines_of_chat(records: Records) -> Iterator[Recorded | Skipped]:
    """The outlines of the runs; what is plain is not played for them."""
    reader = _ChatFile(records.name)
    for found in _each(records, reader, reader.outline):
        yield recorded(found) if isinstance(found, Run) else found


def _learn(records: list[Record]) -> str | None:
    """The key of the messages, "" for bare lists; None where a record is no run or has another."""
    reader = _ChatFile("")
    keys: set[str | None] = set()
    for record in records:
        try:
            list(reader.take(record))
        except BROKEN:
            if reader.key is None:
                continue
        keys.add(reader.key)
    return (keys.pop() or "") if len(keys) == 1 and not reader.is_one_run else None


def _outlines_apart(records: Records, key: str) -> Iterator[Recorded | Skipped]:
    reader = _ChatFile(records.name, key or None)
    for found in _each(records, reader, reader.outline):
        if reader.is_one_run or reader.key != (key or None):
            raise NotApartError
        yield recorded(found) if isinstance(found, Run) else found
    if reader.is_one_run or reader.key != (key or None):
        raise NotApartError


def _each(
    records: Records, reader: _ChatFile, take: Callable[[Record], Iterator[T]]
) -> Iterator[T | Run | Skipped]:
    losses = Losses(records.name, records.unit)
    for record in records:
        try:
            yield from take(record)
        except BROKEN as error:
            reader.lost += 1
            yield from losses.broken(record.number, error)
    yield from reader.close()
    yield from losses.rest()


class _ChatFile:
    """Takes record after record. Only messages that stand alone are kept: they are one run."""

    def __init__(self, name: str, key: str | None = None) -> None:
        self._name = name
        self.key = key
        self._alone: ChatReplay | None = None
        self.lost = 0
        self._decoder: tuple[str, msgspec.json.Decoder[Any]] | None = None

    @property
    def is_one_run(self) -> bool:
        """Whether messages stood alone."""
        return self._alone is not None

    def outline(self, record: Record) -> Iterator[Recorded | Run]:
        """As `take`, with the outline of what is plain."""
        plain = self._plain(record.raw)
        if plain is not None:
            play = partial(_played, self._name, record.number, plain.messages)
            yield Recorded(plain.outline, play)
        else:
            yield from self.take(record)

    def _plain(self, raw: Buffer) -> PlainRun | None:
        if _is_list(raw):
            return plain_list(raw)
        if self.key is None:
            return None
        if self._decoder is None or self._decoder[0] != self.key:
            self._decoder = self.key, plain_decoder(self.key, ("choices", "tools"))
        return plain_messages(raw, self._decoder[1])

    def take(self, record: Record) -> Iterator[Run]:
        try:
            run = self._run(record.number, record.raw)
        except ForeignError:
            raise
        except BROKEN:
            run = self._run(record.number, strict(record.raw))
        if run is not None:
            yield run

    def close(self) -> Iterator[Run]:
        if self._alone is not None:
            self._alone.unknown += self.lost
            yield _finished(self._alone)

    def _run(self, number: int, raw: Buffer) -> Run | None:
        if _is_list(raw):
            return self._list(number, decode_messages(raw))
        return self._object(number, _OBJECT.decode(raw))

    def _list(self, number: int, messages: list[ChatMessage | None]) -> Run:
        replay = ChatReplay(self._name, number)
        for message in messages:
            replay.feed(message)
        if not any(message is not None and message.role for message in messages):
            raise ForeignError("a list without messages")
        return _finished(replay)

    def _object(self, number: int, fields: dict[str, msgspec.Raw]) -> Run | None:
        key = self.key
        if key is None or key not in fields or not is_list(fields[key]):
            self.key = key = messages_key(fields)
        if key is not None:
            return self._under(number, fields, decode_messages(fields[key]))
        if "choices" in fields:
            return self._under(number, fields, [])
        self._message({name: msgspec.json.decode(value) for name, value in fields.items()})
        return None

    def _under(
        self, number: int, fields: dict[str, msgspec.Raw], messages: list[ChatMessage | None]
    ) -> Run:
        replay = ChatReplay(self._name, number)
        for message in messages:
            replay.feed(message)
        if "choices" in fields:
            reply_of(replay, fields)
        return _finished(replay, fields)

    def _message(self, value: dict[str, Any]) -> None:
        if not is_message(value):
            raise ForeignError("an object without messages")
        if self._alone is None:
            self._alone = ChatReplay(self._name, 0)
        self._alone.feed(as_message(value))


def _played(name: str, number: int, messages: list[Plain]) -> Run:
    replay = ChatReplay(name, number)
    feed_plain(replay, messages)
    return _finished(replay)


def _is_list(raw: Buffer) -> bool:
    return bytes(memoryview(raw)[:64]).lstrip()[:1] == b"["


def _finished(replay: ChatReplay, fields: dict[str, msgspec.Raw] | None = None) -> Run:
    tools = _tools(fields["tools"]) if fields and "tools" in fields else {}
    if tools:
        replay.known.add("schema")
    replay.start(replay.source(0), tools=tools)
    return replay.finish(str(replay.run), NAME)


def _tools(raw: msgspec.Raw) -> dict[str, Any]:
    """Tool names with the JSON schema of their parameters, as requests list them."""
    tools: dict[str, Any] = {}
    value = msgspec.json.decode(raw)
    for tool in value if isinstance(value, list) else []:
        if isinstance(tool, dict):
            spec = tool["function"] if isinstance(tool.get("function"), dict) else tool
            schema = spec.get("parameters") or spec.get("input_schema")
            if isinstance(spec.get("name"), str) and isinstance(schema, dict):
                tools[spec["name"]] = schema
    return tools


def _fit(value: Any) -> Fit:
    why = fit_chat(value)
    return FITS if why is None else why


_MARKS = ("messages", "role", "content")
CHAT = Format(NAME, _fit, read_chat, outlines_of_chat, Apart(_learn, _outlines_apart), marks=_MARKS)
