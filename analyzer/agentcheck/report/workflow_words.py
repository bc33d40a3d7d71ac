"""Workflows in words: those that lead to the same are told once, with all their starts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from agentcheck.model.diagram import NodeKind
from agentcheck.model.report import Workflow
from agentcheck.report.diagram_words import place_of

_NOTES: dict[NodeKind, str] = {
    "agent": "no start of it was found",
    "group": "no start of it was found",
    "function": "asks a model itself",
    "loop": "an agent loop",
}


class Start(Struct, frozen=True):
    """What a workflow begins with; `place` is "" where the name is that of the file."""

    name: str
    place: str


class Way(Struct, frozen=True):
    """What some starts lead to: a word for each kind of thing, and the names of those things."""

    starts: tuple[Start, ...]
    note: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]


def ways(workflows: Iterable[Workflow]) -> tuple[Way, ...]:
    """The ways of a report, in its order; what leads to agents comes before what leads to none."""
    alike: dict[tuple[object, ...], list[Workflow]] = defaultdict(list)
    for one in workflows:
        alike[(_NOTES.get(one.kind, ""), *_parts(one))].append(one)
    made = [
        Way(tuple(map(_start, group)), _NOTES.get(group[0].kind, ""), _parts(group[0]))
        for group in alike.values()
    ]
    return tuple(sorted(made, key=lambda way: -len(way.parts) if way.parts else 1))


def _parts(one: Workflow) -> tuple[tuple[str, tuple[str, ...]], ...]:
    tools = "other tools" if one.acts else "tools"
    found = (
        ("loops", one.loops),
        ("agents", one.agents),
        ("steps", one.steps),
        ("tools that change the world", one.acts),
        (tools, one.tools),
        ("not found in the code", one.unresolved),
    )
    return tuple(part for part in found if part[1])


def _start(one: Workflow) -> Start:
    if one.cell is None and one.file.rpartition("/")[2] == one.start:
        return Start(one.file, "")
    return Start(one.start, place_of(one.file, one.line, one.cell))
