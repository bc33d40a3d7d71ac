"""Evidence as code frames: which places share a frame, and how a line and its marks are laid out.

Widths are terminal cells: a wide character takes two, a combining one none.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from os.path import commonprefix

from msgspec import Struct

from agentcheck.model.assessment import CodeEvidence, Evidence, TraceEvidence
from agentcheck.report.escape import cells, cells_of, clip, is_plain, visible
from agentcheck.report.words import place

NEAR = 40
_QUOTED = 600
_LONG = 4_000


class Mark(Struct, frozen=True):
    """What is underlined in a line, in 0-based characters, the end exclusive."""

    start: int
    end: int
    primary: bool
    says: str


class Line(Struct, frozen=True):
    """A line to show; `number` is None where a record of a run is quoted."""

    number: int | None
    text: str
    marks: tuple[Mark, ...]


class Frame(Struct, frozen=True):
    """Lines shown together, under the place of the first thing to look at."""

    where: str
    primary: bool
    lines: tuple[Line, ...]


class Strip(Struct, frozen=True):
    """A line cut to a width: what to print, and per mark its first cell and its length."""

    shown: str
    marks: tuple[tuple[int, int], ...]


def frames(evidence: Iterable[Evidence]) -> tuple[Frame, ...]:
    """The frames of a finding, the one with the primary place first.

    Places of one file (one cell, in a notebook) share a frame while gaps stay within NEAR lines.
    """
    ordered = sorted(evidence, key=lambda item: item.role != "primary")
    code = [item for item in ordered if isinstance(item, CodeEvidence)]
    made = [(ordered.index(group[0]), _code_frame(group)) for group in _groups(code)]
    made += [(n, _quote(e)) for n, e in enumerate(ordered) if isinstance(e, TraceEvidence)]
    return tuple(frame for _, frame in sorted(made, key=lambda pair: pair[0]))


def _groups(code: list[CodeEvidence]) -> list[list[CodeEvidence]]:
    """Neighbours together; in each group what was named first stays first."""
    groups: list[list[CodeEvidence]] = []
    for item in sorted(code, key=lambda e: (e.file, e.cell or 0, e.line, e.column)):
        last = groups[-1][-1] if groups else None
        if (
            last
            and (last.file, last.cell) == (item.file, item.cell)
            and item.line - last.line <= NEAR
        ):
            groups[-1].append(item)
        else:
            groups.append([item])
    return [sorted(group, key=code.index) for group in groups]


def _code_frame(group: list[CodeEvidence]) -> Frame:
    lines: dict[int, list[CodeEvidence]] = {}
    for item in group:
        lines.setdefault(item.line, []).append(item)
    made = tuple(
        _near(Line(number, items[0].text, tuple(_mark(item) for item in items)))
        for number, items in sorted(lines.items())
    )
    return Frame(place(group[0]), group[0].role == "primary", made)


def _mark(item: CodeEvidence) -> Mark:
    """A span over several lines is underlined on its first line alone."""
    written = len(item.text.rstrip())
    start = min(max(item.column - 1, 0), written)
    end = item.end_column - 1 if item.end_line <= item.line else written
    return Mark(start, max(min(end, written), start + 1), item.role == "primary", item.says)


def _near(line: Line) -> Line:
    """Of a very long line the part around its first mark: nobody is shown more of it."""
    if len(line.text) <= _LONG:
        return line
    cut = max(min(mark.start for mark in line.marks) - _LONG // 2, 0)
    marks = [
        Mark(max(m.start - cut, 0), max(m.end - cut, 1), m.primary, m.says) for m in line.marks
    ]
    return Line(line.number, line.text[cut : cut + _LONG], tuple(marks))


def _quote(item: TraceEvidence) -> Frame:
    text = f'"{clip(item.text, _QUOTED)}"'
    mark = Mark(0, len(text), item.role == "primary", item.says)
    where = place(item) + (f" {visible(item.pointer)}" if item.pointer else "")
    return Frame(where, mark.primary, (Line(None, text, (mark,)),))


def shift(lines: Iterable[Line], width: int) -> int:
    """How many characters of common indentation to drop: none while every line fits."""
    texts = [line.text for line in lines]
    if all(_whole_width(text) <= width for text in texts):
        return 0
    indents = [text[: len(text) - len(text.lstrip(" \t"))] for text in texts]
    return len(commonprefix(indents))  # noqa: RUF071 character by character is what is meant


def strip(line: Line, width: int, dropped: int = 0) -> Strip:
    """The line within `width` cells around its first mark, cut ends shown as an ellipsis."""
    text = line.text[dropped:]
    drawn = cells(text)
    plain = is_plain(text)
    edges = [*range(len(text) + 1)] if plain else [0, *accumulate(map(cells_of, drawn))]
    spans = [(max(m.start - dropped, 0), max(m.end - dropped, 1)) for m in line.marks]
    first, last = _window(edges, min((start for start, _ in spans), default=0), width)
    head, tail = "…" if first else "", "…" if last < len(drawn) else ""
    return Strip(
        head + "".join(drawn[first:last]) + tail,
        tuple(_cells(edges, span, (first, last), len(head)) for span in spans),
    )


def _window(edges: list[int], focus: int, width: int) -> tuple[int, int]:
    """The characters to show: from the start if the focus can be seen so, else from before it."""
    count = len(edges) - 1
    if edges[count] <= width:
        return 0, count
    focus = min(focus, count)
    first = 0
    if edges[focus] > width * 2 // 3:
        goal = edges[focus] - width // 4
        first = next(n for n in range(focus + 1) if edges[n] >= goal)
    room = width - 1 - (1 if first else 0)
    last = first
    while last < count and edges[last + 1] - edges[first] <= room:
        last += 1
    return first, last


def _cells(
    edges: list[int], span: tuple[int, int], window: tuple[int, int], head: int
) -> tuple[int, int]:
    start, end = (edges[min(max(n, window[0]), window[1])] - edges[window[0]] for n in span)
    return head + start, max(end - start, 1)


def _whole_width(text: str) -> int:
    return len(text) if is_plain(text) else sum(map(cells_of, cells(text)))
