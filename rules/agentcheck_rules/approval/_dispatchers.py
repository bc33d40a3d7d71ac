"""Dispatchers of tools, and whether they ask anybody before they run one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Gate,
    Hit,
    Place,
    S,
    Site,
    Tool,
    code_kind,
    descend,
    find_dispatches,
    fine,
    gates_in,
    last_name,
    primary,
    related,
)
from agentcheck_rules._endings import ends_on

CALLS = ("tool_calls", "function_call", "tool_use", "function_calls")


class Dispatcher(Struct, frozen=True):
    """A place that runs a tool of the model's choice, with the gates on the way to it.

    `handed` are the calls by which the agent loops in `loops` get to it.
    """

    site: Site
    gates: tuple[Gate, ...]
    loops: tuple[Fn, ...]
    handed: tuple[Site, ...]


def dispatchers(graph: AgentGraph) -> list[Dispatcher]:
    """Every dispatcher outside tests."""
    found = []
    known: dict[Fn, list[Gate]] = {}
    looping = {loop.fn for loop in graph.loops}
    for dispatch in find_dispatches(graph):
        if code_kind(dispatch.fn.file.path) == "test":
            continue
        way = way_up(graph, dispatch.fn)
        for fn in way:
            if fn not in known:
                known[fn] = list(gates_in(graph, fn, "dispatch", depth=1))
        gates = [g for fn in way for g in known[fn] if g.is_before(dispatch.site)]
        loops = tuple(fn for fn in way if fn in looping)
        handed = tuple(s for sites in way.values() for s in sites if s.fn in looping)
        found.append(Dispatcher(dispatch.site, tuple(gates), loops, handed))
    return found


def way_up(graph: AgentGraph, fn: Fn, depth: int = 3) -> dict[Fn, list[Site]]:
    """A function and its callers up to the agent loops that lead to it, each with its calls."""
    way: dict[Fn, list[Site]] = {fn: []}
    frontier = [fn]
    loops = {loop.fn for loop in graph.loops}
    for _ in range(depth):
        above = [s for f in frontier if f not in loops for s in graph.calls.callers(f)]
        frontier = [f for f in dict.fromkeys(s.fn for s in above) if f not in way]
        for site in above:
            way.setdefault(site.fn, []).append(site)
    return way


class Running:
    """The dispatchers of the target, and those that can be in one process with a file."""

    def __init__(self, graph: AgentGraph) -> None:
        self.all = dispatchers(graph)
        self._modules = graph.program.modules
        self._beside: dict[str, list[Dispatcher]] = {}
        self._in_file: dict[str, list[int]] = {}
        for index, one in enumerate(self.all):
            self._in_file.setdefault(one.site.fn.file.path, []).append(index)

    def beside(self, path: str) -> list[Dispatcher]:
        """The dispatchers that can be in one process with what a file defines."""
        if not self.all:
            return []
        if path not in self._beside:
            near = self._modules.together(path) & self._in_file.keys()
            indices = sorted(index for file in near for index in self._in_file[file])
            self._beside[path] = [self.all[index] for index in indices]
        return self._beside[path]


def givers(graph: AgentGraph, tool: Tool) -> list[Place]:
    """Where agents get the tool."""
    found = [
        place
        for agent in graph.agents_near(tool)
        if any(t is tool for t in agent.tools)
        for place in (agent.site.place, *agent.wired[:1])
    ]
    return sorted(dict.fromkeys(found))


def dispatcher_assessments(
    graph: AgentGraph, running: list[Dispatcher], dangerous: set[int]
) -> Iterator[Assessment]:
    """One assessment a function that dispatches tools inside an agent loop.

    `dangerous` are the ids of those that run with a tool of the target that has effects.
    """
    seen: set[Fn] = set()
    for dispatcher in running:
        fn = dispatcher.site.fn
        if fn in seen or not dispatcher.loops:
            continue
        seen.add(fn)
        here = related(dispatcher.site.place, "a tool of the model's choice runs here")
        if dispatcher.gates:
            gate = dispatcher.gates[0]
            yield fine(
                fn.qualname, "met", "asked before tools run", here, related(gate.place, gate.says)
            )
        else:
            yield _ungated(graph, dispatcher, sure=id(dispatcher) in dangerous)


def _ungated(graph: AgentGraph, dispatcher: Dispatcher, *, sure: bool) -> Assessment:
    owner = dispatcher.site.fn.qualname
    hit = Hit(
        title="Tools are dispatched with no place for an approval",
        message=f"`{owner}` runs any tool the model names; nothing on the way can say no.",
        owner=owner,
        severity="high" if sure else "medium",
        confidence="high" if sure else "medium",
        failure_path=(
            "the model asks for a tool that changes the world",
            f"`{owner}` runs it like a look-up",
            "no approver, policy or marker can hold it back",
        ),
        challenge=Challenge(
            "upheld",
            ("a person asked, or an approval tested, between the reply and the call",),
        ),
        smallest_change="Let a tool carry a marker, take an approver, and ask it before a marked "
        "tool runs; answer a denied call id with a denial.",
        names={"tool": "the tool", "owner": owner},
    )
    evidence: list[CodeEvidence] = [
        primary(dispatcher.site.place, "the tool runs here with nobody asked"),
        *(related(s.place, "the loop hands the call on here") for s in dispatcher.handed[:3]),
        *_decisions(graph, dispatcher),
        *_tool_types(graph, dispatcher),
    ]
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )


def _decisions(graph: AgentGraph, dispatcher: Dispatcher) -> Iterator[CodeEvidence]:
    """Where the loops decide whether tools run at all."""
    for fn in dispatcher.loops:
        for at in graph.program.statements(fn):
            if ends_on(at.stmt, CALLS):
                yield related(at.place, "past this, every tool of the reply runs")


def _tool_types(graph: AgentGraph, dispatcher: Dispatcher) -> Iterator[CodeEvidence]:
    """Where the target says what a tool is, when that is a bare callable."""
    seen: set[Place] = set()
    files = graph.program.modules.together(dispatcher.site.fn.file.path)
    for agent in graph.agents:
        klass = agent.klass
        if klass is None or klass.file.path not in files:
            continue
        module = graph.program.module(klass.file.path)
        for stmt in klass.facts.body:
            if isinstance(stmt, S.Assign) and stmt.annotation is not None and _holds_tools(stmt):
                for name in (e.id for e in descend(stmt.annotation) if isinstance(e, E.Name)):
                    for binding in graph.program.scope(module).get(name, []):
                        place = binding.at.place if binding.at is not None else None
                        if place is not None and _is_callable(binding.expr) and place not in seen:
                            seen.add(place)
                            yield related(place, "a tool is a bare callable, with no marker")


def _holds_tools(stmt: S.Assign) -> bool:
    names = {t.id for t in stmt.targets if isinstance(t, E.Name)}
    return bool(names & {"functions", "tools", "actions"})


def _is_callable(expr: E.Expr | None) -> bool:
    return isinstance(expr, E.Index) and last_name(expr.value) == "Callable"
