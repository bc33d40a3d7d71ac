"""The agent graph as a Mermaid flowchart, as GitHub draws it.

Mermaid refuses more than 500 edges and 50,000 characters (its `maxEdges` and `maxTextSize`), and
a page on GitHub cannot raise them. A larger graph is folded: tools become a number at their agent,
and what still does not fit is left out and counted in a comment.
"""

from __future__ import annotations

import re
from collections import Counter

from msgspec.structs import replace

from agentcheck.model.diagram import GIVEN, Diagram, Edge, EdgeKind, Node, NodeKind
from agentcheck.model.pattern import lazy_re
from agentcheck.report.diagram_words import EDGE_WORDS, counts, facts_of, short_ids, where
from agentcheck.report.escape import clip

MOST_EDGES, MOST_TEXT = 480, 48_000
_LABEL = 120
_SHAPES: dict[NodeKind, tuple[str, str]] = {
    "entry": ("([", "])"),
    "agent": ("[", "]"),
    "group": ("[[", "]]"),
    "loop": ("{{", "}}"),
    "function": ("[/", "\\]"),
    "step": ("(", ")"),
    "end": ("((", "))"),
    "tool": (">", "]"),
    "effect-tool": ("[/", "/]"),
    "handoff-tool": ("[\\", "\\]"),
    "model-call": ("[(", ")]"),
    "approval": ("{", "}"),
    "unresolved": ("[\\", "/]"),
}
_ARROWS: dict[EdgeKind, str] = {
    "runs": "==>",
    "member": "-.-",
    "next": "-->",
    "uses": "---",
    "hands-to": "==>",
    "asks": "-.->",
    "approves": "-.->",
}
_CLASSES: dict[NodeKind, str] = {
    "entry": "fill:#f3f4f6,stroke:#6b7280,color:#111827",
    "agent": "fill:#dbeafe,stroke:#1d4ed8,stroke-width:2px,color:#111827",
    "group": "fill:#ede9fe,stroke:#6d28d9,color:#111827",
    "loop": "fill:#dbeafe,stroke:#1d4ed8,stroke-width:2px,color:#111827",
    "function": "fill:#f3f4f6,stroke:#6b7280,color:#111827",
    "step": "fill:#eef2ff,stroke:#4f46e5,color:#111827",
    "end": "fill:#f3f4f6,stroke:#6b7280,color:#111827",
    "tool": "fill:#ffffff,stroke:#6b7280,color:#111827",
    "effect-tool": "fill:#ffedd5,stroke:#c2410c,stroke-width:2px,color:#111827",
    "handoff-tool": "fill:#dcfce7,stroke:#15803d,color:#111827",
    "model-call": "fill:#f0f9ff,stroke:#0369a1,color:#111827",
    "approval": "fill:#fef9c3,stroke:#a16207,color:#111827",
    "unresolved": "fill:#ffffff,stroke:#6b7280,stroke-dasharray:4 3,color:#111827",
}
# What stands for itself in a label; anything else could be Mermaid's or Markdown's.
_PLAIN = lazy_re(r"[^\W_]|(?<=[^\W_])_(?=[^\W_])|[ ,:/=()]|(?<=[^\W\d])[.-]")


def mermaid(diagram: Diagram) -> str:
    """A flowchart from left to right, folded where Mermaid would refuse it."""
    return flowchart(diagram)[0]


def flowchart(diagram: Diagram, most: int = MOST_TEXT) -> tuple[str, str]:
    """The flowchart within `most` characters, and a sentence on what it leaves out, "" for nothing.

    Never less than its head, which takes 2,000 characters at most.
    """
    text = _flowchart(diagram, ())
    if _fits(diagram, text, most):
        return text, ""
    folded = _folded(diagram)
    left = len(diagram.edges) - len(folded.edges)
    note = f"Too large for Mermaid: tools and model calls are folded ({left} edges)."
    text = _flowchart(folded, (note,))
    return (text, note) if _fits(folded, text, most) else _cut(folded, most)


def _fits(diagram: Diagram, text: str, most: int) -> bool:
    return len(diagram.edges) <= MOST_EDGES and len(text) <= most


def _flowchart(diagram: Diagram, notes: tuple[str, ...]) -> str:
    ids = short_ids(diagram)
    kinds = dict.fromkeys(node.kind for node in diagram.nodes)
    lines = [
        "flowchart LR",
        *(f"  %% {note}" for note in notes),
        f"  accTitle: Agent graph of {_words(diagram.title)[:_LABEL]}",
        f"  accDescr: {counts(diagram)}",
        *(_node(ids[node.id], node) for node in diagram.nodes),
        *(_edge(ids, edge) for edge in diagram.edges),
        *(f"  classDef {_class(kind)} {_CLASSES[kind]}" for kind in kinds),
    ]
    return "\n".join(lines) + "\n"


def _node(name: str, node: Node) -> str:
    before, after = _SHAPES[node.kind]
    parts = [node.label] if node.kind == "end" else [node.label, where(node), *facts_of(node)]
    label = "<br/>".join(_escaped(clip(part, _LABEL)) for part in parts)
    return f'  {name}{before}"{label}"{after}:::{_class(node.kind)}'


def _edge(ids: dict[str, str], edge: Edge) -> str:
    words = EDGE_WORDS[edge.kind] if edge.label is None else clip(edge.label, _LABEL)
    shown = "" if edge.kind in ("uses", "member") else f'|"{_escaped(words)}"|'
    return f"  {ids[edge.source]} {_ARROWS[edge.kind]}{shown} {ids[edge.target]}"


def _class(kind: NodeKind) -> str:
    return {"end": "last"}.get(kind, kind.replace("-", ""))  # `end` is a word of Mermaid's


def _escaped(text: str) -> str:
    """Text as Mermaid's own entities, `#35;` for a number sign, where it is not plain."""
    plain = {match.start() for match in _PLAIN.finditer(text)}
    return "".join(c if n in plain else f"#{ord(c)};" for n, c in enumerate(text))


def _words(text: str) -> str:
    """Text where Mermaid takes no entities: without what is not part of a word."""
    return " ".join(re.findall(r"[\w.-]+", text))


def _folded(diagram: Diagram) -> Diagram:
    """The diagram with a number instead of the tools and model calls of each agent."""
    kinds = {node.id: node.kind for node in diagram.nodes}
    given = Counter(e.source for e in diagram.edges if kinds[e.target] in GIVEN)
    nodes = tuple(
        replace(node, label=f"{node.label} (+ {given[node.id]} tools or calls)")
        if given[node.id]
        else node
        for node in diagram.nodes
        if node.kind not in GIVEN
    )
    kept = {node.id for node in nodes}
    edges = tuple(e for e in diagram.edges if {e.source, e.target} <= kept)
    return replace(diagram, nodes=nodes, edges=edges)


def _cut(diagram: Diagram, most: int) -> tuple[str, str]:
    """The first part that fits, and what is missing."""
    share = 1.0
    while True:
        share *= 0.7
        nodes = diagram.nodes[: int(len(diagram.nodes) * share)]
        kept = {node.id for node in nodes}
        edges = [e for e in diagram.edges if {e.source, e.target} <= kept][:MOST_EDGES]
        part = replace(diagram, nodes=nodes, edges=tuple(edges))
        left = len(diagram.nodes) - len(nodes)
        note = f"Too large for Mermaid: {left} more nodes are left out; json and svg hold all."
        text = _flowchart(part, (note,))
        if _fits(part, text, most) or not nodes:
            return text, note
