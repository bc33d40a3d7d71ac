"""The tables of the store.

run: one call of `agentcheck fleet`, or several where it was interrupted; `finished` is empty then.
target: what was ever looked at.
result: what looking at one content of a target came to, once for each version of the tool.
finding: the findings of a result that nobody has accepted.
seen: which result a target had in a run.
"""

TABLES = """
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, tool TEXT NOT NULL,
    host TEXT NOT NULL, pid INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS target (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS result (
    id INTEGER PRIMARY KEY, target INTEGER NOT NULL REFERENCES target, identity TEXT NOT NULL,
    tool TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, revision TEXT,
    files INTEGER NOT NULL, lines INTEGER NOT NULL, runs INTEGER NOT NULL,
    skipped INTEGER NOT NULL, seconds REAL NOT NULL, peak INTEGER NOT NULL,
    fails INTEGER NOT NULL, ended TEXT NOT NULL, UNIQUE (target, identity, tool));
CREATE TABLE IF NOT EXISTS finding (
    result INTEGER NOT NULL REFERENCES result, fingerprint TEXT NOT NULL, id TEXT NOT NULL,
    rule TEXT NOT NULL, code TEXT NOT NULL, title TEXT NOT NULL, priority TEXT NOT NULL,
    severity TEXT NOT NULL, place TEXT NOT NULL,
    PRIMARY KEY (result, fingerprint, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    run INTEGER NOT NULL REFERENCES run, target INTEGER NOT NULL REFERENCES target,
    result INTEGER NOT NULL REFERENCES result, PRIMARY KEY (run, target)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_by_target ON seen (target, run);
"""
VERSION = 1
