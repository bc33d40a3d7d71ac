"""Bytes made small, with a checksum that tells damage.

Zstandard at its fastest takes a quarter of the time of zlib at its own for the same size, and a
fifth to undo it: a scan that begins with nothing packs the facts of every file.
"""

from __future__ import annotations

from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError, frame_content_size

_LARGEST = 1_000_000_000  # bytes; a damaged head may promise any number
_FASTEST = -1


def pack(data: bytes) -> bytes:
    """The bytes, compressed; safe in threads, which may not share what does it."""
    return ZstdCompressor(level=_FASTEST, write_checksum=True).compress(data)


def unpack(packed: bytes) -> bytes:
    """The bytes that were packed. Raises ValueError for anything else."""
    try:
        if not 0 <= frame_content_size(packed) <= _LARGEST:
            raise ValueError("not what was packed: its size is not told")
        return ZstdDecompressor().decompress(packed)
    except ZstdError as error:
        raise ValueError(f"not what was packed: {error}") from None
