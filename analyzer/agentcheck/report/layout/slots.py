"""A graph in layers: boxes and, where arrows pass a layer by, the room that they need in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agentcheck.report.layout.shapes import Arrow, Box

LANE = Box(0, 10, 5)  # the room for an arrow that passes through a layer


class Link:
    """A piece of an arrow between slots of neighbouring layers, by their indices."""

    __slots__ = ("left", "left_port", "right", "right_port")

    def __init__(self, left: int, left_port: float, right: int, right_port: float) -> None:
        self.left, self.left_port = left, left_port
        self.right, self.right_port = right, right_port


class Grid:
    """Slots in layers. The first are the boxes, in their order; lanes follow.

    `order` holds the slots of each layer from top to bottom, `tops` the height of each slot,
    `lanes` for each arrow the slots that it passes between its boxes, from the source on.
    """

    def __init__(
        self, boxes: Sequence[Box], arrows: Sequence[Arrow], layers: Sequence[int]
    ) -> None:
        self.boxes = list(boxes)
        self.arrows = list(arrows)
        self.layer = list(layers)
        self.order: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
        for slot, layer in enumerate(layers):
            self.order[layer].append(slot)
        self.lanes: list[list[int]] = []
        self.links: list[Link] = []
        for arrow in arrows:
            self.lanes.append(self._thread(arrow))
        self.tops = [0.0] * len(self.boxes)

    def _thread(self, arrow: Arrow) -> list[int]:
        start, end = self.layer[arrow.source], self.layer[arrow.target]
        step = 1 if end >= start else -1
        lanes = [self._lane(layer) for layer in range(start + step, end, step)]
        stops = [
            (arrow.source, arrow.port),
            *((lane, LANE.dock) for lane in lanes),
            (arrow.target, self.boxes[arrow.target].dock),
        ]
        if start != end:
            for (one, port), (other, dock) in pairwise(stops):
                pair = (one, port, other, dock) if step > 0 else (other, dock, one, port)
                self.links.append(Link(*pair))
        return lanes

    def _lane(self, layer: int) -> int:
        slot = len(self.boxes)
        self.boxes.append(LANE)
        self.layer.append(layer)
        self.order[layer].append(slot)
        return slot
