"""What is left of reading a file: the file in brief, and its facts as bytes until then."""

from __future__ import annotations

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agentcheck.cache.packing import pack, unpack
from agentcheck.facts.brief import Brief, brief_of
from agentcheck.facts.outcome import Outcome, decode, encode
from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped


class Record(Struct):
    """What reading a file came to; `brief` is None where it gave no facts.

    `data` are its facts, encoded and packed under no path, None where `facts` are at hand or where
    they are to be had from elsewhere.
    """

    brief: Brief | None = None
    skipped: tuple[Skipped, ...] = ()
    sure: bool = True
    data: bytes | None = None


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Record)


def record_of(outcome: Outcome, *, packed: bool) -> Record:
    """What is left of an outcome, its facts among it if they are to be `packed`."""
    facts = outcome.facts
    brief = None if facts is None else brief_of(facts)
    data = pack(encode(called(outcome, ""))) if packed and facts is not None else None
    return Record(brief, outcome.skipped, outcome.sure, data)


def to_bytes(record: Record) -> bytes:
    """A record as bytes that `from_bytes` understands."""
    return _ENCODER.encode(record)


def from_bytes(data: bytes) -> Record:
    """The record that was encoded."""
    return _DECODER.decode(data)


def outcome_in(data: bytes, path: str) -> Outcome:
    """The outcome in the `data` of a record, for the file at a path. Raises ValueError."""
    return called(decode(unpack(data)), path)


def facts_in(data: bytes, path: str) -> FileFacts | None:
    """The facts in the `data` of a record. Raises ValueError."""
    return outcome_in(data, path).facts


def called(outcome: Outcome, path: str) -> Outcome:
    """The outcome as that of a file of another name."""
    facts = None if outcome.facts is None else replace(outcome.facts, path=path)
    skipped = tuple(replace(one, file=path) for one in outcome.skipped)
    return replace(outcome, facts=facts, skipped=skipped)
