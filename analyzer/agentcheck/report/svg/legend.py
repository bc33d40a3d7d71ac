"""What the signs and lines mean: only those that the picture has."""

from __future__ import annotations

from msgspec import Struct, field

from agentcheck.model.diagram import EdgeKind
from agentcheck.report.scene import RowKind, Scene
from agentcheck.report.scene.measure import width_of
from agentcheck.report.svg.glyphs import glyph
from agentcheck.report.svg.lines import HEADED
from agentcheck.report.svg.write import Sheet, escaped, number

_ROWS: dict[RowKind, str] = {
    "tool": "tool",
    "effect-tool": "tool that changes the world",
    "handoff-tool": "hands over",
    "model-call": "asks a model",
    "approval": "approval before it acts",
    "unresolved": "not found in the code",
    "branch": "taken on this answer",
    "runs": "runs another state graph",
    "more": "more tools, folded",
}
_LINES: dict[EdgeKind, str] = {
    "runs": "runs",
    "hands-to": "hands over to",
    "next": "then",
    "member": "holds",
}
_LINE, _GAP, _SIZE = 22.0, 26.0, 11.0


class Legend(Struct):
    """The parts of a legend and the room that they take."""

    parts: list[str] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def legend(sheet: Sheet, scene: Scene, width: float) -> Legend:
    """Signs and lines with a word for each, in rows of at most the given width or 600 pixels."""
    rows = {row.kind for panel in scene.panels for row in panel.rows}
    lines = {line.kind for line in scene.lines}
    items = [
        (_sign(sheet.prefix, kind), 18.0, word) for kind, word in _ROWS.items() if kind in rows
    ]
    items += [
        (_stroke(sheet.prefix, kind), 44.0, word) for kind, word in _LINES.items() if kind in lines
    ]
    made, x, y = Legend(), 0.0, _LINE / 2
    for drawn, room, word in items:
        need = room + width_of(word, _SIZE)
        if x and x + need > max(width, 600.0):
            x, y = 0.0, y + _LINE
        made.parts.append(
            f'<g transform="translate({number(x)},{number(y)})">{drawn}'
            f'<text class="{sheet.prefix}note" x="{room:g}" y="4">{escaped(word)}</text></g>'
        )
        made.width = max(made.width, x + need)
        x += need + _GAP
    made.height = y + _LINE / 2 if items else 0.0
    return made


def _sign(p: str, kind: RowKind) -> str:
    return glyph(p, kind, 7, 0)


def _stroke(p: str, kind: EdgeKind) -> str:
    head = f' marker-end="url(#{p}head-{kind})"' if kind in HEADED else ""
    return f'<path class="{p}edge {p}e-{kind}" d="M0,0H36"{head}/>'
