"""The small signs before rows, told apart by shape: each about twelve pixels wide."""

from __future__ import annotations

from agentcheck.report.scene.parts import RowKind
from agentcheck.report.svg.write import number

_SIGNS: dict[RowKind, str] = {
    "tool": '<circle r="3.6"/>',
    "effect-tool": '<path d="M0,-5.2L5.6,4.4H-5.6Z M0,-1.6V1.4 M0,3v.1"/>',
    "handoff-tool": '<path d="M-5.5,0H5 M1.4,-3.8L5.2,0L1.4,3.8"/>',
    "model-call": '<path d="M0,-5.2L5.2,0L0,5.2L-5.2,0Z"/>',
    "approval": '<path d="M-4.6,-4.8H4.6V0.6C4.6,3.4 2,4.8 0,5.6C-2,4.8 -4.6,3.4 -4.6,0.6Z'
    ' M-2,-0.2L-0.4,1.6L2.4,-2"/>',
    "unresolved": '<circle r="4.8" stroke-dasharray="2 2"/>'
    '<path d="M-1.5,-1.2C-1.5,-3 1.6,-3 1.6,-1.2C1.6,0 0,0 0,1.2 M0,2.9v.1"/>',
    "branch": '<path d="M-5.5,0H-1L4.6,-3.6 M-1,0L4.6,3.6"/>',
    "runs": '<path d="M-3.4,-4.4L4.4,0L-3.4,4.4Z"/>',
    "more": '<path d="M-4,0v.1 M0,0v.1 M4,0v.1" stroke-width="2.4"/>',
}


def glyph(prefix: str, kind: RowKind, x: float, y: float) -> str:
    """The sign of a kind of row, its middle at a point."""
    at = f"translate({number(x)},{number(y)})"
    return f'<g class="{prefix}g {prefix}g-{kind}" transform="{at}">{_SIGNS[kind]}</g>'
