"""The agent graph in four formats, each with an escape of its own for text from the target."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import msgspec

from agentcheck.model.diagram import Diagram, Edge, Node
from agentcheck.report.escape import one_line, well_formed
from agentcheck.report.mask import mask_secrets

FORMATS: tuple[str, ...] = ("mermaid", "dot", "json", "svg")


def render_diagram(diagram: Diagram, form: str) -> str:
    """The diagram in one of FORMATS, ending in a line end, with secrets masked.

    The same diagram always gives the same text, and it can be encoded as UTF-8. Raises ValueError
    for an unknown form.
    """
    if form not in FORMATS:
        raise ValueError(f"no graph format {form!r}: choose one of {', '.join(FORMATS)}")
    module = importlib.import_module(f"agentcheck.report.diagram_{form}")
    renderer: Callable[[Diagram], str] = getattr(module, form)
    text = renderer(prepared(diagram))
    return text if text.endswith("\n") else f"{text}\n"


def prepared(diagram: Diagram) -> Diagram:
    """The diagram with every text on one line, encodable and without secrets."""
    return msgspec.structs.replace(
        diagram,
        title=_clean(diagram.title),
        nodes=tuple(map(_clean_node, diagram.nodes)),
        edges=tuple(map(_clean_edge, diagram.edges)),
    )


def _clean_node(node: Node) -> Node:
    return msgspec.structs.replace(
        node,
        id=well_formed(node.id),
        label=_clean(node.label),
        file=well_formed(node.file),
        detail={key: _clean(value) for key, value in node.detail.items()},
    )


def _clean_edge(edge: Edge) -> Edge:
    return msgspec.structs.replace(
        edge,
        source=well_formed(edge.source),
        target=well_formed(edge.target),
        file=well_formed(edge.file),
        label=None if edge.label is None else _clean(edge.label),
    )


def _clean(text: str) -> str:
    return mask_secrets(one_line(well_formed(text)))
