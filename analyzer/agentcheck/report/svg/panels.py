"""Boxes: an outline that tells the kind, a title, small lines and rows."""

from __future__ import annotations

from agentcheck.report.scene.parts import (
    FOOT,
    GLYPH,
    HEAD,
    INDENT,
    ROUND,
    ROW,
    SIDE,
    SUB,
    TITLE,
    Panel,
    Row,
)
from agentcheck.report.svg.glyphs import glyph
from agentcheck.report.svg.write import Sheet, escaped, number

CUT = 9.0  # of a loop's corners


def draw_panel(sheet: Sheet, panel: Panel, x: float, y: float) -> None:
    """One box with its upper left corner at a point."""
    p = sheet.prefix
    kind = panel.node.kind if panel.node is not None else "loose"
    says = escaped(panel.says)
    sheet.add(
        f'<g class="{p}node {p}{kind}" transform="translate({number(x)},{number(y)})" '
        f'tabindex="0" role="graphics-symbol" aria-label="{says}">',
        f"<title>{says}</title>",
        *_outline(p, kind, panel),
    )
    _head(sheet, panel)
    for count, row in enumerate(panel.rows):
        _row(sheet, panel, row, panel.head + ROW * count)
    sheet.add("</g>")


def _outline(p: str, kind: str, panel: Panel) -> list[str]:
    w, h, head = panel.width, panel.height, panel.head
    if panel.is_round:
        r = ROUND / 2
        return [
            f'<circle class="{p}body" cx="{r:g}" cy="{r:g}" r="{r - 1:g}"/>',
            f'<circle class="{p}outer {p}bars" cx="{r:g}" cy="{r:g}" r="{r - 5:g}"/>',
        ]
    shape = _shape(kind, w, h)
    band = _shape(kind, w, head) if not panel.rows else _top(kind, w, head)
    parts = [
        f'<path class="{p}band" d="{band}"/>',
        f'<path class="{p}body" fill-opacity="0" d="{shape}"/>',
    ]
    back = f'<path class="{p}body" d="{shape}"/>'
    if kind == "group":
        frame = f'd="{_rounded(-4, -4, w + 8, h + 8, 6)}"'
        parts.append(f'<path class="{p}outer" {frame}/>')
    if kind == "function":
        bars = f"M5,0V{number(h)}M{number(w - 5)},0V{number(h)}"
        parts.append(f'<path class="{p}bars" d="{bars}"/>')
    return [back, *parts]


def _shape(kind: str, w: float, h: float) -> str:
    if kind == "loop":
        a, b = number(w - CUT), number(h - CUT)
        w_, h_ = number(w), number(h)
        return f"M{CUT:g},0H{a}L{w_},{CUT:g}V{b}L{a},{h_}H{CUT:g}L0,{b}V{CUT:g}Z"
    return _rounded(0, 0, w, h, _radius(kind, h))


def _radius(kind: str, h: float) -> float:
    return {"entry": min(h / 2, 20.0), "agent": 8.0}.get(kind, 2.0)


def _top(kind: str, w: float, h: float) -> str:
    """The upper part of an outline, cut off straight."""
    w_, h_ = number(w), number(h)
    if kind == "loop":
        return f"M{CUT:g},0H{number(w - CUT)}L{w_},{CUT:g}V{h_}H0V{CUT:g}Z"
    r = _radius(kind, h)
    arc = f"A{r:g},{r:g} 0 0 1 "
    return f"M{r:g},0H{number(w - r)}{arc}{w_},{r:g}V{h_}H0V{r:g}{arc}{r:g},0Z"


def _rounded(x: float, y: float, w: float, h: float, r: float) -> str:
    a, b = number(w - 2 * r), number(h - 2 * r)
    arc = f"a{r:g},{r:g} 0 0 1 "
    return (
        f"M{number(x + r)},{number(y)}h{a}{arc}{r:g},{r:g}v{b}{arc}{-r:g},{r:g}"
        f"h-{a}{arc}{-r:g},{-r:g}v-{b}{arc}{r:g},{-r:g}z"
    )


def _head(sheet: Sheet, panel: Panel) -> None:
    p = sheet.prefix
    if panel.is_round:
        middle = f'x="{ROUND / 2:g}" y="{ROUND / 2 + 4:g}" text-anchor="middle"'
        sheet.add(f'<text class="{p}sub" {middle}>{escaped(panel.title)}</text>')
        return
    sheet.add(
        f'<text class="{p}title" x="{SIDE:g}" y="{HEAD + TITLE - 5:g}">'
        f"{escaped(panel.title)}</text>"
    )
    for count, sub in enumerate(panel.subs):
        y = HEAD + TITLE + SUB * (count + 1) - 4
        sheet.add(f'<text class="{p}sub" x="{SIDE:g}" y="{y:g}">{escaped(sub)}</text>')


def _row(sheet: Sheet, panel: Panel, row: Row, top: float) -> None:
    p, x = sheet.prefix, SIDE + INDENT * row.indent
    base = number(top + ROW / 2 + 4 + FOOT / 4)
    sheet.add(
        f"<g><title>{escaped(row.says)}</title>",
        glyph(p, row.kind, x + GLYPH / 2 - 4, top + ROW / 2 + FOOT / 4),
        f'<text class="{p}row {p}r-{row.kind}" x="{number(x + GLYPH)}" y="{base}">'
        f"{escaped(row.text)}</text>",
    )
    if row.note:
        sheet.add(
            f'<text class="{p}note" x="{number(panel.width - SIDE)}" y="{base}" '
            f'text-anchor="end">{escaped(row.note)}</text>'
        )
    sheet.add("</g>")
