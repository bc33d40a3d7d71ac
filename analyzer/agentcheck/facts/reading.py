"""Reads one file whatever its bytes, in this process or in a worker."""

from __future__ import annotations

import sys

from agentcheck.facts.outcome import Outcome, failure
from agentcheck.facts.read import NeedsLibCST, Source, facts_of, open_source
from agentcheck.facts.record import record_of, to_bytes
from agentcheck.model.report import Skipped
from agentcheck.source.collector import collector_paused
from agentcheck.source.discover import SourceFile
from agentcheck.source.errors import Unreadable
from agentcheck.source.folders import is_generated
from agentcheck.source.load import load

_LEAVE = 8  # files; a target of more is worth LibCST in every worker


def outcome_of(file: SourceFile, *, may_die: bool, whole: bool = True) -> Outcome | None:
    """Read one file, whatever its bytes. None for a risky one, unless this process `may_die`, and
    for another that takes LibCST, unless `whole` is set."""
    try:
        with collector_paused():
            return _read(file, may_die=may_die, whole=whole)
    except NeedsLibCST:
        return None
    except Unreadable as reason:
        return failure(file, str(reason), sure=True)
    except OSError as error:
        return failure(file, f"cannot be opened: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - a fault of ours costs one file, not the scan
        return _fault(file, error)


def _read(file: SourceFile, *, may_die: bool, whole: bool) -> Outcome | None:
    data = load(file)
    if not file.named and is_generated(data):
        return Outcome()
    source = open_source(file.path, data)
    risky = source.passage.risk == "risky"
    if risky and not may_die:
        return None
    facts = facts_of(file.path, data, source, whole=whole or risky)
    return Outcome(facts, _notes(file, source))


def records_of(files: tuple[SourceFile, ...], *, leave: bool) -> list[bytes]:
    """Read a batch in a worker; encoded, because facts do not travel as pickles.

    With `leave`, the first files that take LibCST are left to who asked, with empty bytes: one
    process imports it, which takes longer than to read ten files, and not all.
    """
    return [_encoded(file, leave=leave) for file in files]


class _Left:
    """How many files this process has left to others."""

    count = 0


def _encoded(file: SourceFile, *, leave: bool) -> bytes:
    try:
        whole = not leave or "libcst" in sys.modules or _Left.count >= _LEAVE
        outcome = outcome_of(file, may_die=True, whole=whole)
        if outcome is None:
            _Left.count += 1
            return b""
        return to_bytes(record_of(outcome, packed=True))
    except Exception as error:  # noqa: BLE001 - as in outcome_of
        return to_bytes(record_of(_fault(file, error), packed=True))


def _fault(file: SourceFile, error: Exception) -> Outcome:
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return failure(file, f"internal error, please report it: {what}")


def _notes(file: SourceFile, source: Source) -> tuple[Skipped, ...]:
    return tuple(Skipped(file.path, note) for note in source.notes)
