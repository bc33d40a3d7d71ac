"""The agent graph as something to draw: nodes and edges, each with the line that made it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

SCHEMA = "agentcheck/graph/1"

NodeKind = Literal[
    "entry",
    "agent",
    "group",
    "loop",
    "function",
    "step",
    "end",
    "tool",
    "effect-tool",
    "handoff-tool",
    "model-call",
    "approval",
    "unresolved",
]
EdgeKind = Literal["runs", "member", "next", "uses", "hands-to", "asks", "approves"]

# Kinds of what is given to an agent, a loop or a step, and acts only at its word.
GIVEN = frozenset({"tool", "effect-tool", "handoff-tool", "model-call"})


class Node(Struct, frozen=True, kw_only=True):
    """Something to draw, with the place where it is defined or built.

    entry: starts an agent or a loop; agent: built by a constructor; group: a team, crew or state
    graph; loop: a function whose loop asks a model; function: one that asks a model without a
    loop; step: a node of a state graph; end: where a state graph ends; tool: only reads or
    computes, as far as the code tells; effect-tool: changes the world; handoff-tool: passes
    control; model-call: a call to a model's API; approval: somebody or something says yes;
    unresolved: what no definition was found for, its label the code as written.

    `file` is relative to the scanned folder, `line` 1-based; in a notebook `cell` is the 1-based
    code cell and `line` counts in it. `id` is unique in its diagram and the same for every run on
    the same code. Keys of `detail`: model, limit, approval, effect, parallel, class, api.
    """

    id: str
    kind: NodeKind
    label: str
    file: str
    line: int
    cell: int | None = None
    framework: str | None = None
    detail: dict[str, str] = {}


class Edge(Struct, frozen=True, kw_only=True):
    """A relation between two nodes, by their ids, with the place of the code that makes it.

    runs: starts it; member: holds it; next: passes on to it; uses: may call it; hands-to: passes
    control to it; asks: sends it a request; approves: stands before it. `label` is the tool by
    which control passes, or the answer under which a state graph takes the way.
    """

    source: str
    target: str
    kind: EdgeKind
    file: str
    line: int
    cell: int | None = None
    label: str | None = None


class Diagram(Struct, frozen=True, kw_only=True):
    """Everything to draw, in source order of what starts it. `title` is the target's name.

    `left_out` counts the files of tests that were found, where those were not asked for.
    """

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int = 0
