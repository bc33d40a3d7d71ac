"""The agent graph as a picture: one self-contained `<svg>`, to stand alone or inside a page.

No scripts and nothing from outside. Colours are CSS variables with values for light and dark, told
by `prefers-color-scheme`; every difference of colour is one of shape or line as well.
"""

from __future__ import annotations

from agentcheck.model.diagram import Diagram
from agentcheck.report.diagram_words import counts
from agentcheck.report.layout import Arrow, Box, Drawing, arrange
from agentcheck.report.scene import Line, Panel, Scene, stage
from agentcheck.report.svg.legend import legend
from agentcheck.report.svg.lines import draw_lines, markers
from agentcheck.report.svg.panels import draw_panel
from agentcheck.report.svg.style import css
from agentcheck.report.svg.write import Sheet, escaped, number
from agentcheck.report.words import plural

MARGIN, TOP, BELOW = 20.0, 64.0, 20.0
LEAST_WIDTH = 640.0


def svg(diagram: Diagram, id_prefix: str = "") -> str:
    """A self-contained `<svg>` element; `id_prefix` keeps its ids and classes apart in a page."""
    prefix = _safe(id_prefix)
    scene = stage(diagram)
    drawing = _arranged(scene)
    sheet = Sheet(prefix)
    key = legend(sheet, scene, drawing.width)
    width = max(drawing.width, key.width, LEAST_WIDTH) + 2 * MARGIN
    height = TOP + drawing.height + BELOW + key.height + MARGIN
    _head(sheet, diagram, width, height)
    with sheet.group(f"translate({number(MARGIN)},{number(TOP)})"):
        draw_lines(sheet, scene.lines, drawing.paths)
        for panel, (x, y) in zip(scene.panels, drawing.corners, strict=True):
            draw_panel(sheet, panel, x, y)
    with sheet.group(f"translate({number(MARGIN)},{number(TOP + drawing.height + BELOW)})"):
        sheet.add(*key.parts)
    sheet.add("</svg>")
    return sheet.text


def _safe(prefix: str) -> str:
    """A prefix that may stand in ids, class names and style sheets."""
    kept = "".join(c for c in prefix if c.isascii() and (c.isalnum() or c in "-_"))
    return kept if not kept or kept[0].isalpha() else f"g{kept}"


def _arranged(scene: Scene) -> Drawing:
    drawing = _arrange(scene)
    if _sort_ways(scene, drawing):
        drawing = _arrange(scene)
    return drawing


def _arrange(scene: Scene) -> Drawing:
    index = {id(panel): n for n, panel in enumerate(scene.panels)}
    boxes = [Box(panel.width, panel.height, panel.dock) for panel in scene.panels]
    return arrange(boxes, [_arrow(line, index) for line in scene.lines])


def _arrow(line: Line, index: dict[int, int]) -> Arrow:
    port = line.source.port(line.row)
    return Arrow(index[id(line.source)], index[id(line.target)], port)


def _sort_ways(scene: Scene, drawing: Drawing) -> bool:
    """Put the rows that arrows leave from in the order of where these lead; True if it changed."""
    tops = {id(p): corner[1] for p, corner in zip(scene.panels, drawing.corners, strict=True)}
    goals = {id(line.row): tops[id(line.target)] for line in scene.lines if line.row is not None}
    changed = [panel for panel in scene.panels if _sort_panel(panel, goals)]
    return bool(changed)


def _sort_panel(panel: Panel, goals: dict[int, float]) -> bool:
    slots = [n for n, row in enumerate(panel.rows) if id(row) in goals and not row.indent]
    if any(panel.rows[n + 1].indent for n in slots if n + 1 < len(panel.rows)):
        return False  # what stands below a row belongs to it
    before = [panel.rows[n] for n in slots]
    after = sorted(before, key=lambda row: goals[id(row)])
    for n, row in zip(slots, after, strict=True):
        panel.rows[n] = row
    return any(one is not other for one, other in zip(before, after, strict=True))


def _head(sheet: Sheet, diagram: Diagram, width: float, height: float) -> None:
    p, size = sheet.prefix, f"{number(width)} {number(height)}"
    title = escaped(f"Agent graph of {diagram.title}")
    wide, high = size.split()
    sheet.add(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{p}graph" viewBox="0 0 {size}" '
        f'width="{wide}" height="{high}" role="graphics-document" '
        f'aria-roledescription="agent graph" aria-labelledby="{p}title {p}desc">',
        f'<title id="{p}title">{title}</title>',
        f'<desc id="{p}desc">{escaped(counts(diagram))}. Boxes are what acts; their rows are '
        "what each is given; arrows lead from left to right unless they return.</desc>",
        f"<style>{css(p)}</style>",
        markers(p),
        f'<rect class="{p}page" width="{wide}" height="{high}"/>',
        f'<text class="{p}h1" x="{number(MARGIN)}" y="28">{title}</text>',
        f'<text class="{p}h2" x="{number(MARGIN)}" y="47">{escaped(_told(diagram))}</text>',
    )


def _told(diagram: Diagram) -> str:
    left = diagram.left_out
    return counts(diagram) + (f" ({plural(left, 'file')} of tests left out)" if left else "")
