"""Small edits of a checkout that can be applied group by group, in any combination.

An edit names one line of the file as it is, stripped of its indentation, and says what becomes of
it. All edits of all groups are found in the original file before any is applied, so that leaving a
group out never moves the place of another.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

STEP = "    "


@dataclass(frozen=True)
class Edit:
    """What becomes of the `nth` line (from 1) of `file` that reads `line`.

    "before" and "after" put lines beside it, at its own indentation, "inside" as the first lines of
    the block that it opens; "swap" replaces `old` by `text` inside it; "wrap" indents the lines
    from it to the next that reads `until` (itself by default), with `text` before, `tail` after.
    """

    file: str
    line: str
    do: Literal["before", "after", "inside", "swap", "wrap"]
    text: str
    nth: int = 1
    old: str = ""
    tail: str = ""
    until: str | None = None


@dataclass
class _Line:
    text: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    opening: list[str] = field(default_factory=list)
    closing: list[str] = field(default_factory=list)
    wrapped: bool = False

    @property
    def indent(self) -> str:
        return self.text[: len(self.text) - len(self.text.lstrip())]

    def shown(self) -> list[str]:
        own = [*self.before, self.text, *self.after]
        deeper = [STEP + line if line.strip() else line for line in own] if self.wrapped else own
        return [*self.opening, *deeper, *self.closing]


def apply(root: Path, edits: Iterable[Edit]) -> None:
    """Change the files of a checkout. Raises LookupError where a line is not there."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    for name, group in by_file.items():
        path = root / name
        path.write_text(edited(path.read_text(encoding="utf-8"), group), encoding="utf-8")


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made, in their order."""
    lines = [_Line(line) for line in text.splitlines()]
    found = [(edit, _find(lines, edit)) for edit in edits]
    for edit, at in found:
        _make(lines, edit, at)
    return "\n".join(line for each in lines for line in each.shown()) + "\n"


def _find(lines: list[_Line], edit: Edit) -> tuple[int, int]:
    places = [i for i, line in enumerate(lines) if line.text.strip() == edit.line]
    if len(places) < edit.nth:
        raise LookupError(f"{edit.file}: no line {edit.line!r} (number {edit.nth})")
    first = places[edit.nth - 1]
    if edit.until is None:
        return first, first
    rest = enumerate(lines[first:], first)
    return first, next(i for i, line in rest if line.text.strip() == edit.until)


def _make(lines: list[_Line], edit: Edit, at: tuple[int, int]) -> None:
    first, last = lines[at[0]], lines[at[1]]
    if edit.do == "swap":
        first.text = first.text.replace(edit.old, edit.text)
    elif edit.do == "before":
        first.before += _block(edit.text, first.indent)
    elif edit.do == "wrap":
        first.opening += _block(edit.text, first.indent)
        last.closing += _block(edit.tail, first.indent)
        for line in lines[at[0] : at[1] + 1]:
            line.wrapped = True
    else:
        first.after += _block(edit.text, first.indent + STEP * (edit.do == "inside"))


def _block(text: str, indent: str) -> list[str]:
    lines = textwrap.dedent(text.removeprefix("\n")).rstrip(" ").removesuffix("\n").split("\n")
    return [indent + line if line.strip() else "" for line in lines]
