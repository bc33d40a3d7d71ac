"""Which lines a picture can do without: those of loops that many starts share."""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from agentcheck.model.diagram import Diagram, Edge


def without_shared_runs(diagram: Diagram) -> Diagram:
    """The diagram without lines from a loop to agents that a start of the loop is joined to.

    A loop that is handed its agent runs those of all its starts, and so does a loop that hands on
    to it. The start's own line to the agent says as much, and says which start it is.
    """
    shared = _Shared(diagram)
    return replace(diagram, edges=tuple(e for e in diagram.edges if not shared.tells(e)))


class _Shared:
    def __init__(self, diagram: Diagram) -> None:
        self._kinds = {node.id: node.kind for node in diagram.nodes}
        self._into: dict[str, set[str]] = defaultdict(set)
        self._loops: dict[str, set[str]] = defaultdict(set)
        for edge in diagram.edges:
            if edge.kind == "runs":
                self._into[edge.target].add(edge.source)
                if self._kinds[edge.target] == "loop":
                    self._loops[edge.source].add(edge.target)
        self._starts: dict[str, set[str]] = {}

    def tells(self, edge: Edge) -> bool:
        """Whether a line says no more than that of a start does."""
        loop, agent = edge.source, edge.target
        if edge.kind != "runs" or self._kinds[loop] != "loop":
            return False
        if self._kinds[agent] not in ("agent", "group"):
            return False
        given = self._into[agent] - {loop}
        return any(self._starts_of(one) & given for one in (loop, *self._loops[loop]))

    def _starts_of(self, loop: str) -> set[str]:
        """The entries, and what else nothing runs, that lead to a loop."""
        if loop not in self._starts:
            found, fresh = set[str](), {loop}
            while fresh:
                fresh = {source for one in fresh for source in self._into[one]} - found
                found |= fresh
            tops = {n for n in found if self._kinds[n] == "entry" or not self._into[n]}
            self._starts[loop] = tops
        return self._starts[loop]
