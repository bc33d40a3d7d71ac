"""Zip archives of JSON records: the `.eval` logs of inspect_ai.

Such a log holds `header.json` (while it is still written only `_journal/start.json`) and one
`samples/ID_epoch_N.json` a sample; a name that occurs twice means its last entry (read from
inspect_ai 0.3.285, log/_recorders/eval.py). Entries are deflated or, in newer releases, Zstandard.
Each is unpacked when it is asked for, and no further than ENTRY bytes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

import msgspec

from agentcheck.model.pattern import lazy_re
from agentcheck.model.report import Skipped
from agentcheck.trace.packed import CHUNK, granted, zstandard_chunks
from agentcheck.trace.records import Record

MAGIC = b"PK\x03\x04"
ENTRY = 256 << 20
"""Bytes that one entry may unpack to."""
_ZSTANDARD = 93
_HEADER = 30
"""Bytes of an entry's local header before its name; lengths of name and extra end it."""
_HEADS = ("header.json", "_journal/start.json")
_SAMPLE = lazy_re(r"samples/(?P<id>.*)_epoch_(?P<epoch>\d{1,9})\.json", re.DOTALL)
_DAMAGED = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class Entries:
    """The head of a log, then its samples by epoch and id, as records.

    An entry that cannot be unpacked is a record too: a JSON text that says why.
    """

    unit = "entry"

    def __init__(self, path: Path, name: str, archive: ZipFile, names: list[str]) -> None:
        self.name = name
        self._path = path
        self._archive = archive
        self._names = names

    def __iter__(self) -> Iterator[Record]:
        """Every entry, until they are more than the archive may unpack to."""
        left = granted(self._path.stat().st_size)
        for index in range(len(self._names)):
            raw = self.fetch(index) if left > 0 else _why("the archive unpacks to too much")
            left -= len(raw)
            yield Record(index, index, raw)

    def fetch(self, spot: int) -> bytes:
        """The entry of an index."""
        name = self._names[spot]
        try:
            found = _bounded(self._unpacked(self._archive.getinfo(name)))
        except _DAMAGED as error:
            return _why(f"{name[:80]} cannot be unpacked ({str(error)[:80] or 'cut off'})")
        if found is None:
            return _why(f"{name[:80]} unpacks to more than {ENTRY >> 20} MB")
        return found

    def close(self) -> None:
        """Give the file back."""
        self._archive.close()

    def _unpacked(self, info: ZipInfo) -> Iterator[bytes]:
        if info.compress_type == _ZSTANDARD:
            yield from self._zstandard(info)
            return
        with self._archive.open(info) as entry:
            while chunk := entry.read(CHUNK):
                yield chunk

    def _zstandard(self, info: ZipInfo) -> Iterator[bytes]:
        """An entry that the standard library does not unpack before Python 3.14."""
        with self._path.open("rb") as file:
            file.seek(info.header_offset)
            header = file.read(_HEADER)
            if len(header) < _HEADER or not header.startswith(MAGIC) or info.flag_bits & 1:
                raise BadZipFile("no local header, or encrypted")
            lengths = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
            file.seek(sum(lengths), 1)
            yield from zstandard_chunks(file, info.compress_size)


def open_archive(path: Path, name: str) -> Entries | Skipped:
    """The records of a zip archive, or why it is none of a format that is known."""
    try:
        archive = ZipFile(path)
    except _DAMAGED as error:
        return Skipped(name, f"binary: a zip archive that cannot be read ({str(error)[:80]})")
    names = _ordered(archive.namelist())
    if not names:
        archive.close()
        return Skipped(name, "binary: a zip archive without samples of an inspect_ai log")
    return Entries(path, name, archive, names)


def _ordered(names: list[str]) -> list[str]:
    """The head and the samples as inspect_ai orders them: ids that are numbers by their value."""
    found = {name: _SAMPLE.fullmatch(name) for name in names}
    samples = sorted(
        ((int(m["epoch"]), m["id"].zfill(20) if m["id"].isdigit() else m["id"]), name)
        for name, m in found.items()
        if m is not None
    )
    head = next(([name] for name in _HEADS if name in found), [])
    return head + [name for _, name in samples]


def _bounded(chunks: Iterator[bytes]) -> bytes | None:
    """What an entry holds; None where it is more than it may be."""
    parts, size = [], 0
    for chunk in chunks:
        size += len(chunk)
        if size > ENTRY:
            return None
        parts.append(chunk)
    return b"".join(parts)


def _why(reason: str) -> bytes:
    return msgspec.json.encode(f"{reason}; left out")
