"""The words and names that several formats of the agent graph share."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.model.diagram import Diagram, EdgeKind, Node, NodeKind
from agentcheck.report.escape import visible

NODE_WORDS: dict[NodeKind, str] = {
    "entry": "entry",
    "agent": "agent",
    "group": "group",
    "loop": "agent loop",
    "function": "function that asks a model",
    "step": "step",
    "end": "end",
    "tool": "tool",
    "effect-tool": "tool that changes the world",
    "handoff-tool": "tool that hands over",
    "model-call": "model call",
    "approval": "approval",
    "unresolved": "not found in the code",
}
EDGE_WORDS: dict[EdgeKind, str] = {
    "runs": "runs",
    "member": "holds",
    "next": "then",
    "uses": "uses",
    "hands-to": "hands to",
    "asks": "asks",
    "approves": "stands before",
}


def place_of(file: str, line: int, cell: int | None) -> str:
    """Where something stands, as "file:line" or "file, cell 2, line 3"."""
    shown = visible(file)
    return f"{shown}:{line}" if cell is None else f"{shown}, cell {cell}, line {line}"


def where(node: Node) -> str:
    """Where a node stands."""
    return place_of(node.file, node.line, node.cell)


def short_ids(diagram: Diagram) -> dict[str, str]:
    """A plain name for each node: n1, n2, ... in the diagram's order."""
    return {node.id: f"n{number}" for number, node in enumerate(diagram.nodes, 1)}


def facts_of(node: Node) -> Iterator[str]:
    """What is worth reading beside a node's name."""
    for key, word in (("model", "model"), ("limit", "limit"), ("approval", "approval")):
        if node.detail.get(key) and not (key == "model" and node.kind == "model-call"):
            yield f"{word}: {node.detail[key]}"
    if "parallel" in node.detail:
        yield f"parallel tool calls: {node.detail['parallel']}"


def counts(diagram: Diagram) -> str:
    """How much there is of what matters, in one line."""
    kinds = [node.kind for node in diagram.nodes]
    hands = sum(edge.kind == "hands-to" for edge in diagram.edges)
    acting = kinds.count("effect-tool")
    tools = kinds.count("tool") + acting
    parts = [
        _many(kinds.count("agent"), "agent"),
        _many(kinds.count("loop"), "agent loop"),
        _many(kinds.count("group"), "group"),
        _many(tools, "tool") + (f" ({acting} changing the world)" if acting else ""),
        _many(hands, "handoff"),
        _many(kinds.count("model-call"), "model call"),
        f"{kinds.count('unresolved')} not found in the code",
    ]
    return ", ".join(part for part in parts if not part.startswith("0 ")) or "nothing found"


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
