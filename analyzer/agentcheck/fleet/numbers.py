"""The store -> the numbers of its newest run, and of all runs over time."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from agentcheck import __version__
from agentcheck.fleet.audits import page_of
from agentcheck.model.fleet import Fleet, FleetRule, FleetRun, FleetTarget
from agentcheck.model.report import Tool

# Each target of each run with the result that it had when it could be looked at before.
_PAIRS = """
WITH pair AS (
    SELECT s.run AS run, s.target AS target, s.result AS now, (
        SELECT p.result FROM seen p JOIN result q ON q.id = p.result
        WHERE p.target = s.target AND p.run < s.run AND q.status = 'done'
        ORDER BY p.run DESC LIMIT 1) AS before
    FROM seen s JOIN result r ON r.id = s.result WHERE r.status = 'done' {only}),
moved AS (
    SELECT run, target, now, before,
        (SELECT count(*) FROM finding f WHERE f.result = pair.now AND pair.now <> pair.before
            AND NOT EXISTS (SELECT 1 FROM finding g
                WHERE g.result = pair.before AND g.fingerprint = f.fingerprint)) AS new,
        (SELECT count(*) FROM finding f WHERE f.result = pair.before AND pair.now <> pair.before
            AND NOT EXISTS (SELECT 1 FROM finding g
                WHERE g.result = pair.now AND g.fingerprint = f.fingerprint)) AS fixed
    FROM pair WHERE before IS NOT NULL)
"""
_TARGETS = f"""{_PAIRS.format(only="AND s.run = :run")}
SELECT t.name, t.kind, r.status, r.reason, r.revision, r.files, r.lines, r.runs, r.skipped,
    r.fails, r.seconds, r.peak, m.new, m.fixed,
    (SELECT count(*) FROM finding f WHERE f.result = r.id) AS findings,
    (SELECT count(*) FROM finding f WHERE f.result = r.id AND f.priority = 'fix-now') AS fix_now,
    (SELECT count(*) FROM finding f WHERE f.result = r.id AND f.severity = 'high') AS high
FROM seen s JOIN target t ON t.id = s.target JOIN result r ON r.id = s.result
LEFT JOIN moved m ON m.target = s.target
WHERE s.run = :run
ORDER BY fix_now DESC, high DESC, findings DESC, t.name
"""  # noqa: S608 - nothing but the project's own text
_RULES = """
SELECT f.rule, f.code, min(f.title) AS title, count(DISTINCT s.target) AS targets,
    count(*) AS findings, sum(f.priority = 'fix-now') AS fix_now
FROM seen s JOIN finding f ON f.result = s.result WHERE s.run = :run
GROUP BY f.rule, f.code ORDER BY targets DESC, findings DESC, f.code
"""
_RUNS = f"""{_PAIRS.format(only="")}
SELECT u.id AS run, u.started, u.finished, u.tool,
    (SELECT count(*) FROM seen s WHERE s.run = u.id) AS targets,
    (SELECT count(*) FROM seen s JOIN result r ON r.id = s.result
        WHERE s.run = u.id AND r.status = 'failed') AS failed,
    (SELECT count(*) FROM seen s JOIN finding f ON f.result = s.result
        WHERE s.run = u.id) AS findings,
    (SELECT count(*) FROM seen s JOIN finding f ON f.result = s.result
        WHERE s.run = u.id AND f.priority = 'fix-now') AS fix_now,
    (SELECT coalesce(sum(new), 0) FROM moved m WHERE m.run = u.id) AS new,
    (SELECT coalesce(sum(fixed), 0) FROM moved m WHERE m.run = u.id) AS fixed
FROM run u ORDER BY u.id DESC
"""  # noqa: S608


def numbers_of(file: sqlite3.Connection, run: int, folder: Path) -> Fleet:
    """What a run came to; `folder` is where the pages behind the index are."""
    return Fleet(
        tool=Tool("agentcheck", __version__),
        targets=tuple(_target(row, folder) for row in _rows(file, _TARGETS, run)),
        rules=tuple(FleetRule(**row) for row in _rows(file, _RULES, run)),
        runs=tuple(FleetRun(**row) for row in _rows(file, _RUNS, run)),
    )


def _rows(file: sqlite3.Connection, query: str, run: int) -> list[dict[str, Any]]:
    cursor = file.execute(query, {"run": run} if ":run" in query else {})
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _target(row: dict[str, Any], folder: Path) -> FleetTarget:
    page = page_of(row["name"])
    there = row["status"] == "done" and (folder / page).is_file()
    lines = row["lines"]
    return FleetTarget(
        commit=row.pop("revision"),
        fails=bool(row.pop("fails")),
        peak_mb=round(row.pop("peak") / 1e6, 1),
        per_1000_lines=round(1000 * row["findings"] / lines, 2) if lines else None,
        audit=page if there else "",
        **row,
    )
