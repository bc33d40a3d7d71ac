"""What reading one file came to, in this process or in a worker."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from agentcheck.facts.read import Source, facts_of, open_source
from agentcheck.model.facts import FileFacts
from agentcheck.model.report import Skipped
from agentcheck.source import gate, notebook
from agentcheck.source.discover import SourceFile
from agentcheck.source.errors import Unreadable
from agentcheck.source.folders import is_generated
from agentcheck.source.parse import collector_paused


class Outcome(Struct, frozen=True):
    """The facts of a file, if it could be read, and what there is to say of it.

    Neither, for a file that a program wrote: it is passed over without a word.
    """

    facts: FileFacts | None = None
    skipped: tuple[Skipped, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Outcome)


def outcome_of(file: SourceFile, *, may_die: bool) -> Outcome | None:
    """Read one file, whatever its bytes. None for a risky one, unless this process `may_die`."""
    try:
        with collector_paused():
            return _read(file, may_die=may_die)
    except Unreadable as reason:
        return failure(file, str(reason))
    except OSError as error:
        return failure(file, f"cannot be opened: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - a fault of ours costs one file, not the scan
        return _fault(file, error)


def _read(file: SourceFile, *, may_die: bool) -> Outcome | None:
    data = _load(file)
    if not file.named and is_generated(data):
        return Outcome()
    source = open_source(file.path, data)
    if source.passage.risk == "risky" and not may_die:
        return None
    return Outcome(facts_of(file.path, data, source), _notes(file, source))


def outcomes_of(files: tuple[SourceFile, ...]) -> list[bytes]:
    """Read a batch in a worker; packed, because facts do not travel as pickles."""
    return [_pack(file) for file in files]


def unpack(packed: bytes) -> Outcome:
    """The outcome that a worker packed."""
    return _DECODER.decode(packed)


def failure(file: SourceFile, why: str) -> Outcome:
    """A file that could not be read, and why."""
    return Outcome(None, (Skipped(file.path, why),))


def _pack(file: SourceFile) -> bytes:
    try:
        return _ENCODER.encode(outcome_of(file, may_die=True))
    except Exception as error:  # noqa: BLE001 - as in outcome_of
        return _ENCODER.encode(_fault(file, error))


def _fault(file: SourceFile, error: Exception) -> Outcome:
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return failure(file, f"internal error, please report it: {what}")


def _notes(file: SourceFile, source: Source) -> tuple[Skipped, ...]:
    return tuple(Skipped(file.path, note) for note in source.notes)


def _load(file: SourceFile) -> bytes:
    """The bytes of a file; no more of a huge one than it takes to see that it is."""
    if file.data is not None:
        return file.data
    limit = notebook.MAX_BYTES if file.path.endswith(".ipynb") else gate.MAX_BYTES
    with file.absolute.open("rb") as stream:
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise Unreadable(gate.too_large(file.absolute.stat().st_size, limit))
    return data
