"""What each start of the target leads to, followed through its diagram."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from agentcheck.model.diagram import Diagram, Edge, EdgeKind, Node, NodeKind
from agentcheck.model.report import Workflow

_LEADING: frozenset[EdgeKind] = frozenset({"runs", "member", "next", "hands-to"})
_STARTS: frozenset[NodeKind] = frozenset({"entry", "loop", "function", "group", "agent"})
_FIELDS: dict[NodeKind, str] = {
    "loop": "loops",
    "function": "loops",
    "agent": "agents",
    "group": "agents",
    "step": "steps",
    "tool": "tools",
    "effect-tool": "acts",
    "unresolved": "unresolved",
}


class Starts(Struct, frozen=True):
    """The workflows of starts, and those of what no start was found for, each in source order."""

    found: tuple[Workflow, ...] = ()
    others: tuple[Workflow, ...] = ()


def starts_in(diagram: Diagram) -> Starts:
    """One workflow for each start, and for what no start was found for.

    Agents that only hand to each other start with the first of them.
    """
    ways = _Ways(diagram)
    found = tuple(ways.starts())
    return Starts(found, tuple(ways.others()))


def workflows(parts: Iterable[Starts]) -> tuple[Workflow, ...]:
    """The workflows of a target, by those in each part of it; no file is in two."""
    told = list(parts)
    found = sorted((way for one in told for way in one.found), key=_file)
    return (*found, *sorted((way for one in told for way in one.others), key=_file))


def _file(way: Workflow) -> str:
    return way.file


class _Ways:
    def __init__(self, diagram: Diagram) -> None:
        self._nodes = {node.id: node for node in diagram.nodes}
        self._out: dict[str, list[Edge]] = defaultdict(list)
        into: dict[str, set[str]] = defaultdict(set)
        for edge in diagram.edges:
            self._out[edge.source].append(edge)
            if edge.kind in _LEADING and edge.source != edge.target:
                into[edge.target].add(edge.source)
        able = [node for node in diagram.nodes if node.kind in _STARTS]
        tops = {node.id for node in able if node.kind == "entry" or not into[node.id]}
        self._tops = [node for node in able if node.id in tops]
        self._rest = [node for node in able if node.id not in tops]
        self._seen: set[str] = set()
        self._given = {name: sources & tops for name, sources in into.items()}

    def starts(self) -> Iterator[Workflow]:
        """Those of starts."""
        for node in self._tops:
            yield self._from(node)

    def others(self) -> Iterator[Workflow]:
        """Those of what no workflow so far leads to."""
        for node in self._rest:
            if node.id not in self._seen:
                yield self._from(node)

    def _from(self, node: Node) -> Workflow:
        reached = self._reached(node.id)
        self._seen.update(reached)
        return _workflow(node, [self._nodes[name] for name in reached[1:]])

    def _reached(self, start: str) -> list[str]:
        """The nodes that a start leads to, itself first, near ones before far ones."""
        reached, known = [start], {start}
        for name in reached:  # it grows meanwhile
            for edge in self._out.get(name, ()):
                if edge.target not in known and self._follows(start, edge):
                    known.add(edge.target)
                    reached.append(edge.target)
        return reached

    def _follows(self, start: str, edge: Edge) -> bool:
        """Whether a start goes on by an edge.

        A loop that several starts share runs any of their agents; here it runs those that this
        start gives it.
        """
        shared = self._nodes[edge.source].kind == "loop" and edge.source != start
        if edge.kind != "runs" or not shared or self._nodes[edge.target].kind == "loop":
            return True
        given = self._given.get(edge.target, set())
        return not given or start in given


def _workflow(start: Node, reached: Iterable[Node]) -> Workflow:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for node in reached:
        if node.kind in _FIELDS:
            found[_FIELDS[node.kind]][node.label] = None
    return Workflow(
        start=start.label,
        kind=start.kind,
        file=start.file,
        line=start.line,
        cell=start.cell,
        **{name: tuple(labels) for name, labels in found.items()},
    )
