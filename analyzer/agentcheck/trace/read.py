"""Read a trace file: find out its format by what it holds, and give its runs one by one.

Memory is bounded by the largest run for JSON Lines (plus eight bytes a line and some megabytes of
records, where the spans of runs interleave); a file that is one JSON document is held whole, as
bytes. Compressed files are unpacked to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.closest import Judged, why_unknown
from agentcheck.trace.opening import open_records
from agentcheck.trace.outline import Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers import Fit, Format
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.reasoned import is_blank, is_blank_outline, reasoned
from agentcheck.trace.records import BROKEN, Buffer, Records, value_of, why_broken

T = TypeVar("T")

SAMPLE = 16
"""How many records are looked at to find out the format."""
_HEAD = 40


def read_runs(
    path: Path, name: str | None = None, reading: Reading = ANY
) -> Iterator[Run | Skipped]:
    """Every run of a file, and what of it could not be read; raises for nothing a file may hold.

    `name` is what the file is called in the results, its own name by default. Each run may be
    dropped before the next is asked for; nothing here holds on to it.
    """
    return _from_file(path, name, partial(runs_in, reading=reading))


def read_outlines(
    path: Path, name: str | None = None, reading: Reading = ANY
) -> Iterator[Recorded | Skipped]:
    """As `read_runs`, but of each run its outline, and what plays it."""
    return _from_file(path, name, partial(_outlines, reading))


def _from_file(
    path: Path, name: str | None, read: Callable[[Records], Iterator[T | Skipped]]
) -> Iterator[T | Skipped]:
    records = open_records(path, name or path.name)
    if isinstance(records, Skipped):
        yield records
        return
    try:
        yield from read(records)
    except OSError as error:
        yield Skipped(records.name, f"cannot be read: {error.strerror or error}")
    finally:
        records.close()


def runs_in(records: Records, reading: Reading = ANY) -> Iterator[Run | Skipped]:
    """Every run among records, and what of them could not be read. Raises OSError."""
    found = recognise(records, reading)
    if isinstance(found, Skipped):
        yield found
    else:
        yield from reasoned(found.read(records), records.name, found.name, is_blank)


def _outlines(reading: Reading, records: Records) -> Iterator[Recorded | Skipped]:
    found = recognise(records, reading)
    if isinstance(found, Skipped):
        yield found
    elif found.outlines is not None:
        told = found.outlines(records)
        yield from reasoned(told, records.name, found.name, is_blank_outline)
    else:
        for run in reasoned(found.read(records), records.name, found.name, is_blank):
            yield run if isinstance(run, Skipped) else recorded(run)


def recognise(records: Records, reading: Reading = ANY) -> Format | Skipped:
    """The format that the first records are in, or which came closest and why it is not that."""
    samples, broken = _samples(records)
    if not samples:
        why = f"no JSON: {records.unit} 1 {broken}" if broken else "an empty JSON list"
        return Skipped(records.name, why)
    formats = reading.formats()
    if reading.only is not None:
        return formats[0]
    fits = [(reader, [reader.fit(value) for value in samples]) for reader in formats]
    reader, judged = max(fits, key=lambda pair: _strength(pair[1]))
    if max(fit.score for fit in judged) >= 1:
        return reader
    best = [Judged(form, max(found, key=lambda fit: fit.score)) for form, found in fits]
    own = frozenset(mapping.name for mapping in reading.mappings)
    return Skipped(records.name, why_unknown(samples, best, own))


def _samples(records: Records) -> tuple[list[Any], str]:
    values: list[Any] = []
    broken = ""
    for record in islice(records, SAMPLE):
        try:
            values.append(value_of(record.raw))
        except BROKEN as error:
            broken = broken or _told(record.raw, error)
    return values, broken


def _told(raw: Buffer, error: Exception) -> str:
    """Why a record is no JSON, with its beginning where that tells what it is."""
    why = why_broken(error)
    if not why.startswith("no valid JSON"):
        return f"is {why}"
    head = bytes(raw[:_HEAD]).decode(errors="replace")
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in head)
    return f'begins "{shown}"'


def _strength(fits: list[Fit]) -> tuple[float, bool, int]:
    """How well a format fits at best, whether it must be it, how many of the records it fits."""
    best = max(fit.score for fit in fits)
    return best, any(fit.sure for fit in fits), sum(fit.score >= 1 for fit in fits)
