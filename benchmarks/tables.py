"""Figures as Markdown tables, and their place in README.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from measure import Cost
from rows import Place

_PARSE = "LibCST parses every file"


class Figures(NamedTuple):
    """A row of a table: what it cost and how many files it opened, or why there is nothing."""

    label: str
    version: str
    cost: Cost | None = None
    files: int | None = None
    problem: str = ""


def table(place: Place, commit: str, figures: Sequence[Figures], rounds: int) -> str:
    """One target's table under a heading."""
    files = sorted(place.folder.rglob("*.py"))
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    changed = place.changed.relative_to(place.second)
    lines = [
        f"### {place.name} ({commit}): {len(files)} .py files, {megabytes:.1f} MB",
        "",
        f"Medians of {rounds} rounds in which all took turns. Changed was `{changed}`.",
        "",
        "| what | version | CPU s | of LibCST's parse | wall s | peak MB | .py files opened |",
        "|---|---|---|---|---|---|---|",
    ]
    parse = next((one.cost.cpu for one in figures if one.label == _PARSE and one.cost), 0.0)
    return "\n".join([*lines, *(_row(one, parse) for one in figures)])


def _row(one: Figures, parse: float) -> str:
    if one.cost is None:
        return f"| {one.label} | {one.version or '-'} | {one.problem} | | | | |"
    cost = one.cost
    ratio = f"{cost.cpu / parse:.2f}" if parse else "-"
    figures = f"{cost.cpu:.2f} | {ratio} | {cost.wall:.2f} | {cost.peak:.0f}"
    return f"| {one.label} | {one.version} | {figures} | {one.files} |"


def write_section(readme: Path, name: str, text: str) -> None:
    """Put a text between the two marks of a section."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before = readme.read_text("utf-8")
    if begin not in before or end not in before:
        sys.exit(f"{readme}: {begin} and {end} mark where the tables go; put them in")
    head, _, rest = before.partition(begin)
    tail = rest.partition(end)[2]
    readme.write_text(f"{head}{begin}\n{text.strip()}\n{end}{tail}", "utf-8")
