"""The order of slots within layers: sweeps that put each at the mean of its neighbours."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

from agentcheck.report.layout.slots import Grid, Link

SWEEPS = 12
FEW_SWEEPS = 3
MANY_LINKS = 1500


def order_layers(grid: Grid) -> None:
    """Reorder the layers so that few arrows cross."""
    between = _by_gap(grid)
    sweeps = SWEEPS if len(grid.links) <= MANY_LINKS else FEW_SWEEPS
    best, fewest = [list(layer) for layer in grid.order], _crossings(grid, between)
    for sweep in range(sweeps):
        if not fewest:
            break
        _sweep(grid, between, forward=sweep % 2 == 0)
        crossings = _crossings(grid, between)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in grid.order], crossings
    grid.order = best


def _by_gap(grid: Grid) -> list[list[Link]]:
    """The links between each layer and the next."""
    found: list[list[Link]] = [[] for _ in grid.order]
    for link in grid.links:
        found[grid.layer[link.left]].append(link)
    return found


def _sweep(grid: Grid, between: Sequence[Sequence[Link]], *, forward: bool) -> None:
    count = len(grid.order)
    for layer in range(1, count) if forward else range(count - 2, -1, -1):
        wishes: dict[int, list[float]] = {}
        place = _places(grid, layer - 1 if forward else layer + 1)
        for link in between[layer - 1 if forward else layer]:
            here, there = (link.right, link.left) if forward else (link.left, link.right)
            port = link.left_port if forward else link.right_port
            wishes.setdefault(here, []).append(place[there] + port / 10_000)
        own = _places(grid, layer)
        # What has no neighbour there keeps its place among the others.
        grid.order[layer].sort(key=lambda slot: (_mean(wishes.get(slot, [own[slot]])), own[slot]))


def _places(grid: Grid, layer: int) -> dict[int, int]:
    return {slot: number for number, slot in enumerate(grid.order[layer])}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _crossings(grid: Grid, between: Sequence[Sequence[Link]]) -> int:
    total = 0
    for layer in range(len(grid.order) - 1):
        left, right = _places(grid, layer), _places(grid, layer + 1)
        ends = sorted(
            ((left[k.left], k.left_port), (right[k.right], k.right_port)) for k in between[layer]
        )
        passed: list[tuple[int, float]] = []
        for _, end in ends:
            total += len(passed) - bisect_right(passed, end)
            insort(passed, end)
    return total
