"""A small line plot as SVG; both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 90, 20, 50


class Line(NamedTuple):
    """A named line through points whose coordinates are above 0."""

    name: str
    color: str
    points: Sequence[tuple[float, float]]


class _Axes:
    """From values to pixels; each axis ends at powers of ten."""

    def __init__(self, lines: Sequence[Line]) -> None:
        every = [point for line in lines for point in line.points]
        self.x = _decades([x for x, _ in every])
        self.y = _decades([y for _, y in every])

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - self.x[0]) / (self.x[-1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[-1] - self.y[0])
        wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        return round(_LEFT + across * wide, 1), round(_HEIGHT - _BOTTOM - up * high, 1)


def plot(lines: Sequence[Line], across: str, up: str) -> str:
    """The plot, with a label on each axis and the name of each line at its end."""
    axes = _Axes(lines)
    parts = [*_grid(axes), *_labels(across, up)]
    for line in lines:
        parts += _drawn(line, axes)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{_WIDTH}" height="{_HEIGHT}" '
        f'fill="#fff"/>\n{body}\n</svg>\n'
    )


def _decades(values: Sequence[float]) -> list[int]:
    low = math.floor(math.log10(min(values)))
    high = math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def _grid(axes: _Axes) -> Iterator[str]:
    for power in axes.x:
        x, bottom = axes.place(10**power, 10 ** axes.y[0])
        yield _rule(x, _TOP, x, bottom)
        yield _text(x, bottom + 18, f"{10**power:,}", "middle")
    for power in axes.y:
        left, y = axes.place(10 ** axes.x[0], 10**power)
        yield _rule(left, y, _WIDTH - _RIGHT, y)
        yield _text(left - 8, y + 4, f"{10**power:g}", "end")


def _labels(across: str, up: str) -> Iterator[str]:
    yield _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, across, "middle")
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    yield (
        f'<text x="18" y="{middle}" text-anchor="middle" '
        f'transform="rotate(-90 18 {middle})">{up}</text>'
    )


def _drawn(line: Line, axes: _Axes) -> Iterator[str]:
    places = [axes.place(x, y) for x, y in line.points]
    path = " ".join(f"{x},{y}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{line.color}" stroke-width="2"/>'
    for (x, y), (_, value) in zip(places, line.points, strict=True):
        yield f'<circle cx="{x}" cy="{y}" r="3.5" fill="{line.color}"/>'
        yield _text(x, y - 9, f"{value:.3g}", "middle")
    yield _text(places[-1][0] + 14, places[-1][1] + 4, line.name, "start", line.color)


def _rule(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str, color: str = "#333") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{text}</text>'
