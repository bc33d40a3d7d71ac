"""A trace file as a row of JSON records: the lines of JSON Lines, or the items of one document.

Lines are streamed and never held; a document is read whole, for JSON cannot be entered half-way,
but its items are decoded one at a time. Both can be gone back to by `spot`, so that records of
interleaved runs need not be kept while the file is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec.json import decode, encode

from agentcheck.model.report import Skipped

BROKEN = (ValueError, RecursionError)
"""What decoding raises for bytes that are no JSON, not UTF-8, or nested too deeply."""

Buffer = bytes | msgspec.Raw
_MARK = b"\xef\xbb\xbf"


class ForeignError(ValueError):
    """A record that is JSON but none of the file's format; the message says what it is."""


class Record(NamedTuple):
    """One record: its number from 0 (of the line, blank lines counted), and how to fetch it."""

    number: int
    spot: int
    raw: Buffer


class Records(Protocol):
    """What readers read."""

    name: str
    unit: str

    def __iter__(self) -> Iterator[Record]:
        """Every record that is not blank."""

    def fetch(self, spot: int) -> Buffer:
        """The record at a spot."""

    def close(self) -> None:
        """Give the file back."""


class Stretch(NamedTuple):
    """Some lines of a file: the bytes from `start` to `stop`, and the number of the first."""

    start: int = 0
    stop: int | None = None
    number: int = 0


WHOLE = Stretch()


class Lines:
    """The records of a JSON Lines file, or of a stretch of it."""

    unit = "line"

    def __init__(self, path: Path, name: str, stretch: Stretch = WHOLE) -> None:
        self.name = name
        self.path = path
        self._stretch = stretch
        self._file = path.open("rb", buffering=1 << 16)
        self._at = 0

    def __iter__(self) -> Iterator[Record]:
        """Every line that is not blank."""
        for number, spot, line in self.as_written():
            bare = line.strip() if line[0] != _MARK[0] else bare_line(line)
            if bare:
                yield Record(number, spot, bare)

    def as_written(self) -> Iterator[tuple[int, int, bytes]]:
        """Every line with its end, behind its number and spot; `bare_line` makes a record of it."""
        spot, stop, number = self._stretch
        with self.path.open("rb", buffering=1 << 18) as file:
            file.seek(spot)
            for line in file:
                yield number, spot, line
                number += 1
                spot += len(line)
                if stop is not None and spot >= stop:
                    return

    def fetch(self, spot: int) -> bytes:
        """The line that begins at a byte offset."""
        if spot != self._at:
            self._file.seek(spot)
        line = self._file.readline()
        self._at = spot + len(line)
        return line.strip() if line[:1] != _MARK[:1] else bare_line(line)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


class Items:
    """The items of a JSON list, or a single JSON value as one item; `listed` says which."""

    unit = "item"

    def __init__(self, items: list[msgspec.Raw], name: str, *, listed: bool) -> None:
        self.name = name
        self.listed = listed
        self._items = items

    def __iter__(self) -> Iterator[Record]:
        """Every item."""
        for index, raw in enumerate(self._items):
            yield Record(index, index, raw)

    def fetch(self, spot: int) -> msgspec.Raw:
        """The item of an index."""
        return self._items[spot]

    def close(self) -> None:
        """Let the document go."""
        self._items = []


def plain_records(path: Path, name: str) -> Lines | Items | Skipped:
    """The records of a file that is not compressed. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
        if not head.strip():
            return Skipped(name, "empty")
        if b"\0" in head:
            return Skipped(name, "binary, or text that is not UTF-8")
        first, rest = _first_line(path)
    if not first and not rest:
        return Skipped(name, "empty")
    if _is_json(first):
        return _document(path, name) if not rest else Lines(path, name)
    return _document(path, name) if _looks_opened(first) else Lines(path, name)


def value_of(raw: Buffer | str) -> Any:
    """JSON decoded as strict readers do, or else as Python does. Raises one of BROKEN.

    Python takes NaN and Infinity, which become None, and halves of surrogate pairs, as texts that
    were cut in the middle of an emoji have them, which become question marks.
    """
    try:
        return decode(raw)
    except BROKEN as error:
        return _lax(raw, error)


def strict(raw: Buffer) -> bytes:
    """A record that only Python's own JSON reader takes, as strict JSON. Raises one of BROKEN."""
    return encode(value_of(raw))


def _lax(raw: Buffer | str, error: Exception) -> Any:
    try:
        value = json.loads(raw if isinstance(raw, str) else bytes(raw))
        return _encodable(value)
    except BROKEN:
        raise error from None


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def why_broken(error: Exception) -> str:
    """One clause on why a record could not be decoded, or is not what the file holds."""
    said = str(error)
    if isinstance(error, ForeignError):
        return said
    if isinstance(error, msgspec.ValidationError):
        return f"of another shape than the records before it ({said[:80]})"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if "truncated" in said:
        return "cut off in the middle"
    if "UTF-8" in said:
        return "not UTF-8"
    return f"no valid JSON ({said[:80]})"


def _first_line(path: Path) -> tuple[bytes, bool]:
    """The first line that is not blank, and whether more than blanks follow it."""
    with path.open("rb") as file:
        first = next(line for line in file if line.strip())
        return bare_line(first), any(line.strip() for line in file)


def _is_json(line: bytes) -> bool:
    try:
        decode(line, type=msgspec.Raw)
    except BROKEN:
        return _is_lax_json(line)
    return True


def _is_lax_json(line: bytes) -> bool:
    if b"NaN" not in line and b"Infinity" not in line:
        return False
    try:
        json.loads(line)
    except BROKEN:
        return False
    return True


def _looks_opened(line: bytes) -> bool:
    """Whether a line that is no JSON begins a document laid out over several lines."""
    return line[:1] in (b"[", b"{") and line[-1:] in (b"[", b"{", b",")


def _document(path: Path, name: str) -> Items | Skipped:
    raw = bare_line(path.read_bytes())
    try:
        return _items(raw, name)
    except BROKEN as error:
        try:
            return _items(strict(raw), name)
        except BROKEN:
            return Skipped(name, f"the JSON document is {why_broken(error)}")


def _items(raw: bytes, name: str) -> Items:
    if raw.lstrip()[:1] == b"[":
        return Items(decode(raw, type=list[msgspec.Raw]), name, listed=True)
    return Items([decode(raw, type=msgspec.Raw)], name, listed=False)


def bare_line(line: bytes) -> bytes:
    """A line without its mark and blanks around; its end would pass for a broken text."""
    return line.removeprefix(_MARK).strip()
