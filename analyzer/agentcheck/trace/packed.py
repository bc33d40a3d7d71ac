"""Compressed trace files: unpacked into a temporary file, so that they are read as any other.

What a file is, its first bytes tell: gzip (RFC 1952) and Zstandard (RFC 8878). Unpacking is
streamed and bounded, for a few bytes can stand for terabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from agentcheck.model.report import Skipped

CHUNK = 1 << 20
FED = 1 << 10
_GZIP = 16 + zlib.MAX_WBITS
ALWAYS = 64 << 20
"""Bytes that any file may unpack to."""
LARGE = 4 << 30
RATIO, LARGE_RATIO = 1000, 32
"""How many times its size a file may unpack to, as long as that is below LARGE, and beyond it."""
_WINDOW = 1 << 27
"""Bytes of history that Zstandard may ask for: what its own command line tool grants at most."""
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "Zstandard"}
_TORN = b'\n{"'
"""Stands for what was cut off, so that a reader counts it as a torn record."""


class BombError(ValueError):
    """A file that unpacks to more than is granted."""


def packing(head: bytes) -> str | None:
    """How a file that begins with some bytes is compressed; None where it is not."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def unpack(path: Path, name: str, kind: str) -> Path | Skipped:
    """A temporary file with what a compressed file holds, for the caller to delete.

    A stream that is cut off or damaged gives what stands before that, and then a torn record.
    Raises OSError for what the file system refuses.
    """
    limit = granted(path.stat().st_size)
    with NamedTemporaryFile(prefix="agentcheck-", suffix=".trace", delete=False) as out:
        try:
            _copy(path, kind, out, limit)
        except BombError as error:
            Path(out.name).unlink()
            return Skipped(name, str(error))
        except BaseException:
            Path(out.name).unlink()
            raise
    return Path(out.name)


def granted(size: int) -> int:
    """How many bytes a compressed file of a size may unpack to."""
    return max(ALWAYS, min(size * RATIO, LARGE), size * LARGE_RATIO)


def _copy(path: Path, kind: str, out: IO[bytes], limit: int) -> None:
    with path.open("rb") as packed:
        for chunk in _chunks(packed, kind):
            if out.tell() + len(chunk) > limit:
                raise BombError(
                    f"its {kind} data unpacks to more than {limit >> 20} MB; "
                    "unpack it yourself if it is what it says"
                )
            out.write(chunk)


def _chunks(packed: IO[bytes], kind: str) -> Iterator[bytes]:
    """What a stream holds; where it is damaged it ends in a torn record."""
    try:
        yield from _gzip(packed) if kind == "gzip" else zstandard_chunks(packed)
    except (EOFError, zlib.error):
        yield _TORN


def _gzip(packed: IO[bytes]) -> Iterator[bytes]:
    """Member after member; a byte may stand for a thousand. Zeros may follow a member.

    Raises zlib.error where the data is damaged, EOFError where the last member has no end.
    """
    member, begun = zlib.decompressobj(_GZIP), False
    while rest := packed.read(FED):
        while rest := rest if begun else rest.lstrip(b"\0"):
            yield member.decompress(rest)
            rest, begun = (member.unused_data, False) if member.eof else (b"", True)
            if not begun:
                member = zlib.decompressobj(_GZIP)
    if begun:
        raise EOFError


def zstandard_chunks(packed: IO[bytes], size: int | None = None) -> Iterator[bytes]:
    """What frames hold: all of a stream, or its next `size` bytes.

    Little is fed at a time, for four bytes may stand for 128 kB.

    Raises EOFError where the data is damaged, or the last frame has no end.
    """
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    frame, begun = unpacker.decompressobj(), False
    left = FED if size is None else size
    while left > 0 and (rest := packed.read(min(FED, left))):
        left -= 0 if size is None else len(rest)
        while rest:
            try:
                yield frame.decompress(rest)
            except zstandard.ZstdError as error:
                raise EOFError from error
            rest, begun = (frame.unused_data, False) if frame.eof else (b"", True)
            if not begun:
                frame = unpacker.decompressobj()
    if begun:
        raise EOFError
