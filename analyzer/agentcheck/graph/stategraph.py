"""Graphs of nodes over a shared state: LangGraph's StateGraph and what is built like it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from agentcheck.graph.handles import Fn, Site
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.graph.roster import Agent
    from agentcheck.graph.toolset import Tool

START, END = "__start__", "__end__"
NodeKind = Literal["function", "agent", "subgraph", "tools", "unknown"]
EdgeKind = Literal["always", "conditional", "goto"]


class Node(Struct, eq=False):
    """A named step of a state graph; `site` is the call that adds it.

    `fn` is the function it runs where that is in the target, `agent` the agent and `subgraph` the
    other state graph that it is; "tools" nodes run the tools of the model's choice. `tools` are
    those that it can run, whatever its kind. `asks_model` when a turn of it reaches a model.
    """

    name: str
    site: Site
    kind: NodeKind = "unknown"
    fn: Fn | None = None
    agent: Agent | None = None
    subgraph: StateGraph | None = None
    tools: list[Tool] = field(default_factory=list)
    asks_model: bool = False

    @property
    def place(self) -> Place:
        """Where it is added."""
        return self.site.place


class Edge(Struct, frozen=True, eq=False):
    """A way from one node to another; START and END are nodes too, of these reserved names.

    "conditional" edges are taken when `router` (None for one outside the target) says so, under
    the answer `label` where a map names it; "goto" edges are taken by the source node's own
    answer, as by `Command(goto=...)`.
    """

    source: str
    target: str
    place: Place
    kind: EdgeKind = "always"
    router: Fn | None = None
    label: str | None = None


class Compiled(Struct, frozen=True, eq=False):
    """A call that makes a graph ready to run.

    `interrupt_before` and `interrupt_after` are the names of nodes where it stops for a person;
    ("*",) for all of them. `checkpointer` is what keeps the state of a stopped run, None where
    nothing is passed.
    """

    site: Site
    checkpointer: E.Expr | None = None
    interrupt_before: tuple[str, ...] = ()
    interrupt_after: tuple[str, ...] = ()


class StateGraph(Struct, eq=False):
    """A graph as built by one constructor call, with all that is added to it anywhere.

    `open` are the sources of ways whose end nobody can tell from the code, each with its place: a
    router whose answers are no literals, or the place alone (source None) of a node or an edge
    without a name. `compiled` is empty for a graph that the target itself never compiles.
    """

    name: str
    site: Site
    framework: str
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    compiled: list[Compiled] = field(default_factory=list)
    open: list[tuple[str | None, Place]] = field(default_factory=list)

    @property
    def place(self) -> Place:
        """Where it is constructed."""
        return self.site.place

    def out_of(self, name: str) -> list[Edge]:
        """The edges that leave a node."""
        return [e for e in self.edges if e.source == name]

    def into(self, name: str) -> list[Edge]:
        """The edges that lead to a node."""
        return [e for e in self.edges if e.target == name]

    def interrupts_before(self, name: str) -> Compiled | None:
        """The first compile call that stops before a node, if every one of them does."""
        return self._every(lambda c: name in c.interrupt_before or "*" in c.interrupt_before)

    def interrupts_after(self, name: str) -> Compiled | None:
        """The first compile call that stops after a node, if every one of them does."""
        return self._every(lambda c: name in c.interrupt_after or "*" in c.interrupt_after)

    def _every(self, stops: Callable[[Compiled], bool]) -> Compiled | None:
        """The first compile call, if all do; tests count only where nothing else compiles it."""
        used = [c for c in self.compiled if code_kind(c.site.fn.file.path) != "test"]
        asked = used or self.compiled
        return asked[0] if asked and all(stops(c) for c in asked) else None

    @property
    def asks_model(self) -> bool:
        """Whether a node of it reaches a model."""
        return any(node.asks_model for node in self.nodes.values())

    def cycles(self) -> Iterator[tuple[str, ...]]:
        """The sets of nodes that lead back to each other, each in the order they were added.

        They are the strongly connected parts; edges whose end is open are not followed.
        """
        import networkx as nx

        drawn: nx.DiGraph[str] = nx.DiGraph((e.source, e.target) for e in self.edges)
        order = {name: number for number, name in enumerate(self.nodes)}
        for part in nx.strongly_connected_components(drawn):
            one = next(iter(part))
            if len(part) > 1 or drawn.has_edge(one, one):
                yield tuple(sorted(part, key=lambda name: order.get(name, -1)))

    def model_cycles(self) -> list[tuple[str, ...]]:
        """The cycles through a node that asks a model: each is an agent loop.

        What bounds one is the limit of the run (see `limits_in_force`) and what routers count.
        """
        return [
            cycle
            for cycle in self.cycles()
            if any(name in self.nodes and self.nodes[name].asks_model for name in cycle)
        ]
