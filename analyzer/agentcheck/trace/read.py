"""Read a trace file: find out its format by what it holds, and give its runs one by one.

Memory is bounded by the largest run for JSON Lines (plus eight bytes a line where the spans of
runs interleave); a file that is one JSON document is held whole, as bytes. Compressed files are
unpacked to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.opening import open_records
from agentcheck.trace.outline import Recorded, recorded
from agentcheck.trace.readers import FORMATS, Fit, Format
from agentcheck.trace.records import BROKEN, Records, value_of, why_broken

T = TypeVar("T")

SAMPLE = 16
"""How many records are looked at to find out the format."""


def read_runs(path: Path, name: str | None = None) -> Iterator[Run | Skipped]:
    """Every run of a file, and what of it could not be read; raises for nothing a file may hold.

    `name` is what the file is called in the results, its own name by default. Each run may be
    dropped before the next is asked for; nothing here holds on to it.
    """
    return _from_file(path, name, runs_in)


def read_outlines(path: Path, name: str | None = None) -> Iterator[Recorded | Skipped]:
    """As `read_runs`, but of each run its outline, and what plays it."""
    return _from_file(path, name, _outlines)


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


def runs_in(records: Records) -> Iterator[Run | Skipped]:
    """Every run among records, and what of them could not be read. Raises OSError."""
    found = recognise(records)
    if isinstance(found, Skipped):
        yield found
    else:
        yield from found.read(records)


def _outlines(records: Records) -> Iterator[Recorded | Skipped]:
    found = recognise(records)
    if isinstance(found, Skipped):
        yield found
    elif found.outlines is not None:
        yield from found.outlines(records)
    else:
        for run in found.read(records):
            yield run if isinstance(run, Skipped) else recorded(run)


def recognise(records: Records) -> Format | Skipped:
    """The format that the first records are in, or which came closest and why it is not that."""
    samples, broken = _samples(records)
    if not samples:
        return Skipped(records.name, f"no JSON: {records.unit} 1 is {broken}")
    fits = [(reader, [reader.fit(value) for value in samples]) for reader in FORMATS]
    reader, judged = max(fits, key=lambda pair: _strength(pair[1]))
    fit = max(judged, key=lambda fit: fit.score)
    if fit.score >= 1:
        return reader
    return Skipped(
        records.name, f"in no trace format that is known; closest is {reader.name}: {fit.why}"
    )


def _samples(records: Records) -> tuple[list[Any], str]:
    values: list[Any] = []
    broken = "empty"
    for record in islice(records, SAMPLE):
        try:
            values.append(value_of(record.raw))
        except BROKEN as error:
            broken = why_broken(error)
    return values, broken


def _strength(fits: list[Fit]) -> tuple[float, bool, int]:
    """How well a format fits at best, whether it must be it, how many of the records it fits."""
    best = max(fit.score for fit in fits)
    return best, any(fit.sure for fit in fits), sum(fit.score >= 1 for fit in fits)
