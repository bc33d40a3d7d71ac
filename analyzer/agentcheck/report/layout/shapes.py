"""What is laid out, and what comes of it."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle; arrows reach it at `dock` below its top."""

    width: float
    height: float
    dock: float


class Arrow(NamedTuple):
    """From `port` below the top of one box to the dock of another."""

    source: int
    target: int
    port: float


class Curve(NamedTuple):
    """One piece of an arrow: a straight line where `bend` is None, else a cubic curve.

    `bend` holds the two control points.
    """

    end: tuple[float, float]
    bend: tuple[tuple[float, float], tuple[float, float]] | None = None


class Path(NamedTuple):
    """An arrow as drawn."""

    start: tuple[float, float]
    pieces: tuple[Curve, ...]


class Drawing(NamedTuple):
    """Top left corners of the boxes, and the arrows, in the order in which both were given."""

    corners: list[tuple[float, float]]
    paths: list[Path]
    width: float
    height: float
