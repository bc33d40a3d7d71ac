"""Input guardrails that run beside the agent they guard, so that its tools may act first."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    Agent,
    AgentGraph,
    E,
    Fn,
    Function,
    Place,
    Tool,
    argument,
    code_kind,
    effects_of,
    elements,
    gates_of,
    last_name,
)

_SWITCH = "run_in_parallel"


class Beside(Struct, frozen=True):
    """An agent, its guardrail, and the tools that may act before that has answered.

    `waits` when the agent waits for the guardrail; `asked` when every such tool asks a person.
    """

    agent: Agent
    name: str
    place: Place
    tools: tuple[Tool, ...]
    waits: bool
    asked: bool


def beside(graph: AgentGraph) -> Iterator[Beside]:
    """Every input guardrail of an agent that owns tools with effects."""
    for agent in graph.agents:
        if agent.framework != "openai-agents" or code_kind(agent.site.place.file) == "test":
            continue
        given = agent.given(("input_guardrails",))
        acting = _acting(graph, agent) if given is not None else []
        if given is None or not acting:
            continue
        tools = tuple(tool for tool, _ in acting)
        asked = all(gated for _, gated in acting)
        for element in elements(graph.tracer, given, agent.site.fn):
            for name, place, waits in _guardrail(graph, element.expr, element.fn):
                yield Beside(agent, name, place, tools, waits, asked)


def _acting(graph: AgentGraph, agent: Agent) -> list[tuple[Tool, bool]]:
    found = []
    for tool in agent.tools:
        effects = [e for e in effects_of(graph.tracer, tool) if not e.is_desktop]
        if effects:
            found.append((tool, bool(gates_of(graph, tool, effects))))
    return found


def _guardrail(graph: AgentGraph, expr: E.Expr, fn: Fn) -> Iterator[tuple[str, Place, bool]]:
    """The guardrail's name, where it is made one, and whether the agent waits for it."""
    for origin in graph.tracer.local(expr, fn):
        call = origin.expr
        if isinstance(call, E.Call) and last_name(call.func) in (
            "InputGuardrail",
            "input_guardrail",
        ):
            yield last_name(call.func) or "", origin.fn.place(call.span), _waits(call)
            return
    for symbol in graph.resolver.of(expr, fn):
        if not isinstance(symbol, Function):
            continue
        body = symbol.fn
        for decorator in body.facts.decorators:
            called = decorator if isinstance(decorator, E.Call) else None
            if last_name(called.func if called else decorator) == "input_guardrail":
                waits = called is not None and _waits(called)
                yield body.name, body.place(decorator.span), waits


def _waits(call: E.Call) -> bool:
    """Whether the switch is off, or given as something that nobody can tell."""
    value = argument(call, _SWITCH)
    return value is not None and not (isinstance(value, E.Const) and value.value is True)
