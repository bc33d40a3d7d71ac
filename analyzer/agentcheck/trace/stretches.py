"""A JSON Lines file in stretches that end with a line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from agentcheck.trace.records import Stretch

_LONG = 200
"""Bytes of a line from which leaping to its end is faster than to look at each of them."""
_BLOCK = 1 << 18
"""Bytes that are looked through at once; more of them leave the processor's own memory."""


def stretches(path: Path, least: int) -> Iterator[Stretch]:
    """A JSON Lines file in stretches of at least `least` bytes that end with a line, each as if
    its lines were the first."""
    size, start = path.stat().st_size, 0
    with path.open("rb", buffering=0) as file:
        while start < size:
            stop = _line_end(file, min(start + least, size) - 1)
            yield Stretch(start, stop)
            start = stop


def _line_end(file: io.FileIO, at: int) -> int:
    """Where the line ends that has a byte."""
    file.seek(at)
    while block := file.read(1 << 16):
        found = block.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(block)
    return at


def count_lines(path: Path, start: int, stop: int) -> int:
    """How many lines end in some bytes of a file. Raises OSError."""
    left, lines, long = stop - start, 0, True
    block = bytearray(_BLOCK)
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while left and (size := file.readinto(block)):
            size = min(size, left)
            more = _leaps(block, size) if long else block.count(b"\n", 0, size)
            long = more * _LONG < size
            lines += more
            left -= size
    return lines


def _leaps(block: bytearray, size: int) -> int:
    """How many lines end in the first bytes of a block, where they are long."""
    lines, at = 0, block.find(b"\n", 0, size)
    while at >= 0:
        lines += 1
        at = block.find(b"\n", at + 1, size)
    return lines
