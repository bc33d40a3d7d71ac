"""A diagram while it is being drawn: nodes by what they stand for, edges once each."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.handles import Fn
from agentcheck.graph.toolset import Tool
from agentcheck.model.diagram import Diagram, Edge, EdgeKind, Node, NodeKind
from agentcheck.model.expr import Expr
from agentcheck.model.kind import code_kind
from agentcheck.model.location import Place, Span

# How far callers are followed upwards, and how many of them.
LEVELS, MANY = 8, 200


class Sketch:
    """Nodes and edges so far. `hosts` maps functions to the nodes that their code belongs to."""

    def __init__(self, graph: AgentGraph, *, tests: bool, aside: Collection[str]) -> None:
        self.graph = graph
        self.tests = tests
        self._left_out = set(aside)
        self.hosts: dict[Fn, str] = {}
        self._ids: dict[Hashable, str] = {}
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str, str, str | None], Edge] = {}
        self._places: dict[str, Place] = {}

    def shows(self, place: Place) -> bool:
        """Whether what stands at a place is drawn; a file where it is not is counted."""
        if self.tests or code_kind(place.file) != "test":
            return True
        self._left_out.add(place.file)
        return False

    def find(self, key: Hashable) -> str | None:
        """The id of the node for a thing, if it was drawn."""
        return self._ids.get(key)

    def alias(self, key: Hashable, node: str) -> None:
        """Let another thing be shown by a node that is there."""
        self._ids.setdefault(key, node)

    def node(
        self,
        key: Hashable,
        kind: NodeKind,
        label: str,
        place: Place,
        *,
        framework: str | None = None,
        detail: dict[str, str] | None = None,
    ) -> str:
        """The id of the node for a thing, drawn now if it was not."""
        if key in self._ids:
            return self._ids[key]
        name = self._new_id(kind, place)
        self._ids[key] = name
        self._places[name] = place
        self._nodes[name] = Node(
            id=name,
            kind=kind,
            label=label or "(no name)",
            file=place.file,
            line=place.span.line,
            cell=place.cell,
            framework=framework,
            detail=dict(detail or {}),
        )
        return name

    def tell(self, name: str, key: str, value: str) -> None:
        """Say more of a node that is there."""
        self._nodes[name].detail.setdefault(key, value)

    def _new_id(self, kind: NodeKind, place: Place) -> str:
        cell = f"cell {place.cell}:" if place.cell is not None else ""
        base = f"{kind}:{place.file}:{cell}{place.span.line}"
        name, number = base, 1
        while name in self._nodes:
            number += 1
            name = f"{base}#{number}"
        return name

    def edge(
        self, source: str, target: str, kind: EdgeKind, place: Place, label: str | None = None
    ) -> None:
        """Draw an edge; a second one of the same kind and label changes nothing."""
        made = Edge(
            source=source,
            target=target,
            kind=kind,
            file=place.file,
            line=place.span.line,
            cell=place.cell,
            label=label,
        )
        self._edges.setdefault((source, target, kind, label), made)

    def unresolved(self, source: str, kind: EdgeKind, place: Place, label: str) -> None:
        """Show that something has a relation to what no definition was found for."""
        target = self.node(("unresolved", source, place), "unresolved", label, place)
        self.edge(source, target, kind, place)

    def host(self, fn: Fn) -> str | None:
        """The node that the code of a function belongs to: its own or that of one around it."""
        if fn in self.hosts or not fn.index:
            return self.hosts.get(fn)
        around = self.graph.program.parent(fn)
        # What a file defines at its top is not part of what the file itself does.
        return self.host(around) if around is not None and around.index else None

    def above(self, fn: Fn) -> tuple[list[tuple[str, Place]], list[tuple[Fn, Place]]]:
        """The nodes whose code calls a function, however far below, and the callers at the top.

        Both come with the call that leads down from them. Callers are not followed past one that
        belongs to a node, and callers in tests only where tests are drawn.
        """
        found: dict[str, Place] = {}
        tops: dict[Fn, Place] = {}
        seen, frontier = {fn}, [fn]
        for _ in range(LEVELS):
            frontier = [up for one in frontier for up in self._up(one, seen, found, tops)][:MANY]
        tops.pop(fn, None)
        return list(found.items()), list(tops.items())

    def _up(
        self, fn: Fn, seen: set[Fn], found: dict[str, Place], tops: dict[Fn, Place]
    ) -> Iterator[Fn]:
        """The callers of a function that belong to no node, each put among the tops meanwhile."""
        sites = [s for s in self.graph.calls.callers(fn) if self.shows(s.place) and s.fn is not fn]
        if sites:
            tops.pop(fn, None)
        for site in sites:
            node = self.host(site.fn)
            if node is not None:
                found.setdefault(node, site.place)
            elif site.fn not in seen:
                seen.add(site.fn)
                tops[site.fn] = site.place
                yield site.fn

    def entry(self, fn: Fn, **detail: str) -> str:
        """The node of a function that starts agents or loops."""
        known = self.host(fn)
        if known is not None:
            return known
        name = self.node(("entry", fn), "entry", called(fn), self.head(fn), detail=dict(detail))
        self.hosts[fn] = name
        return name

    def head(self, fn: Fn) -> Place:
        """The name of a function as a place; a module's first line."""
        return fn.place(fn.facts.name_span if fn.index else Span(1, 1, 1, 1))

    def diagram(self, title: str) -> Diagram:
        """All that was drawn: nodes and edges in the order of the code."""
        order = sorted(self._nodes, key=lambda name: (self._places[name], name))
        rank = {name: number for number, name in enumerate(order)}
        edges = sorted(
            self._edges.values(),
            key=lambda e: (rank[e.source], e.file, e.line, rank[e.target], e.kind, e.label or ""),
        )
        nodes = tuple(self._nodes[name] for name in order)
        return Diagram(title=title, nodes=nodes, edges=tuple(edges), left_out=len(self._left_out))


def called(fn: Fn) -> str:
    """What to call a function: its qualified name; a module's body by the name of its file."""
    return fn.qualname if fn.index else fn.file.path.rpartition("/")[2]


def tool_key(tool: Tool) -> Hashable:
    """What makes two tools one: the same name at the same place."""
    return ("tool", tool.name, tool.place)


def written(fn: Fn, expr: Expr, most: int = 80) -> str:
    """An expression as the code has it, on one line."""
    return _text(fn.file.lines, expr.span, most)


def at_place(sketch: Sketch, place: Place, most: int = 80) -> str:
    """The code of a place; its first line in a notebook."""
    if place.cell is not None:
        return place.text[place.span.column - 1 :].strip()[:most]
    return _text(sketch.graph.program.files[place.file].lines, place.span, most)


def _text(lines: tuple[str, ...], span: Span, most: int) -> str:
    shown = list(lines[span.line - 1 : span.end_line])
    if shown:
        shown[-1] = shown[-1][: span.end_column - 1]
        shown[0] = shown[0][span.column - 1 :]
    text = " ".join(" ".join(shown).split())
    return f"{text[:most]}..." if len(text) > most else text
