"""What the code says of approvals: what asks before each tool, and what a pause repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from agentcheck.graph.agents import AgentGraph
from agentcheck.graph.effect_calls import effect_of_call
from agentcheck.graph.handles import Fn, Site
from agentcheck.model import expr as E
from agentcheck.model.kind import code_kind
from agentcheck.whatif.policy.draft import Drafted, draft_from_code

# Its pauses run a node anew from its first line when it is resumed; others keep their place.
_REPLAYING = frozenset({"langgraph"})


class CodePause(Struct, frozen=True):
    """A pause within a function. `before` says what runs again when it is resumed."""

    place: str
    function: str
    before: tuple[str, ...]


class Coded(Struct, frozen=True):
    """What the code says. `handoffs` are tools that hand over, with the agent they lead to."""

    tools: Mapping[str, Drafted]
    pauses: tuple[CodePause, ...]
    handoffs: Mapping[str, str]


def coded(graph: AgentGraph) -> Coded:
    """What the code of a target says of approvals, outside its tests."""
    tools = {tool.name: tool for tool in draft_from_code(graph)}
    return Coded(tools, tuple(_pauses(graph)), graph.handoff_targets())


def _pauses(graph: AgentGraph) -> Iterator[CodePause]:
    known = [f for f in graph.frameworks if f.name in _REPLAYING]
    names = {name for framework in known for entry in framework.approval for name in entry.names}
    if not names:
        return
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for site, call in graph.program.calls(fn):
            if graph.resolver.dotted(call.func, fn) & names:
                place = f"{site.place.file}:{site.place.span.line}"
                yield CodePause(place, fn.qualname, tuple(_before(graph, fn, site)))


def _before(graph: AgentGraph, fn: Fn, pause: Site) -> Iterator[str]:
    """What stands before a pause in its function and is more than looking."""
    asking = {id(site.expr) for site in graph.drives.sites.get(fn, [])}
    for site, call in graph.program.calls(fn):
        line = site.expr.span.line
        if line >= pause.expr.span.line:
            continue
        if id(site.expr) in asking:
            yield f"a model is asked (line {line})"
        elif (done := effect_of_call(graph.tracer, site, call, "acts")) is not None:
            yield f"it {done[1]} (line {line})"
        elif _is_effect_tool(graph, site, call):
            yield f"a tool acts (line {line})"


def _is_effect_tool(graph: AgentGraph, site: Site, call: E.Call) -> bool:
    """Whether a call runs a tool of the target that has effects."""
    from agentcheck.graph.effects import effects_of

    tools = {tool.fn: tool for tool in graph.tools if tool.fn is not None}
    found = [tools[fn] for fn in graph.calls.callees(site) if fn in tools]
    return bool(call) and any(effects_of(graph.tracer, tool) for tool in found)
