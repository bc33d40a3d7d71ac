"""Opens a trace file, whether it is text, compressed or an archive; its first bytes tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentcheck.model.report import Skipped
from agentcheck.trace.packed import packing, unpack
from agentcheck.trace.records import Items, Lines, Record, Records, plain_records

_ZIP = b"PK\x03\x04"


def open_records(path: Path, name: str) -> Records | Skipped:
    """The records of a file, or why there are none; never raises for what a file may hold."""
    try:
        if not path.is_file():
            return Skipped(name, "not a regular file")
        return _opened(path, name)
    except OSError as error:
        return Skipped(name, f"cannot be read: {error.strerror or error}")


def _opened(path: Path, name: str) -> Records | Skipped:
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith(_ZIP):
        from agentcheck.trace.archive import open_archive

        return open_archive(path, name)
    kind = packing(head)
    if kind is None:
        return plain_records(path, name)
    plain = unpack(path, name, kind)
    return plain if isinstance(plain, Skipped) else _temporary(plain, name)


def _temporary(path: Path, name: str) -> Records | Skipped:
    records: Lines | Items | Skipped | None = None
    try:
        records = plain_records(path, name)
    finally:
        if not isinstance(records, Lines):  # a document is held, and its file no longer needed
            path.unlink(missing_ok=True)
    return Temporary(records, path) if isinstance(records, Lines) else records


class Temporary:
    """The records of a temporary file, which goes when they are closed."""

    unit = "line"

    def __init__(self, records: Lines, path: Path) -> None:
        self.name = records.name
        self._records = records
        self._path = path

    def __iter__(self) -> Iterator[Record]:
        """Every line that is not blank."""
        return iter(self._records)

    def fetch(self, spot: int) -> bytes:
        """The line that begins at a byte offset."""
        return self._records.fetch(spot)

    def close(self) -> None:
        """Delete the file."""
        self._records.close()
        self._path.unlink(missing_ok=True)
