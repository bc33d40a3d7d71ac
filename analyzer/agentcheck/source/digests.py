"""The hash of each file's bytes, told by the file's state where that has not changed.

Size, both times and inode tell; as in git, a file that was changed less than two seconds before it
was hashed is hashed again, for it may have been changed once more within the clock's grain.
"""

from __future__ import annotations

import hashlib
import os
import time

import msgspec
from msgspec import Struct

from agentcheck.source.discover import SourceFile

_GRAIN = 2_000_000_000  # nanoseconds


class _Known(Struct, array_like=True, gc=False):
    size: int
    changed: int
    moved: int
    inode: int
    hashed: int
    digest: bytes


_DECODER = msgspec.msgpack.Decoder(dict[str, _Known])


class Digests:
    """Hashes by path; `known` is what `encoded` gave after an earlier run, if there was one.

    Raises ValueError for anything else.
    """

    def __init__(self, known: bytes | None = None) -> None:
        self._before = _DECODER.decode(known) if known is not None else {}
        self._now: dict[str, _Known] = {}
        self.news = False

    def of(self, file: SourceFile) -> bytes | None:
        """The SHA-256 of a file's bytes, as they were when it was first asked for; None where the
        file cannot be read."""
        if file.data is not None:
            return hashlib.sha256(file.data).digest()
        told = self._now.get(file.path)
        return told.digest if told is not None else self.anew(file)

    def anew(self, file: SourceFile) -> bytes | None:
        """The SHA-256 of a file's bytes as they are now."""
        if file.data is not None:
            return hashlib.sha256(file.data).digest()
        try:
            state = os.stat(file.place)  # noqa: PTH116 - thousands of times
        except OSError:
            return None
        known = self._now.get(file.path, self._before.get(file.path))
        if known is None or not _is_same(known, state):
            known = _hashed(file, state)
            self.news = True
        if known is not None:
            self._now[file.path] = known
        return known.digest if known is not None else None

    def encoded(self) -> bytes:
        """What was asked about, for the next run."""
        return msgspec.msgpack.encode(self._now)


def _is_same(known: _Known, state: os.stat_result) -> bool:
    if known.hashed - max(known.changed, known.moved) < _GRAIN:
        return False
    return (known.size, known.changed, known.moved, known.inode) == (
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
        state.st_ino,
    )


def _hashed(file: SourceFile, state: os.stat_result) -> _Known | None:
    from agentcheck.source.errors import Unreadable
    from agentcheck.source.load import load

    now = time.time_ns()
    try:
        digest = hashlib.sha256(load(file)).digest()
    except OSError:
        return None
    except Unreadable:  # too large to be read: its size is all that is told of it
        digest = hashlib.sha256(b"large %d" % state.st_size).digest()
    return _Known(state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, now, digest)
