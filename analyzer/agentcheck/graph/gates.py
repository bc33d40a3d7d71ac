"""Whether somebody or something says yes before a tool acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agentcheck.graph.effects import Effect
from agentcheck.graph.gate_tests import GATE, Gate, gates_in
from agentcheck.graph.handles import Fn
from agentcheck.graph.holders import holder_gates
from agentcheck.graph.resolve import ClassRef, Function, Instance
from agentcheck.graph.text import dotted, last_name
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph


def gates_of(graph: AgentGraph, tool: Tool, effects: Sequence[Effect]) -> list[Gate]:
    """The gates on a tool, if together they stand before every effect; else none.

    They are its framework's switch, its decorators and what is set on it, its body, what a hosted
    tool is given, and what asks in each agent and each node of a state graph that can run it.
    """
    found = [*_option_gates(tool), *_set_on(graph, tool), *_given_gates(graph, tool)]
    if tool.fn is not None:
        found += _decorator_gates(graph, tool, tool.fn)
        found += gates_in(graph, tool.fn, "tool")
    found += holder_gates(graph, tool)
    held = all(any(gate.is_before(effect.by) for gate in found) for effect in effects)
    return found if held else []


def _option_gates(tool: Tool) -> Iterator[Gate]:
    if tool.approval in ("yes", "maybe"):
        yield Gate("option", tool.place, "the framework's approval switch is on")


def _decorator_gates(graph: AgentGraph, tool: Tool, fn: Fn) -> Iterator[Gate]:
    host = graph.program.parent(fn) or fn
    for decorator in fn.facts.decorators:
        written = dotted(decorator) or ""
        if GATE.search(written.lower()) or _asks_by_keyword(tool, decorator):
            yield Gate("decorator", fn.place(decorator.span), f"@{written}")
            continue
        func = decorator.func if isinstance(decorator, E.Call) else decorator
        for symbol in graph.resolver.of(func, host):
            inner = getattr(symbol, "fn", None)
            for wrapper in _nested(graph, inner) if isinstance(inner, Fn) else ():
                yield from (replace(g, by=None) for g in gates_in(graph, wrapper, "decorator", 1))


def _asks_by_keyword(tool: Tool, decorator: E.Expr) -> bool:
    """A keyword that speaks of approval, on, and not the switch that was read already."""
    if not isinstance(decorator, E.Call):
        return False
    known = tool.data.approval_keyword if tool.data else None
    return any(
        arg.name not in (None, known)
        and GATE.search((arg.name or "").lower())
        and not (isinstance(arg.value, E.Const) and arg.value.value in (False, None))
        for arg in decorator.args
    )


def _nested(graph: AgentGraph, fn: Fn) -> list[Fn]:
    """A decorator and the wrappers defined inside it."""
    return [
        f for f in graph.program.functions[fn.file.path] if f is fn or graph.program.parent(f) is fn
    ]


def _set_on(graph: AgentGraph, tool: Tool) -> Iterator[Gate]:
    """`send_mail.tool_input_guardrails = [...]` in the tool's own file."""
    if tool.fn is None:
        return
    host = graph.program.parent(tool.fn) or tool.fn
    for at in graph.program.statements(host):
        for target in at.stmt.targets if isinstance(at.stmt, S.Assign) else ():
            if isinstance(target, E.Attr) and _is_gate_of(target, tool.fn):
                yield Gate("option", at.place, f"`{target.attr}` is set on it")


def _is_gate_of(target: E.Attr, fn: Fn) -> bool:
    return last_name(target.value) == fn.name and bool(GATE.search(target.attr.lower()))


def _given_gates(graph: AgentGraph, tool: Tool) -> Iterator[Gate]:
    """Gates in the functions and the objects' methods that a hosted tool is built with."""
    if tool.built is None or tool.fn is not None:
        return
    for arg in tool.built.call.args:
        for symbol in graph.resolver.of(arg.value, tool.built.fn):
            for fn in _bodies(symbol):
                yield from (replace(g, by=None) for g in gates_in(graph, fn, "option", 1))


def _bodies(symbol: object) -> list[Fn]:
    match symbol:
        case Function(fn=fn):
            return [fn]
        case Instance(klass=klass) | ClassRef(klass=klass):
            return list(klass.methods.values())
        case _:
            return []
