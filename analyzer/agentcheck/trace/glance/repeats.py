"""What comes again and again in runs: equal calls, loops of calls, handoffs in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from agentcheck.model.event import Handoff, Run, ToolCall
from agentcheck.model.runs import Repeat
from agentcheck.trace.arguments import canonical
from agentcheck.trace.glance.counter import MOST, short_name
from agentcheck.trace.mask import excerpt

LONGEST = 4
"""Steps of a loop that is sought."""


class _Found(NamedTuple):
    what: str
    key: bytes
    times: int
    name: Callable[[], str]
    event: ToolCall | Handoff


class _Row:
    __slots__ = ("most", "name", "place", "runs", "what")

    def __init__(self, what: str, name: str, place: str) -> None:
        self.what, self.name, self.place = what, name, place
        self.most = self.runs = 0


class Repeats:
    """Counts repetitions of at least `least` times; MOST different ones are told apart."""

    def __init__(self, least: int = 3) -> None:
        self._least = max(least, 2)
        self._rows: dict[tuple[str, bytes], _Row] = {}
        self.lost = 0

    def add(self, run: Run) -> None:
        """Take in one run."""
        for found in _in(run, self._least):
            row = self._rows.get((found.what, found.key))
            if row is None and len(self._rows) >= MOST:
                self.lost += 1
                continue
            if row is None:
                place = f"{run.file}#{run.index}/{found.event.source.record}"
                row = _Row(found.what, found.name(), place)
                self._rows[found.what, found.key] = row
            row.runs += 1
            row.most = max(row.most, found.times)

    def rows(self) -> tuple[Repeat, ...]:
        """What repeats, the most often first."""
        rows = sorted(self._rows.values(), key=lambda row: (-row.most, -row.runs))
        return tuple(Repeat(r.what, r.name, r.most, r.runs, r.place) for r in rows)  # type: ignore[arg-type]


def _in(run: Run, least: int) -> Iterator[_Found]:
    calls = [call for call in run.all(ToolCall) if call.call_key not in run.handed]
    if "content" in run.known:  # else all arguments look alike
        yield from _equal(calls, least)
    handoffs = [h for h in run.all(Handoff) if h.accepted is not False]
    keys = [_digest(h.to_agent) for h in handoffs]
    for at, period, turns in loops(keys, 2):
        circle = handoffs[at : at + period]
        name = partial(_arrows, [h.to_agent for h in circle])
        yield _Found("handoffs", _any_order(keys[at : at + period]), turns, name, circle[0])


def _equal(calls: list[ToolCall], least: int) -> Iterator[_Found]:
    """Calls that are made again and again, alone or in a loop."""
    if len(calls) < least:
        return
    keys = [_key(call) for call in calls]
    times = Counter(keys)
    for call, key in zip(calls, keys, strict=True):
        if times.get(key, 0) >= least:
            yield _Found("call", key, times.pop(key), partial(_shown, call), call)
    for at, period, turns in loops(keys, least):
        loop = calls[at : at + period]
        name = partial(_arrows, [call.name for call in loop])
        yield _Found("loop", _any_order(keys[at : at + period]), turns, name, loop[0])


def loops(keys: Sequence[bytes], least: int) -> Iterator[tuple[int, int, int]]:
    """Where a loop of 2 to LONGEST different steps begins, its steps, and how often it turns whole.

    Of loops that overlap the one of fewest steps is told.
    """
    taken = 0
    found: list[tuple[int, int, int]] = []
    for period in range(2, LONGEST + 1):
        found += _stretches(keys, period, least)
    for at, period, turns in sorted(found):
        if at >= taken:
            yield at, period, turns
            taken = at + period * turns


def _stretches(keys: Sequence[bytes], period: int, least: int) -> Iterator[tuple[int, int, int]]:
    start = 0
    for at in range(period, len(keys) + 1):
        if at < len(keys) and keys[at] == keys[at - period]:
            continue
        turns = (at - start) // period
        if turns >= least and len(set(keys[start : start + period])) > 1:
            yield start, period, turns
        start = at - period + 1


def _key(call: ToolCall) -> bytes:
    given = call.arguments_raw if call.arguments is None else canonical(call.arguments)
    return _digest(f"{call.name}\0{given}")


def _any_order(keys: Sequence[bytes]) -> bytes:
    """The same for a loop wherever in it one begins."""
    return b"".join(sorted(keys))


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="replace"), digest_size=16).digest()


def _arrows(names: Sequence[str]) -> str:
    return " -> ".join(map(short_name, names))


def _shown(call: ToolCall) -> str:
    return excerpt(f"{call.name}({call.arguments_raw})", most=160)
