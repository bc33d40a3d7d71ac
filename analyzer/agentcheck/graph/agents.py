"""The agent graph: what rules ask their questions of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from agentcheck.graph.bounds import Bound, Loop, Loops
from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.models import Drives, ModelCall, RunCall
from agentcheck.graph.origins import Tracer
from agentcheck.graph.program import Program
from agentcheck.graph.resolve import Resolver
from agentcheck.graph.roster import Agent, FrameworksFor
from agentcheck.graph.toolset import Tool, Toolbox
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.frameworks.schema import Framework
    from agentcheck.graph.dispatch import Dispatch
    from agentcheck.graph.holders import Holder
    from agentcheck.graph.prompts import Prompt
    from agentcheck.graph.replies import Reply
    from agentcheck.graph.run_names import RunNames
    from agentcheck.graph.stategraph import StateGraph
    from agentcheck.model.expr import Expr


class AgentLoop(Struct, frozen=True, eq=False):
    """A loop whose turns ask a model. `sites` are the calls in it that do."""

    stmt: Loop
    at: Located
    sites: tuple[Site, ...]
    bounds: tuple[Bound, ...]

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.at.fn

    @property
    def place(self) -> Place:
        """The loop's first line."""
        return self.at.place


class AgentGraph(Struct, eq=False):
    """Everything that was linked. Lists are in source order.

    `unresolved` are the places among agents' tools and handoffs that no definition was found for,
    with the name of the agent. `and_tests` links the target anew with its tests, where those were
    left aside and can be had.
    """

    program: Program
    resolver: Resolver
    calls: Calls
    tracer: Tracer
    frameworks: Sequence[Framework]
    model_calls: list[ModelCall]
    runs: list[RunCall]
    drives: Drives
    agents: list[Agent]
    tools: list[Tool]
    unresolved: list[tuple[Place, str]] = field(default_factory=list)
    for_file: FrameworksFor | None = None
    and_tests: Callable[[], AgentGraph] | None = None
    dispatches: list[Dispatch] | None = None  # found when first asked for
    calling: frozenset[str] | None = None  # programs that have a word for tool calls, likewise
    replies: list[Reply] | None = None  # likewise
    prompts: dict[int, list[Prompt]] = field(default_factory=dict)  # by levels followed, likewise
    prompt_texts: list[tuple[Site, Expr]] | None = None  # system messages as written, likewise
    toolbox: Toolbox | None = None  # finds further tools
    # By file, its tools as acceptance tests name them, and whether they act; likewise.
    written_tools: dict[str, dict[str, bool]] | None = None
    _with_tests: AgentGraph | None = None
    _loops: list[AgentLoop] | None = None
    holders: dict[int, list[Holder]] | None = None  # by what they hold, likewise
    _state_graphs: list[StateGraph] | None = None
    _run_names: RunNames | None = None
    _tools_of: dict[str, list[Tool]] | None = None
    _loops_of: dict[Fn, list[AgentLoop]] | None = None
    _loops_asking: dict[int, list[AgentLoop]] | None = None
    _agents_near: dict[int | str, list[Agent]] | None = None

    @property
    def with_tests(self) -> AgentGraph:
        """The graph of the target with its tests: this one, where none was left aside."""
        if self._with_tests is None:
            self._with_tests = self.and_tests() if self.and_tests else self
        return self._with_tests

    def frameworks_for(self, path: str) -> Sequence[Framework]:
        """The frameworks in the releases that hold for one file."""
        return self.for_file(path) if self.for_file else self.frameworks

    @property
    def loops(self) -> list[AgentLoop]:
        """Every loop whose turns ask a model, outermost first."""
        if self._loops is None:
            self._loops = find_loops(self)
        return self._loops

    @property
    def state_graphs(self) -> list[StateGraph]:
        """Every graph of nodes over a shared state, in source order."""
        if self._state_graphs is None:
            from agentcheck.graph.stategraph_find import find_state_graphs

            self._state_graphs = find_state_graphs(self)
        return self._state_graphs

    @property
    def run_names(self) -> RunNames:
        """Tools and agents by the names that recorded runs have for them."""
        if self._run_names is None:
            from agentcheck.graph.run_names import RunNames

            self._run_names = RunNames(self)
        return self._run_names

    @property
    def handoff_tools(self) -> list[Tool]:
        """Tools that only pass control to another agent."""
        return list({id(t): t for a in self.agents for t in a.handoff_tools}.values())

    def loops_of(self, fn: Fn) -> list[AgentLoop]:
        """The loops of a function whose turns ask a model, outermost first."""
        if self._loops_of is None:
            self._loops_of = {}
            for loop in self.loops:
                self._loops_of.setdefault(loop.fn, []).append(loop)
        return self._loops_of.get(fn, [])

    def loops_asking(self, calls: Iterable[Site]) -> list[AgentLoop]:
        """The loops whose turns make one of the model calls, outermost first."""
        if self._loops_asking is None:
            self._loops_asking = {}
            for loop in self.loops:
                for end in (end for site in loop.sites for end in self.drives.ends_of(site)):
                    self._loops_asking.setdefault(id(end.site.expr), []).append(loop)
        found = [loop for call in calls for loop in self._loops_asking.get(id(call.expr), ())]
        return sorted({id(loop): loop for loop in found}.values(), key=lambda loop: loop.place)

    def agents_near(self, tool: Tool) -> list[Agent]:
        """The agents that were given a tool, and those of the file that defines it."""
        if self._agents_near is None:
            self._agents_near = {}
            for agent in self.agents:
                keys: set[int | str] = {agent.site.fn.file.path, *map(id, agent.tools)}
                for key in keys:
                    self._agents_near.setdefault(key, []).append(agent)
        wanted = (id(tool), tool.fn.file.path if tool.fn is not None else "")
        found = {id(a): a for key in wanted for a in self._agents_near.get(key, ())}
        return sorted(found.values(), key=lambda agent: agent.site.place)

    def tools_of(self, path: str) -> list[Tool]:
        """The tools whose functions a file defines, those that hand over last."""
        if self._tools_of is None:
            self._tools_of = {}
            for tool in (*self.tools, *self.handoff_tools):
                if tool.fn is not None:
                    self._tools_of.setdefault(tool.fn.file.path, []).append(tool)
        return self._tools_of.get(path, [])

    def handoff_targets(self) -> dict[str, str]:
        """The agent each handoff tool leads to, for tools whose name means one agent."""
        found: dict[str, set[str]] = {}
        for agent in self.agents:
            for tool, target in agent.handed.items():
                found.setdefault(tool, set()).add(target)
        return {tool: names.pop() for tool, names in found.items() if len(names) == 1}

    def loops_places(self) -> list[tuple[str, Place]]:
        """The subject and place of every agent loop."""
        return [(loop.fn.qualname, loop.place) for loop in self.loops]

    def runs_places(self) -> list[Place]:
        """Where runs of agents are started."""
        return [run.site.place for run in self.runs]


def find_loops(graph: AgentGraph) -> list[AgentLoop]:
    """Group the sites that reach a model by the loops around them."""
    found: dict[int, tuple[Loop, Located, list[Site]]] = {}
    for fn, sites in graph.drives.sites.items():
        located = {id(at.stmt): at for at in graph.program.statements(fn)}
        for site in sites:
            for loop in site.loops():
                at = located.get(id(loop))
                if at is not None:
                    found.setdefault(id(loop), (loop, at, []))[2].append(site)
    finder = Loops(graph.tracer)
    loops = [
        AgentLoop(loop, at, tuple(sites), tuple(finder.bounds(loop, at, sites)))
        for loop, at, sites in found.values()
    ]
    return sorted(loops, key=lambda loop: loop.place)
