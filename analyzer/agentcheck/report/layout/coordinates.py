"""The height at which each slot stands.

Within a layer the wishes of slots (to stand where their arrows would run straight) are met as well
as their order and sizes allow, in the sense of least squares: isotonic regression by pooling
neighbours that would overlap.
"""

from __future__ import annotations

from agentcheck.report.layout.slots import LANE, Grid

GAP = 22  # between two boxes
LANE_GAP = 6  # beside an arrow that passes
PASSES = 8


def set_heights(grid: Grid) -> None:
    """Give every slot of the grid its top, none above 0."""
    for layer in grid.order:
        _stack(grid, layer)
    around = _neighbours(grid)
    for turn in range(PASSES):
        last = turn >= PASSES - 2
        layers = grid.order if turn % 2 == 0 else list(reversed(grid.order))
        for layer in layers:
            _settle(grid, layer, around, None if last else turn % 2)
    lowest = min(grid.tops, default=0.0)
    grid.tops = [round(top - lowest, 1) for top in grid.tops]


def gap(grid: Grid, above: int, below: int) -> float:
    """The room between two slots of a layer."""
    lane = grid.boxes[above] is LANE or grid.boxes[below] is LANE
    return LANE_GAP if lane else GAP


def _stack(grid: Grid, layer: list[int]) -> None:
    top, before = 0.0, None
    for slot in layer:
        top += gap(grid, before, slot) if before is not None else 0
        grid.tops[slot] = top
        top, before = top + grid.boxes[slot].height, slot


# For each slot, on its left and on its right: the neighbour, its port there, the own port.
_Around = list[tuple[list[tuple[int, float, float]], list[tuple[int, float, float]]]]


def _neighbours(grid: Grid) -> _Around:
    found: _Around = [([], []) for _ in grid.boxes]
    for link in grid.links:
        found[link.left][1].append((link.right, link.right_port, link.left_port))
        found[link.right][0].append((link.left, link.left_port, link.right_port))
    return found


def _settle(grid: Grid, layer: list[int], around: _Around, side: int | None) -> None:
    """Move a layer towards its left (0) or right (1) neighbours, or towards both."""
    offsets, offset, before = [], 0.0, None
    for slot in layer:
        if before is not None:
            offset += grid.boxes[before].height + gap(grid, before, slot)
        offsets.append(offset)
        before = slot
    wishes = [
        _wish(grid, slot, around[slot], side) - offset
        for slot, offset in zip(layer, offsets, strict=True)
    ]
    for slot, level, offset in zip(layer, _rising(wishes), offsets, strict=True):
        grid.tops[slot] = level + offset


def _wish(
    grid: Grid,
    slot: int,
    sides: tuple[list[tuple[int, float, float]], list[tuple[int, float, float]]],
    side: int | None,
) -> float:
    near = sides[0] + sides[1] if side is None else sides[side]
    if not near:
        return grid.tops[slot]
    return sum(grid.tops[other] + theirs - own for other, theirs, own in near) / len(near)


def _rising(wishes: list[float]) -> list[float]:
    """The non-decreasing numbers that are nearest to the wishes."""
    blocks: list[tuple[float, int]] = []  # sum and count
    for wish in wishes:
        total, count = wish, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            more, many = blocks.pop()
            total, count = total + more, count + many
        blocks.append((total, count))
    return [total / count for total, count in blocks for _ in range(count)]
