"""Arrows between boxes."""

from __future__ import annotations

from collections.abc import Sequence

from agentcheck.report.layout.shapes import Curve, Path
from agentcheck.report.scene import Line
from agentcheck.report.svg.write import Sheet, escaped, number

HEADED = ("runs", "next", "uses", "hands-to", "asks", "approves")


def markers(p: str) -> str:
    """One arrow head for each kind of line, in its colour."""
    heads = "".join(
        f'<marker id="{p}head-{kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
        f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path class="{p}m {p}m-{kind}" d="M0,0.8L10,5L0,9.2Z"/></marker>'
        for kind in HEADED
    )
    return f"<defs>{heads}</defs>"


def draw_lines(sheet: Sheet, lines: Sequence[Line], paths: Sequence[Path]) -> None:
    """Every arrow, below the boxes."""
    p = sheet.prefix
    for line, path in zip(lines, paths, strict=True):
        head = f' marker-end="url(#{p}head-{line.kind})"' if line.kind in HEADED else ""
        sheet.add(
            f'<path class="{p}edge {p}e-{line.kind}" d="{_d(path)}"{head}>'
            f"<title>{escaped(line.says)}</title></path>"
        )


def _d(path: Path) -> str:
    return f"M{_point(path.start)}" + "".join(map(_piece, path.pieces))


def _piece(piece: Curve) -> str:
    if piece.bend is None:
        return f"L{_point(piece.end)}"
    return f"C{_point(piece.bend[0])} {_point(piece.bend[1])} {_point(piece.end)}"


def _point(point: tuple[float, float]) -> str:
    return f"{number(point[0])},{number(point[1])}"
