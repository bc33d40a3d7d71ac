"""The agent graph in Graphviz's DOT."""

from __future__ import annotations

from agentcheck.model.diagram import Diagram, Edge, EdgeKind, Node, NodeKind
from agentcheck.report.diagram_words import EDGE_WORDS, counts, facts_of, place_of, short_ids, where

_LOOKS: dict[NodeKind, str] = {
    "entry": "shape=oval",
    "agent": 'shape=box, style="rounded,filled,bold", fillcolor="#dbe7fb"',
    "group": 'shape=box3d, style=filled, fillcolor="#e8e4f7"',
    "loop": 'shape=hexagon, style="filled,bold", fillcolor="#dbe7fb"',
    "function": "shape=component",
    "step": 'shape=box, style=filled, fillcolor="#eef2f7"',
    "end": "shape=doublecircle",
    "tool": "shape=plain",
    "effect-tool": 'shape=house, style=filled, fillcolor="#fbe3d3"',
    "handoff-tool": 'shape=cds, style=filled, fillcolor="#e3f3e6"',
    "model-call": "shape=cylinder",
    "approval": 'shape=diamond, style=filled, fillcolor="#fdf3c4"',
    "unresolved": "shape=note, style=dashed",
}
_LINES: dict[EdgeKind, str] = {
    "runs": "style=bold",
    "member": "style=dashed, arrowhead=none",
    "next": "style=solid",
    "uses": "style=solid, arrowhead=open",
    "hands-to": 'style=bold, color="#1f7a3d"',
    "asks": "style=dotted",
    "approves": 'style=dashed, color="#8a6d00"',
}


def dot(diagram: Diagram) -> str:
    """A digraph from left to right; every node and edge, told apart by shape and line."""
    ids = short_ids(diagram)
    lines = [
        "digraph agents {",
        "  rankdir=LR;",
        f"  label={_text(f'{diagram.title}: {counts(diagram)}')};",
        '  node [fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=9];',
        *(_node(ids[node.id], node) for node in diagram.nodes),
        *(_edge(ids, edge) for edge in diagram.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(name: str, node: Node) -> str:
    label = _text(node.label, where(node), *facts_of(node))
    return f"  {name} [{_LOOKS[node.kind]}, label={label}];"


def _edge(ids: dict[str, str], edge: Edge) -> str:
    words = EDGE_WORDS[edge.kind] if edge.label is None else edge.label
    tip = f"{EDGE_WORDS[edge.kind]} ({place_of(edge.file, edge.line, edge.cell)})"
    shown = f"label={_text(words)}, tooltip={_text(tip)}"
    return f"  {ids[edge.source]} -> {ids[edge.target]} [{_LINES[edge.kind]}, {shown}];"


def _text(*lines: str) -> str:
    r"""A quoted string of lines. Graphviz reads `\` escapes and HTML's `&` entities in it."""
    safe = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    return '"' + "\\n".join(safe) + '"'
