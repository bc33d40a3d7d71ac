"""Which blocks of a page find room on it: dropping starts at the end of each section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from msgspec import Struct

# Hundredths of the room that a section is sure of; what is left goes to the first in need.
_SHARES = {
    "details": 40,
    "listing": 12,
    "workflows": 4,
    "asked": 2,
    "notes": 2,
    "cases": 5,
    "runs": 6,
    "what_if": 4,
    "questions": 11,
    "idle": 3,
    "aside": 4,
    "unknown": 4,
    "skipped": 3,
}

Blocks: TypeAlias = dict[str, tuple[Sequence[Any], Callable[[Any], str]]]
"""Per section its items, and what renders one. `short` renders what finds no room in `details`."""


class Section(Struct, frozen=True):
    """Blocks of one kind that are shown, and how many more there are."""

    blocks: tuple[str, ...] = ()
    more: int = 0


EMPTY = dict.fromkeys((*_SHARES, "short"), Section())


def fit(blocks: Blocks, room: int | None) -> dict[str, Section]:
    """As many first blocks of each section as fit into `room` characters, None for all."""
    if room is None:
        whole = {name: Section(tuple(map(one, blocks[name][0]))) for name, one in _ones(blocks)}
        return whole | {"short": Section()}
    parts = {name: _up_to(room, *blocks[name]) for name in _SHARES}
    needs = {name: sum(map(len, section.blocks)) for name, section in parts.items()}
    rooms = {name: min(need, room * _SHARES[name] // 100) for name, need in needs.items()}
    spare = room - sum(rooms.values())
    for name, need in needs.items():
        extra = min(spare, need - rooms[name])
        rooms[name] += extra
        spare -= extra
    fitted = {name: _first(section, rooms[name]) for name, section in parts.items()}
    return fitted | _shortened(parts["details"], blocks["short"], rooms["details"])


def _ones(blocks: Blocks) -> list[tuple[str, Callable[[Any], str]]]:
    return [(name, blocks[name][1]) for name in _SHARES]


def _shortened(
    full: Section, short: tuple[Sequence[Any], Callable[[Any], str]], room: int
) -> dict[str, Section]:
    """As many in full as leave room for the others in short; with too many, half and half."""
    items, one = short
    shown = _first(full, room)
    if not shown.more:
        return {"details": shown, "short": Section()}
    briefs = _up_to(room, items[::-1], one)  # from the end: what stands there is shortened first
    sizes = list(accumulate(map(len, briefs.blocks), initial=0))
    for count in range(len(shown.blocks), -1, -1):
        rest = len(items) - count
        if rest < len(sizes) and sum(map(len, shown.blocks[:count])) + sizes[rest] <= room:
            blocks = briefs.blocks[:rest][::-1]
            return {"details": Section(shown.blocks[:count], rest), "short": Section(blocks)}
    half = _first(full, room // 2)
    left = _up_to(room // 2, items[len(half.blocks) :], one)
    return {"details": half, "short": _first(left, room // 2)}


def _up_to(room: int, items: Sequence[Any], one: Callable[[Any], str]) -> Section:
    """Blocks until they are more than enough, and how many further ones there would be."""
    kept: list[str] = []
    used = 0
    for item in items:
        if used > room:
            break
        kept.append(one(item))
        used += len(kept[-1])
    return Section(tuple(kept), len(items) - len(kept))


def _first(section: Section, room: int) -> Section:
    ends = accumulate(map(len, section.blocks))
    count = sum(1 for end in ends if end <= room)
    return Section(section.blocks[:count], section.more + len(section.blocks) - count)
