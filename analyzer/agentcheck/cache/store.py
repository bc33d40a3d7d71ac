"""Blobs by key in one SQLite file: safe with several processes, bounded in size.

Readers never wait for a writer. A writer that cannot have the file within a second gives up, and
so does everything where the folder cannot be written: no error of the cache is one of the run.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from agentcheck.cache.packing import unpack

NAME = "agentcheck-1.sqlite"  # the number is that of the tables below
LARGEST = 500_000_000  # bytes of all blobs together
_KEPT = 0.8  # what is left of that when some have to go
_BUSY = 1.0  # seconds that a writer waits
_DAY = 24 * 3600
_DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TABLES = """
CREATE TABLE IF NOT EXISTS kept (
    key BLOB PRIMARY KEY, data BLOB NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS kept_by_use ON kept (used, size);
"""

T = TypeVar("T")
Tell: TypeAlias = Callable[[str], None]


class Store:
    """One open cache. `tell` is told, once, of a damaged one that is made anew.

    Where there is no usable file it finds nothing and keeps nothing.
    """

    def __init__(self, folder: Path, tell: Tell | None = None, largest: int = LARGEST) -> None:
        self._path = folder / NAME
        self._tell = tell or _warn
        self._largest = largest
        self._stale: list[bytes] = []
        self._told = False
        self._file: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._open()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The blobs that are there of some keys."""
        found: dict[bytes, bytes] = {}
        yesterday = int(time.time()) - _DAY
        for key in keys:
            for data, used in self._do(partial(_find, key)) or ():
                found[key] = data
                if used < yesterday:
                    self._stale.append(key)
        return found

    def value(self, key: bytes, decode: Callable[[bytes], T]) -> T | None:
        """What `decode` makes of the blob under a key, unpacked; None where it is not there, and
        where it turns out to be no good: then it is dropped. `decode` may raise ValueError."""
        data = self.get([key]).get(key)
        if data is None:
            return None
        try:
            return decode(unpack(data))
        except ValueError:
            self.drop([key])
            return None

    def put(self, blobs: Mapping[bytes, bytes]) -> None:
        """Keep blobs, and let those go that were not used for longest when they are too many."""
        now = int(time.time())
        rows = [(key, data, len(data), now) for key, data in blobs.items()]

        def work(file: sqlite3.Connection) -> None:
            file.execute("BEGIN IMMEDIATE")
            file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)
            self._make_room(file)
            file.execute("COMMIT")

        self._do(work)

    def drop(self, keys: Iterable[bytes]) -> None:
        """Forget blobs that turned out to be no good."""
        rows = [(key,) for key in keys]
        self._do(lambda file: file.executemany("DELETE FROM kept WHERE key = ?", rows))
        self._damaged()

    def close(self) -> None:
        """Note what was used, once a day at most, and let go of the file."""
        if self._stale:
            rows = [(int(time.time()), key) for key in self._stale]
            self._do(lambda file: file.executemany("UPDATE kept SET used = ? WHERE key = ?", rows))
        self._shut()

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            return
        for _ in range(2):
            try:
                self._file = _connected(self._path)
            except sqlite3.Error as error:
                if not self._failed(error):
                    return
            else:
                return

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What some work gives; None where the file is not there, or not for us."""
        if self._file is None or os.getpid() != self._process:
            return None  # a forked process may not use the file that it inherits
        try:
            return work(self._file)
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            if self._failed(error):
                self._open()
            else:
                self._shut()  # locked, full or read-only: that will not change while we run
            return None

    def _failed(self, error: sqlite3.Error) -> bool:
        """Take a damaged file away; whether it was one."""
        code = getattr(error, "sqlite_errorcode", None)
        if code is None or code & 0xFF not in _DAMAGED:
            return False
        self._shut()
        try:
            for end in ("", "-wal", "-shm"):
                Path(f"{self._path}{end}").unlink(missing_ok=True)
        except OSError:
            return False
        self._damaged()
        return True

    def _damaged(self) -> None:
        if not self._told:
            self._told = True
            self._tell(f"the cache in {self._path.parent} was damaged and is made anew")

    def _shut(self) -> None:
        if self._file is not None:
            with suppress(sqlite3.Error):
                self._file.close()
        self._file = None

    def _make_room(self, file: sqlite3.Connection) -> None:
        total = file.execute("SELECT sum(size) FROM kept").fetchone()[0] or 0
        if total <= self._largest:
            return
        gone = []
        for row, size in file.execute("SELECT rowid, size FROM kept ORDER BY used, rowid"):
            if total <= self._largest * _KEPT:
                break
            gone.append((row,))
            total -= size
        file.executemany("DELETE FROM kept WHERE rowid = ?", gone)


def _find(key: bytes, file: sqlite3.Connection) -> list[tuple[bytes, int]]:
    return file.execute("SELECT data, used FROM kept WHERE key = ?", (key,)).fetchall()


def _connected(path: Path) -> sqlite3.Connection:
    """The open file with its tables. Raises sqlite3.Error."""
    file = sqlite3.connect(path, timeout=_BUSY, isolation_level=None)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.executescript(_TABLES)
    except sqlite3.Error:
        file.close()
        raise
    return file


def _warn(text: str) -> None:
    sys.stderr.write(f"agentcheck: warning: {text}\n")
