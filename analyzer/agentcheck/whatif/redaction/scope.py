"""Whether each record of a file holds its runs whole, so that placeholders may begin anew in it."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.event import Run
from agentcheck.trace.read import runs_in
from agentcheck.trace.reading import ANY, Reading
from agentcheck.trace.records import Buffer, Record, Records


class _Watched:
    """Records of which is known whether they were gone back to, and whether they are all read."""

    def __init__(self, records: Records) -> None:
        self.name, self.unit = records.name, records.unit
        self._records = records
        self.revisited = self.read = False

    def __iter__(self) -> Iterator[Record]:
        """Every record. A reader looks at the first few alone to find out their format."""
        self.read = False
        yield from self._records
        self.read = True

    def fetch(self, spot: int) -> Buffer:
        """The record at a spot."""
        self.revisited = True
        return self._records.fetch(spot)

    def close(self) -> None:
        """Whoever opened the records closes them."""


def each_holds_runs(records: Records, reading: Reading = ANY) -> bool:
    """Whether every run of the records was complete as soon as one record was read.

    It is not where a reader went back to records, as for spans of interleaved runs, or gave a run
    after the last record, as for messages of which each is a record.
    """
    watched = _Watched(records)
    for run in runs_in(watched, reading):
        if isinstance(run, Run) and (watched.revisited or watched.read):
            return False
    return True
