"""The JSON of `agentcheck graph`, read by the labels of its nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_line import Here


class Drawn:
    """Runs the command and gives nodes and edges by the labels of nodes."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def __call__(self, target: Path, *args: str) -> Graph:
        done = self._here("graph", target, "--isolated", "--format", "json", *args)
        assert done.code == 0, done.err
        return Graph(json.loads(done.out))


class Graph:
    """A parsed graph."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.labels = {node["id"]: node["label"] for node in data["nodes"]}

    def kinds(self) -> dict[str, str]:
        return {node["label"]: node["kind"] for node in self.data["nodes"]}

    def node(self, label: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = [n for n in self.data["nodes"] if n["label"] == label]
        assert len(found) == 1
        return found[0]

    def edges(self, kind: str) -> set[tuple[str, str | None, str]]:
        return {
            (self.labels[e["source"]], e["label"], self.labels[e["target"]])
            for e in self.data["edges"]
            if e["kind"] == kind
        }

    def pairs(self, kind: str) -> set[tuple[str, str]]:
        return {(source, target) for source, _, target in self.edges(kind)}
