"""What stands in an agent's list of handoffs, item by item, and which agent each item is."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    Agent,
    AgentGraph,
    E,
    Fn,
    Place,
    S,
    Tool,
    argument,
    last_name,
    string,
)


class Given(Struct, frozen=True, eq=False):
    """One item: the agent it leads to, and the name of its tool where the code gives one.

    `tool` is the function that returns the agent, None where the agent itself is given.
    `own` whether the list is written for this agent alone.
    """

    target: Agent
    place: Place
    label: str | None
    tool: Tool | None
    own: bool


def given(graph: AgentGraph, agent: Agent, by_call: dict[int, Agent]) -> list[Given]:
    """The items of an agent's handoffs that surely are one agent each, in order."""
    keywords = agent.data.handoffs_keywords if agent.data else ("handoffs",)
    found = list[Given]()
    for shown, fn, own in _lists(graph, agent, tuple(keywords)):
        for item in shown:
            target, label = _target(graph, item, fn, by_call)
            if target is not None:
                found.append(Given(target, fn.place(item.span), label, None, own))
    return found + list(_by_function(graph, agent, by_call))


def _lists(
    graph: AgentGraph, agent: Agent, keywords: tuple[str, ...]
) -> Iterator[tuple[tuple[E.Expr, ...], Fn, bool]]:
    host = agent.site.fn
    written = agent.given(keywords)
    if isinstance(written, E.Items):
        yield written.items, host, True
    elif isinstance(written, E.Name):
        shown = _bound(graph, written, host)
        if shown is not None and isinstance(shown[0], E.Items):
            yield shown[0].items, shown[1], False
    for at in graph.program.statements(host):
        match at.stmt:
            case S.Assign(targets=(E.Attr(attr=attr, value=E.Name() as base),), value=value):
                listed = value.items if isinstance(value, E.Items) else ()
                if attr in keywords and listed and _is(graph, base, host, agent):
                    yield listed, host, True
            case S.Do(
                value=E.Call(
                    func=E.Attr(attr="append", value=E.Attr(attr=attr, value=E.Name() as base)),
                    args=args,
                )
            ):
                if attr in keywords and args and _is(graph, base, host, agent):
                    yield (args[0].value,), host, True
            case _:
                continue


def _bound(graph: AgentGraph, name: E.Name, fn: Fn) -> tuple[E.Expr, Fn] | None:
    """The one value that a name is ever bound to; None where there are several."""
    here: Fn | None = fn
    while here is not None:
        bindings = graph.program.scope(here).get(name.id, ())
        if bindings:
            only = bindings[0] if len(bindings) == 1 else None
            known = only is not None and only.how == "value" and only.expr is not None
            return (only.expr, here) if known and only is not None and only.expr else None
        here = graph.program.parent(here)
    return None


def _is(graph: AgentGraph, name: E.Name, fn: Fn, agent: Agent) -> bool:
    bound = _bound(graph, name, fn)
    return bound is not None and bound[0] is agent.call


def _target(
    graph: AgentGraph, item: E.Expr, fn: Fn, by_call: dict[int, Agent]
) -> tuple[Agent | None, str | None]:
    if isinstance(item, E.Call) and last_name(item.func) in ("handoff", "realtime_handoff"):
        named = argument(item, "tool_name_override")
        inner = argument(item, "agent", 0)
        if inner is None or (named is not None and string(named) is None):
            return None, None
        return _target(graph, inner, fn, by_call)[0], string(named)
    if isinstance(item, E.Name):
        bound = _bound(graph, item, fn)
        return (by_call.get(id(bound[0])) if bound is not None else None), None
    return None, None


def _by_function(graph: AgentGraph, agent: Agent, by_call: dict[int, Agent]) -> Iterator[Given]:
    """Functions among the agent's tools that return one agent by its name."""
    keywords = agent.data.tools_keywords if agent.data else ("tools", "functions")
    own = isinstance(agent.given(tuple(keywords)), E.Items)
    for tool in agent.handoff_tools:
        results = graph.tracer.results(tool.fn) if tool.fn is not None else []
        names = [r for r in results if isinstance(r, E.Name)]
        if tool.fn is not None and len(names) == len(results) == 1:
            target = _target(graph, names[0], tool.fn, by_call)[0]
            if target is not None:
                yield Given(target, tool.place, tool.name, tool, own)
