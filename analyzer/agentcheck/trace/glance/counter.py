"""Counts by name that stay bounded however many names there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from agentcheck.model.runs import Count
from agentcheck.trace.mask import excerpt

MOST = 500
"""Names that are told apart."""
REST = "(all others)"
_LONG = 120

T = TypeVar("T")


class Kept(dict[str, T], Generic[T]):
    """A value per name, for MOST names; the names after those share one."""

    def __init__(self, make: Callable[[], T]) -> None:
        super().__init__()
        self._make = make

    def at(self, name: str) -> T:
        """The value of a name, made where there is none. Long names are cut, secrets masked."""
        found = self.get(name) if len(name) <= _LONG else None
        if found is not None:
            return found
        short = short_name(name)
        if short not in self:
            short = short if len(self) < MOST else REST
            if short not in self:
                self[short] = self._make()
        return self[short]


class Counted:
    """How often each name came."""

    def __init__(self) -> None:
        self._counts: Kept[list[int]] = Kept(lambda: [0])

    def add(self, name: str) -> None:
        """One more."""
        self._counts.at(name)[0] += 1

    def rows(self) -> tuple[Count, ...]:
        """The counts, highest first, equal ones in the order in which they came."""
        found = [Count(name, count) for name, (count,) in self._counts.items()]
        return tuple(sorted(found, key=lambda row: -row.count))


def short_name(name: str) -> str:
    """A name from a record as it may be kept and shown."""
    return excerpt(name, most=_LONG)
