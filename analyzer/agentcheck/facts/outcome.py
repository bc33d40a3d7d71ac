"""What reading one file came to."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped
from agentcheck.model.word import shared
from agentcheck.source.discover import SourceFile


class Outcome(Struct, frozen=True):
    """The facts of a file, if it could be read, and what there is to say of it.

    Neither, for a file that a program wrote: it is passed over without a word. `sure` where the
    same bytes will always come to the same.
    """

    facts: FileFacts | None = None
    skipped: tuple[Skipped, ...] = ()
    sure: bool = True


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Outcome, dec_hook=shared)


def encode(outcome: Outcome) -> bytes:
    """An outcome as bytes that `decode` understands."""
    return _ENCODER.encode(outcome)


def decode(data: bytes) -> Outcome:
    """The outcome that was encoded. Raises ValueError for anything else."""
    return _DECODER.decode(data)


def failure(file: SourceFile, why: str, *, sure: bool = False) -> Outcome:
    """A file that could not be read, and why."""
    return Outcome(None, (Skipped(file.path, why),), sure)
