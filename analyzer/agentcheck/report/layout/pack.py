"""Parts of a graph that nothing joins, side by side and below each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from agentcheck.report.layout.shapes import Arrow, Curve, Drawing, Path

ROOM = 36.0  # between two parts


def parts(count: int, arrows: Sequence[Arrow]) -> list[list[int]]:
    """The boxes of each part; parts with arrows first, then by their first box."""
    parent = list(range(count))

    def top(box: int) -> int:
        while parent[box] != box:
            parent[box] = parent[parent[box]]
            box = parent[box]
        return box

    for arrow in arrows:
        one, other = sorted((top(arrow.source), top(arrow.target)))
        parent[other] = one
    found: dict[int, list[int]] = {}
    for box in range(count):
        found.setdefault(top(box), []).append(box)
    return sorted(found.values(), key=lambda members: (len(members) == 1, members[0]))


def pack(
    boxes: int,
    arrows: int,
    drawn: Sequence[tuple[list[int], list[int], Drawing]],
    width: float,
) -> Drawing:
    """One drawing of all parts, in rows no wider than the given width or the widest part."""
    area = sum((d.width + ROOM) * (d.height + ROOM) for _, _, d in drawn)
    limit = max([width, 1.5 * sqrt(area), *(d.width for _, _, d in drawn)])
    corners = [(0.0, 0.0)] * boxes
    paths = [Path((0.0, 0.0), ())] * arrows
    x = y = height = widest = 0.0
    for members, own, drawing in drawn:
        if x and x + drawing.width > limit:
            x, y, height = 0.0, y + height + ROOM, 0.0
        for member, (left, above) in zip(members, drawing.corners, strict=True):
            corners[member] = (left + x, above + y)
        for arrow, path in zip(own, drawing.paths, strict=True):
            paths[arrow] = _moved(path, x, y)
        widest = max(widest, x + drawing.width)
        x, height = x + drawing.width + ROOM, max(height, drawing.height)
    return Drawing(corners, paths, widest, y + height)


def _moved(path: Path, x: float, y: float) -> Path:
    def by(point: tuple[float, float]) -> tuple[float, float]:
        return (point[0] + x, point[1] + y)

    pieces = [
        Curve(by(c.end), (by(c.bend[0]), by(c.bend[1])) if c.bend is not None else None)
        for c in path.pieces
    ]
    return Path(by(path.start), tuple(pieces))
