"""Writes a file of recorded runs anew, redacted. Its records keep their place and their form.

JSON Lines stay lines, a document stays a document; what was compressed is written plain, and an
archive as lines of its entries. One record is held at a time, besides a document, which is read
whole, and the values that stand behind placeholders: those of one run, or of the file where its
runs lie across records.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from msgspec import Struct

from agentcheck.model.errors import UsageError
from agentcheck.model.report import Skipped
from agentcheck.trace.opening import open_records
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.records import BROKEN, Buffer, Items, Records, value_of
from agentcheck.whatif.redaction.redactor import Named, Redactor
from agentcheck.whatif.redaction.text import redacted


class Copied(Struct, frozen=True):
    """What became of a file: how many records it has, and what was taken out of them, by kind."""

    records: int
    taken: dict[str, int]
    scope: str


def write_redacted(path: Path, out: Path, reading: Reading = ANY) -> Copied:
    """Write a redacted copy of a file of runs, whole or not at all.

    Raises UsageError for a file that holds no records, and for a place that cannot be written.
    """
    if out.exists() and out.samefile(path):
        raise UsageError(f"{out}: the redacted copy would replace what it is made of; name another")
    records = open_records(path, path.name)
    if isinstance(records, Skipped):
        raise UsageError(f"{path}: {records.why}; nothing to redact")
    try:
        return _copied(records, out, reading)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{out}: cannot write the redacted copy: {why}") from None
    finally:
        records.close()


def _copied(records: Records, out: Path, reading: Reading) -> Copied:
    from agentcheck.whatif.redaction.scope import each_holds_runs

    apart = each_holds_runs(records, reading)
    copy = _Copy(apart=apart)
    goal = Path(os.path.realpath(out))
    with NamedTemporaryFile(dir=goal.parent, prefix=".agentcheck-", delete=False) as file:
        try:
            for piece in copy.pieces(records):
                file.write(piece)
        except BaseException:
            Path(file.name).unlink()
            raise
    Path(file.name).replace(goal)
    return Copied(copy.records, copy.taken, "run" if apart else "file")


class _Copy:
    """The redacted bytes of a file, piece by piece."""

    def __init__(self, *, apart: bool) -> None:
        self._apart = apart
        self._redactor = Redactor()
        self.records = 0
        self.taken: dict[str, int] = {}

    def pieces(self, records: Records) -> Iterator[bytes]:
        if not self._apart:
            self._redactor = Redactor(_named_in(records))
        if isinstance(records, Items):
            yield from self._document(records)
            return
        line = 0
        for record in records:
            yield b"\n" * (record.number - line)  # blank lines count as records do
            yield self._record(record.raw, one_line=True) + b"\n"
            line = record.number + 1
        self._count()

    def _document(self, records: Items) -> Iterator[bytes]:
        before = b"[" if records.listed else b""
        for record in records:
            yield before + self._record(record.raw)
            before = b",\n"
        yield b"]\n" if records.listed else b"\n"
        self._count()

    def _record(self, raw: Buffer, *, one_line: bool = False) -> bytes:
        self.records += 1
        text = _text(raw)
        if one_line and "\n" in text:
            text = _on_one_line(text)
        made = self._alone(text) if self._apart else redacted(text, self._redactor)
        return made.encode("utf-8", "surrogateescape")

    def _alone(self, text: str) -> str:
        """A record that holds its runs whole; done again where it names values."""
        self._count()
        made = redacted(text, self._redactor)
        if self._redactor.seen.kinds:
            self._redactor = Redactor(self._redactor.seen)
            made = redacted(text, self._redactor)
        return made

    def _count(self) -> None:
        for kind, number in self._redactor.taken.items():
            self.taken[kind] = self.taken.get(kind, 0) + number
        self._redactor = Redactor()


def _named_in(records: Records) -> Named:
    """The values that some record names, and others may hold without their name."""
    redactor = Redactor()
    for record in records:
        redacted(_text(record.raw), redactor)
    return redactor.seen


def _text(raw: Buffer) -> str:
    return bytes(raw).decode("utf-8", "surrogateescape")


def _on_one_line(text: str) -> str:
    """An entry of an archive, which may be laid out over several lines."""
    try:
        return json.dumps(value_of(text), ensure_ascii=False)
    except BROKEN:
        return text.replace("\n", " ")
