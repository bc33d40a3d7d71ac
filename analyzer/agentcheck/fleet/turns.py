"""Which run of a store is written: the one that was interrupted, or a new one."""

from __future__ import annotations

import datetime as dt
import os
import socket
import sqlite3

from agentcheck.fleet.hands import is_running

_LAST = "SELECT id, finished, tool, host, pid FROM run ORDER BY id DESC LIMIT 1"
_NEW = "INSERT INTO run (started, tool, host, pid) VALUES (?, ?, ?, ?)"


class RunningError(Exception):
    """Another process is writing a run; the message names it."""


def run_of(file: sqlite3.Connection, tool: str) -> tuple[int, bool]:
    """The number of the run to write, and whether it is one that was interrupted.

    An interrupted run of another version of the tool is left as it is. Raises RunningError.
    """
    host, pid = socket.gethostname(), os.getpid()
    last = file.execute(_LAST).fetchone()
    if last is not None and last[1] is None:
        if last[3] == host and last[4] != pid and is_running(last[4]):
            raise RunningError(f"process {last[4]} is writing a run there")
        if last[2] == tool:
            file.execute("UPDATE run SET host = ?, pid = ? WHERE id = ?", (host, pid, last[0]))
            return last[0], True
    made = file.execute(_NEW, (now(), tool, host, pid)).lastrowid
    return made or 0, False


def now() -> str:
    """The time, in UTC, as ISO 8601 has it."""
    return dt.datetime.now(tz=dt.UTC).isoformat(timespec="seconds")
