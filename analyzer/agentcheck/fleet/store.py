"""The store of a fleet: one SQLite file, written one target a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentcheck.fleet.job import Outcome, Row
from agentcheck.fleet.tables import TABLES, VERSION
from agentcheck.fleet.targets import Target
from agentcheck.fleet.turns import RunningError, now, run_of
from agentcheck.model.errors import UsageError

NAME = "fleet.db"
_BUSY = 30.0  # seconds to wait for somebody else who writes

_PUT_RESULT = """
INSERT INTO result (target, identity, tool, status, reason, revision, files, lines, runs, skipped,
    seconds, peak, fails, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (target, identity, tool) DO UPDATE SET status = excluded.status,
    reason = excluded.reason, revision = excluded.revision, files = excluded.files,
    lines = excluded.lines, runs = excluded.runs, skipped = excluded.skipped,
    seconds = excluded.seconds, peak = excluded.peak, fails = excluded.fails,
    ended = excluded.ended
"""
_CLEAR = "DELETE FROM result WHERE target = ? AND identity = ? AND id <> ?"
_FIND = "SELECT id FROM result WHERE target = ? AND identity = ? AND tool = ?"
_KNOWN = """
SELECT result.identity FROM seen JOIN result ON result.id = seen.result
JOIN target ON target.id = seen.target
WHERE target.name = ? AND result.status = 'done' AND result.tool = ?
ORDER BY seen.run DESC LIMIT 1
"""


class Store:
    """The open store in a folder, and the run that it is written for.

    `tool` names the version of the tool; results of another one are kept and not used. Raises
    UsageError for a file that is no store, and while another process writes a run to it.
    """

    def __init__(self, folder: Path, tool: str) -> None:
        self._path = folder / NAME
        self._tool = tool
        try:
            self.file = _opened(self._path)
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{self._path}: {error}; choose another folder with -o") from None
        try:
            with self._transaction():
                self.run, self.goes_on = run_of(self.file, tool)
        except RunningError as error:
            self.file.close()
            raise UsageError(
                f"{self._path}: {error}; wait for it, or choose another folder with -o"
            ) from None

    def known(self, target: Target) -> str:
        """The identity of what was looked at last with this tool; "" for nothing."""
        row = self.file.execute(_KNOWN, (target.name, self._tool)).fetchone()
        return row[0] if row else ""

    def record(self, target: Target, outcome: Outcome) -> None:
        """Keep what a target came to, whole or not at all; once more replaces it."""
        with self._transaction():
            number = self._target(target)
            result = self._result(number, outcome)
            self.file.execute(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", (self.run, number, result)
            )
            self.file.execute(_CLEAR, (number, self._failed, result))

    def finish(self) -> None:
        """Note that every target of the run has its result."""
        with self._transaction():
            self.file.execute("UPDATE run SET finished = ? WHERE id = ?", (now(), self.run))

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()

    def _target(self, target: Target) -> int:
        self.file.execute(
            "INSERT INTO target (name, kind) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind",
            (target.name, target.kind),
        )
        return self._one("SELECT id FROM target WHERE name = ?", target.name)

    def _result(self, target: int, outcome: Outcome) -> int:
        if outcome.status == "unchanged":
            return self._unchanged(target, outcome.identity, outcome.commit)
        failed = outcome.status == "failed"
        return self._put(target, self._failed if failed else outcome.identity, outcome)

    @property
    def _failed(self) -> str:
        """The identity of a failure: of each run its own, for nothing says that it is the same."""
        return f"failed in run {self.run}"

    def _unchanged(self, target: int, identity: str, commit: str | None) -> int:
        number = self._one(_FIND, target, identity, self._tool)
        self.file.execute("UPDATE result SET revision = ? WHERE id = ?", (commit, number))
        return number

    def _put(self, target: int, identity: str, o: Outcome) -> int:
        numbers = (o.files, o.lines, o.runs, o.skipped, o.seconds, o.peak, o.fails)
        row = (target, identity, self._tool, o.status, o.reason, o.commit, *numbers, now())
        self.file.execute(_PUT_RESULT, row)
        number = self._one(_FIND, target, identity, self._tool)
        self.file.execute("DELETE FROM finding WHERE result = ?", (number,))
        self.file.executemany(
            "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, *_finding(row)) for row in o.findings],
        )
        return number

    def _one(self, query: str, *values: object) -> int:
        found: tuple[int] = self.file.execute(query, values).fetchone()
        return found[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing. Raises UsageError where the file cannot be written."""
        try:
            with self.file:
                self.file.execute("BEGIN IMMEDIATE")
                yield
        except sqlite3.OperationalError as error:
            raise UsageError(
                f"{self._path}: {error}; mend that, and the same command goes on"
            ) from None


def _finding(f: Row) -> tuple[str, ...]:
    return (f.fingerprint, f.id, f.rule, f.code, f.title, f.priority, f.severity, f.place)


def _opened(path: Path) -> sqlite3.Connection:
    """The file with its tables. Raises sqlite3.DatabaseError."""
    file = sqlite3.connect(path, timeout=_BUSY, isolation_level=None)
    try:
        _prepare(file)
    except BaseException:
        file.close()
        raise
    return file


def _prepare(file: sqlite3.Connection) -> None:
    version = file.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise sqlite3.DatabaseError(f"a store of version {version}, this is {VERSION}")
    file.executescript(TABLES)
    file.execute(f"PRAGMA user_version = {VERSION}")
