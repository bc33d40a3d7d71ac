"""The limits in force at the one run of a small target."""

from __future__ import annotations

from pathlib import Path

from tests.linking_targets import linked

from agentcheck.graph.runs import InForce, limits_in_force
from agentcheck.rule import AgentGraph


def limits(graph: AgentGraph) -> list[InForce]:
    (call,) = graph.runs
    return limits_in_force(graph, call)


def worths(folder: Path, main: str, pins: str = "") -> list[tuple[str, str]]:
    """The limits of the one run in a file, and what they are worth in a release."""
    graph = linked(folder, main, **{"requirements.txt": pins})
    return [(limit.data.keyword, limit.worth) for limit in limits(graph)]
