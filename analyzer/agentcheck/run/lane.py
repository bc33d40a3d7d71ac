"""Numbers that processes forked from one another take from each other."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from itertools import islice

_NUMBER = struct.Struct("<I")
MOST = 16_000
"""Numbers that a lane has room for: a pipe holds 64 kB."""


class Lane:
    """Numbers, each of which is taken once, by whichever process comes first.

    Those beyond the first MOST are left to nobody.
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self._reading, writing = os.pipe()  # unlike a lock, it is no trouble when a process dies
        os.write(writing, b"".join(map(_NUMBER.pack, islice(numbers, MOST))))
        os.close(writing)

    def __iter__(self) -> Iterator[int]:
        """Those that nobody took yet."""
        while taken := os.read(self._reading, _NUMBER.size):
            yield _NUMBER.unpack(taken)[0]

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._reading)
