"""From layers to a drawing: columns, and arrows that pass boxes by."""

from __future__ import annotations

from itertools import pairwise

from agentcheck.report.layout.shapes import Arrow, Curve, Drawing, Path
from agentcheck.report.layout.slots import LANE, Grid

CHANNEL = 64.0  # between two columns, and more where many arrows turn
BULGE, FAN, MOST_FAN = 30.0, 9.0, 12  # arrows within a column: the nearest, then further out
HEAD = 2.0  # what the arrow's head stays away from its box


def routes(grid: Grid) -> Drawing:
    """Corners of the boxes and paths of the arrows; nothing left of 0 or above 0."""
    reach = _reach(grid)
    lefts, rights = _columns(grid, reach)
    count = len(grid.boxes) - sum(map(len, grid.lanes))
    corners = [(lefts[grid.layer[box]], grid.tops[box]) for box in range(count)]
    paths = [
        _path(grid, n, arrow, lefts, rights)
        if n not in reach
        else _beside(grid, arrow, lefts[grid.layer[arrow.source]], rights, reach[n])
        for n, arrow in enumerate(grid.arrows)
    ]
    bottoms = [grid.tops[slot] + box.height for slot, box in enumerate(grid.boxes)]
    edges = [rights[grid.layer[grid.arrows[n].source]] + out for n, out in reach.items()]
    width = max([*rights, *edges], default=0)
    return Drawing(corners, paths, width, max(bottoms, default=0))


def _reach(grid: Grid) -> dict[int, float]:
    """How far out each arrow within a column goes, by its number: the longer the further."""
    found: dict[int, float] = {}
    spans = sorted(
        (abs(grid.tops[a.source] + a.port - grid.tops[a.target]), n)
        for n, a in enumerate(grid.arrows)
        if grid.layer[a.source] == grid.layer[a.target]
    )
    used: dict[int, int] = {}
    for _, number in spans:
        layer = grid.layer[grid.arrows[number].source]
        found[number] = BULGE + FAN * min(used.get(layer, 0), MOST_FAN)
        used[layer] = used.get(layer, 0) + 1
    return found


def _columns(grid: Grid, reach: dict[int, float]) -> tuple[list[float], list[float]]:
    """The left and right edge of each layer."""
    out = [0.0] * len(grid.order)
    for number, far in reach.items():
        layer = grid.layer[grid.arrows[number].source]
        out[layer] = max(out[layer], far)
    lefts, rights, x = [], [], 0.0
    turning = [0] * len(grid.order)
    for link in grid.links:
        turning[grid.layer[link.left]] += 1
    for layer, slots in enumerate(grid.order):
        width = max((grid.boxes[slot].width for slot in slots), default=0)
        lefts.append(x)
        rights.append(x + width)
        x += width + CHANNEL + min(turning[layer], 40) * 2 + out[layer]
    return lefts, rights


def _path(grid: Grid, number: int, arrow: Arrow, lefts: list[float], rights: list[float]) -> Path:
    source, target = grid.boxes[arrow.source], grid.boxes[arrow.target]
    here, there = grid.layer[arrow.source], grid.layer[arrow.target]
    start_y = grid.tops[arrow.source] + arrow.port
    end_y = grid.tops[arrow.target] + target.dock
    forward = there > here
    start = (lefts[here] + (source.width if forward else 0), start_y)
    end = (lefts[there] - HEAD, end_y) if forward else (lefts[there] + target.width + HEAD, end_y)
    stops = [start, (rights[here] if forward else lefts[here], start_y)]
    for lane in grid.lanes[number]:
        y, layer = grid.tops[lane] + LANE.dock, grid.layer[lane]
        ends = [(lefts[layer], y), (rights[layer], y)]
        stops += ends if forward else reversed(ends)
    return _joined([*stops, (end[0] if forward else rights[there] + HEAD, end_y), end])


def _joined(stops: list[tuple[float, float]]) -> Path:
    """Straight through columns, curved between them."""
    pieces = []
    for number, (one, other) in enumerate(pairwise(stops)):
        if number % 2:
            middle = (one[0] + other[0]) / 2
            pieces.append(Curve(other, ((middle, one[1]), (middle, other[1]))))
        elif one != other:
            pieces.append(Curve(other))
    return Path(stops[0], tuple(pieces))


def _beside(grid: Grid, arrow: Arrow, left: float, rights: list[float], out: float) -> Path:
    """To a box of the same column, around on its right and `out` pixels beyond its edge."""
    edge = rights[grid.layer[arrow.source]]
    start = (left + grid.boxes[arrow.source].width, grid.tops[arrow.source] + arrow.port)
    target = grid.boxes[arrow.target]
    end = (left + target.width + HEAD, grid.tops[arrow.target] + target.dock)
    away, back, bend = (edge, start[1]), (edge + HEAD, end[1]), edge + out / 0.75
    pieces = [Curve(away)] if away != start else []
    pieces.append(Curve(back, ((bend, start[1]), (bend, end[1]))))
    pieces += [Curve(end)] if back != end else []
    return Path(start, tuple(pieces))
