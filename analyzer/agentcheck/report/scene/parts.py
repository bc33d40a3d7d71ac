"""What a picture is made of."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from agentcheck.model.diagram import EdgeKind, Node
from agentcheck.report.scene.measure import width_of

RowKind: TypeAlias = Literal[
    "tool",
    "effect-tool",
    "handoff-tool",
    "model-call",
    "approval",
    "unresolved",
    "branch",
    "runs",
    "more",
]

HEAD, TITLE, SUB, ROW, FOOT = 9.0, 18.0, 15.0, 19.0, 7.0  # heights of a box's parts
SIDE, GLYPH, INDENT, NOTE_ROOM = 12.0, 20.0, 16.0, 14.0  # widths
TITLE_SIZE, SUB_SIZE, ROW_SIZE = 13.0, 10.5, 12.0
LEAST, ROUND = 96.0, 46.0


class Row(Struct):
    """One line of a box. `node` is what it stands for; `says` is read out and shown on hover."""

    kind: RowKind
    text: str
    says: str
    node: Node | None = None
    note: str = ""
    indent: int = 0

    @property
    def width(self) -> float:
        """The room that it needs."""
        text = width_of(self.text, ROW_SIZE, bold=self.kind == "effect-tool")
        room = SIDE * 2 + GLYPH + INDENT * self.indent + text
        return room + (NOTE_ROOM + width_of(self.note, SUB_SIZE) if self.note else 0)


class Panel(Struct):
    """A box: a node with its title, small lines below it, and rows."""

    node: Node | None
    title: str
    subs: list[str]
    says: str
    rows: list[Row] = field(default_factory=list)

    @property
    def is_round(self) -> bool:
        """Whether it is drawn as a small circle: where a state graph ends."""
        return self.node is not None and self.node.kind == "end"

    @property
    def width(self) -> float:
        """Wide enough for its longest text."""
        if self.is_round:
            return ROUND
        texts = [width_of(self.title, TITLE_SIZE, bold=True) + SIDE * 2 + GLYPH]
        texts += [width_of(sub, SUB_SIZE) + SIDE * 2 for sub in self.subs]
        return round(max([LEAST, *texts, *(row.width for row in self.rows)]) + 4, 1)

    @property
    def head(self) -> float:
        """The height of what stands above the rows."""
        return ROUND if self.is_round else HEAD + TITLE + SUB * len(self.subs) + FOOT

    @property
    def height(self) -> float:
        """High enough for all rows."""
        return self.head + (ROW * len(self.rows) + FOOT if self.rows else 0)

    @property
    def dock(self) -> float:
        """How far below its top arrows reach it."""
        return ROUND / 2 if self.is_round else HEAD + TITLE / 2

    def port(self, row: Row | None) -> float:
        """How far below its top an arrow leaves it: at a row, else at its title."""
        if row is None:
            return self.dock
        number = next(n for n, own in enumerate(self.rows) if own is row)
        return self.head + ROW * (number + 0.5)


class Line(Struct):
    """An arrow from a row of a box, or the box itself, to another box."""

    source: Panel
    row: Row | None
    target: Panel
    kind: EdgeKind
    says: str


class Scene(Struct):
    """All boxes and arrows, in the diagram's order."""

    panels: list[Panel] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
