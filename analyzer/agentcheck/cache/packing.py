"""Bytes made small, with a checksum that tells damage."""

from __future__ import annotations

import zlib


def pack(data: bytes) -> bytes:
    """The bytes, compressed."""
    return zlib.compress(data, 1)


def unpack(packed: bytes) -> bytes:
    """The bytes that were packed. Raises ValueError for anything else."""
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError(f"not what was packed: {error}") from None
