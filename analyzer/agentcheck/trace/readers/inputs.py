"""The inputs of model calls repeat the history; of each only what is new is told.

New is what follows the earlier input of the same loop. Where the history was rewritten (at a
handoff, after a compaction) new is what no input held before, word for word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentcheck.trace.readers.items import Given, fresh_from

GivenIn = Callable[[Any, int], Iterator[Given]]


class Inputs:
    """What the model calls of one trace were given so far."""

    def __init__(self, given_in: GivenIn) -> None:
        self._given_in = given_in
        self._before: dict[str | None, Any] = {}
        self._said: set[tuple[str, str, str | None]] = set()

    def fresh(self, loop: str | None, items: Any) -> list[Given]:
        """What an input of a loop holds for the first time."""
        start = fresh_from(items, self._before.get(loop))
        given = list(self._given_in(items, start))
        if not start:
            given = [g for g in given if (g.role, g.text, g.call_id) not in self._said]
        self._before[loop] = items
        self._said.update((g.role, g.text, g.call_id) for g in given)
        return given
