"""What of a trace file could not be read: each named, up to a number, then counted."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.report import Skipped
from agentcheck.trace.records import why_broken

SHOWN = 20


class Losses:
    """Collects skipped records of one file as `Skipped` entries."""

    def __init__(self, name: str, unit: str) -> None:
        self._name = name
        self._unit = unit
        self.count = 0

    def add(self, number: int, why: str) -> Iterator[Skipped]:
        """The entry for a record (number from 0), none once enough were named."""
        self.count += 1
        if self.count <= SHOWN:
            yield Skipped(self._name, f"{self._unit} {number + 1}: {why}")

    def broken(self, number: int, error: Exception) -> Iterator[Skipped]:
        """The entry for a record that could not be decoded, or is not what the file holds."""
        return self.add(number, left_out(error))

    def rest(self) -> Iterator[Skipped]:
        """The entry that counts what was not named."""
        if self.count > SHOWN:
            more = self.count - SHOWN
            yield Skipped(self._name, f"{more} more {self._unit}s could not be read")


def left_out(error: Exception) -> str:
    """Why a record is left out that could not be decoded, or is not what the file holds."""
    return f"{why_broken(error)}; left out"
