"""Which layer each box stands in.

Boxes that lead to each other in a circle have no first one: the one that is reached from outside,
else the one that leads to most, starts, and the others follow by their distance from it. Around
such knots, and where there are none, each box stands right of all that lead to it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agentcheck.report.layout.shapes import Arrow


def layers_of(count: int, arrows: Sequence[Arrow]) -> list[int]:
    """The layer of each box, from 0 on the left."""
    following = _following(count, arrows)
    knots = _knots(count, following)
    knot_of = {box: number for number, knot in enumerate(knots) for box in knot}
    inner = _inner_layers(knots, knot_of, following)
    starts = _starts(knots, knot_of, inner, following)
    return [starts[knot_of[box]] + inner[box] for box in range(count)]


def _following(count: int, arrows: Sequence[Arrow]) -> list[list[int]]:
    found: list[dict[int, None]] = [{} for _ in range(count)]
    for arrow in arrows:
        if arrow.source != arrow.target:
            found[arrow.source][arrow.target] = None
    return [list(targets) for targets in found]


def _knots(count: int, following: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected parts, each before those that lead to it (Tarjan, 1972)."""
    search = _Search(following)
    for box in range(count):
        if box not in search.seen:
            search.visit(box)
    return search.knots


class _Search:
    """Tarjan's search with a stack of its own, for graphs deeper than Python's."""

    def __init__(self, following: Sequence[Sequence[int]]) -> None:
        self.following = following
        self.seen: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.open: list[int] = []
        self.is_open: set[int] = set()
        self.knots: list[list[int]] = []

    def visit(self, root: int) -> None:
        """Find the knots that are reached from a box."""
        work = [(root, 0)]
        while work:
            box, done = work.pop()
            if not done:
                self._enter(box)
            targets = self.following[box]
            while done < len(targets) and targets[done] in self.seen:
                if targets[done] in self.is_open:
                    self.low[box] = min(self.low[box], self.low[targets[done]])
                done += 1
            if done < len(targets):
                work += [(box, done), (targets[done], 0)]
            elif self.low[box] == self.seen[box]:
                self._close(box)

    def _enter(self, box: int) -> None:
        if box not in self.seen:
            self.seen[box] = self.low[box] = len(self.seen)
            self.open.append(box)
            self.is_open.add(box)

    def _close(self, box: int) -> None:
        at = self.open.index(box)
        knot, self.open = self.open[at:], self.open[:at]
        self.is_open -= set(knot)
        self.knots.append(sorted(knot))


def _inner_layers(
    knots: Sequence[Sequence[int]],
    knot_of: dict[int, int],
    following: Sequence[Sequence[int]],
) -> list[int]:
    """The layer of each box within its knot: its distance from the knot's first box."""
    entered = {
        target
        for box, targets in enumerate(following)
        for target in targets
        if knot_of[box] != knot_of[target]
    }
    inner = [0] * len(following)
    for number, knot in enumerate(knots):
        if len(knot) > 1:
            for box, distance in _distances(number, knot, knot_of, following, entered):
                inner[box] = distance
    return inner


def _distances(
    number: int,
    knot: Sequence[int],
    knot_of: dict[int, int],
    following: Sequence[Sequence[int]],
    entered: set[int],
) -> list[tuple[int, int]]:
    own = {box: [t for t in following[box] if knot_of[t] == number] for box in knot}
    first = max(knot, key=lambda box: (box in entered, len(own[box]), -box))
    found, queue = {first: 0}, deque([first])
    while queue:
        box = queue.popleft()
        for target in own[box]:
            if target not in found:
                found[target] = found[box] + 1
                queue.append(target)
    return list(found.items())


def _starts(
    knots: Sequence[Sequence[int]],
    knot_of: dict[int, int],
    inner: Sequence[int],
    following: Sequence[Sequence[int]],
) -> list[int]:
    """The first layer of each knot: right of every box that leads to it."""
    starts = [0] * len(knots)
    for number in range(len(knots) - 1, -1, -1):  # those that lead to others come last in the list
        for box in knots[number]:
            for target in following[box]:
                other = knot_of[target]
                if other != number:
                    least = starts[number] + inner[box] + 1 - inner[target]
                    starts[other] = max(starts[other], least)
    return starts
