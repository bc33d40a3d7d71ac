"""Code frames for a page: each line cut at its marks, and what is said under it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from msgspec import Struct

from agentcheck.model.assessment import CodeEvidence, Evidence
from agentcheck.report.escape import cells
from agentcheck.report.frames import Line, Mark, frames
from agentcheck.report.options import Options
from agentcheck.report.words import place, rooted


class Part(Struct, frozen=True):
    """A stretch of a line; `mark` when it is what the evidence points at."""

    text: str
    mark: bool = False
    primary: bool = False


class Says(Struct, frozen=True):
    """What is said of a mark, under its line."""

    text: str
    primary: bool


class PageLine(Struct, frozen=True):
    """A line, its number None for a record of a run; `apart` when lines before it are left out."""

    number: int | None
    apart: bool
    parts: tuple[Part, ...]
    says: tuple[Says, ...]


class PageFrame(Struct, frozen=True):
    """Lines under the place of the first of them, and the address of that place, if any."""

    where: str
    link: str
    lines: tuple[PageLine, ...]


def html_frames(evidence: Iterable[Evidence], options: Options) -> list[PageFrame]:
    """The frames of a finding, the one with the primary place first."""
    items = tuple(evidence)
    links = {place(item): link(item, options) for item in items}
    return [
        PageFrame(frame.where, links.get(frame.where, ""), tuple(_lines(frame.lines)))
        for frame in frames(items)
    ]


def link(item: Evidence, options: Options) -> str:
    """Where the repository shows a line; "" for what it cannot show."""
    base = options.link_base.rstrip("/")
    if not isinstance(item, CodeEvidence) or item.cell is not None:
        return ""
    if not base.startswith(("https://", "http://")):
        return ""
    return f"{base}/{quote(rooted(options.prefix, item.file))}#L{item.line}"


def _lines(lines: Iterable[Line]) -> Iterator[PageLine]:
    last = None
    for line in lines:
        apart = last is not None and line.number is not None and line.number > last + 1
        says = tuple(Says(mark.says, mark.primary) for mark in line.marks)
        yield PageLine(line.number, apart, tuple(_parts(line)), says)
        last = line.number


def _parts(line: Line) -> Iterator[Part]:
    """The line from left to right; where marks overlap the earlier one wins."""
    shown, at = cells(line.text), 0
    for mark in _apart(line.marks):
        start, end = max(mark.start, at), min(mark.end, len(shown))
        if start >= end:
            continue
        if start > at:
            yield Part("".join(shown[at:start]))
        yield Part("".join(shown[start:end]), mark=True, primary=mark.primary)
        at = end
    if at < len(shown):
        yield Part("".join(shown[at:]))


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.start, not mark.primary, -mark.end))
