"""Layered drawing of boxes and arrows, left to right, after Sugiyama, Tagawa and Toda (1981).

Layers, then the order within each layer by barycentres, then heights by least squares under the
wish that arrows run straight. Sizes and positions are pixels; the same input gives the same output.
Time is bounded: sweeps are few, and fewer for large graphs.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.report.layout.coordinates import set_heights
from agentcheck.report.layout.crossing import order_layers
from agentcheck.report.layout.layers import layers_of
from agentcheck.report.layout.pack import pack, parts
from agentcheck.report.layout.routes import routes
from agentcheck.report.layout.shapes import Arrow, Box, Drawing
from agentcheck.report.layout.slots import Grid

__all__ = ["Arrow", "Box", "Drawing", "arrange"]


def arrange(boxes: Sequence[Box], arrows: Sequence[Arrow], width: float = 1200) -> Drawing:
    """Place every box and draw every arrow; parts that nothing joins stand beside each other.

    Arrows name boxes by index. `width` is what the whole is fitted into, if its parts allow.
    """
    drawn = [
        (members, _arrange_one([boxes[m] for m in members], _inside(members, arrows)))
        for members in parts(len(boxes), arrows)
    ]
    return pack(len(boxes), len(arrows), _with_arrows(drawn, arrows), width)


def _arrange_one(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Drawing:
    layers = layers_of(len(boxes), arrows)
    grid = Grid(boxes, arrows, layers)
    order_layers(grid)
    set_heights(grid)
    return routes(grid)


def _inside(members: Sequence[int], arrows: Sequence[Arrow]) -> list[Arrow]:
    """The arrows of one part, by the indices of boxes within it."""
    index = {member: number for number, member in enumerate(members)}
    return [
        arrow._replace(source=index[arrow.source], target=index[arrow.target])
        for arrow in arrows
        if arrow.source in index
    ]


def _with_arrows(
    drawn: Sequence[tuple[list[int], Drawing]], arrows: Sequence[Arrow]
) -> list[tuple[list[int], list[int], Drawing]]:
    """Each part with the indices of its boxes and of its arrows."""
    owner = {member: number for number, (members, _) in enumerate(drawn) for member in members}
    own: list[list[int]] = [[] for _ in drawn]
    for number, arrow in enumerate(arrows):
        own[owner[arrow.source]].append(number)
    return [(members, own[n], drawing) for n, (members, drawing) in enumerate(drawn)]
