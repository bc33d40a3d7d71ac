"""Whether somebody or something says yes before a tool acts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.people import asks_a_person
from agentcheck.graph.text import dotted, last_name, string
from agentcheck.graph.toolset import Tool
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

_GATE = re.compile(
    r"approv|confirm|permission|authori[sz]e|consent|human_in|human_input|human_review|"
    r"require_human|needs_human|hitl|is_allowed|allowed_tools|check_policy|policy_check|guardrail|"
    r"can_use_tool|ask_user|ask_before|veto|sign_?off|escalate_to_human|interrupt"
)
Where = Literal["tool", "decorator", "caller", "dispatch", "option"]


@dataclass(frozen=True, slots=True)
class Gate:
    """Something that may stop an effect; `where` it stands relative to the tool."""

    where: Where
    place: Place
    says: str


def gates_in(graph: AgentGraph, fn: Fn, where: Where, depth: int = 2) -> Iterator[Gate]:
    """Gates in a function's body and its callees: a person asked, or a test named like one."""
    yield from _gates(graph, fn, where, depth, set())


def _gates(graph: AgentGraph, fn: Fn, where: Where, depth: int, seen: set[Fn]) -> Iterator[Gate]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site in graph.program.sites(fn):
        if isinstance(site.expr, E.Call) and asks_a_person(graph.calls, site):
            yield Gate(where, site.place, "a person is asked")
        elif _named_like_gate(site):
            yield Gate(where, site.place, "an approval is tested")
        elif isinstance(site.expr, E.Call):
            for callee in graph.calls.callees(site):
                yield from _gates(graph, callee, where, depth - 1, seen)


def _named_like_gate(site: Site) -> bool:
    """A call or a tested name that speaks of approval; plain data and prompts do not count."""
    match site.expr:
        case E.Call(func=func):
            return bool(_GATE.search((last_name(func) or "").lower()))
        case E.Name() | E.Attr():
            tested = isinstance(site.at.stmt, (S.If, S.While, S.Assert))
            return tested and bool(_GATE.search((last_name(site.expr) or "").lower()))
        case E.Index(index=index):
            tested = isinstance(site.at.stmt, (S.If, S.While, S.Assert))
            return tested and bool(_GATE.search((string(index) or "").lower()))
        case _:
            return False


def gates_of(graph: AgentGraph, tool: Tool) -> list[Gate]:
    """Every gate on a tool: its framework's switch, its decorators, its body, its dispatcher."""
    found: list[Gate] = []
    if tool.approval in ("yes", "maybe"):
        found.append(Gate("option", tool.place, "the framework's approval switch is on"))
    if tool.fn is not None:
        found += _decorator_gates(graph, tool.fn)
        found += list(gates_in(graph, tool.fn, "tool"))
    return found


def _decorator_gates(graph: AgentGraph, fn: Fn) -> list[Gate]:
    found = []
    host = graph.program.parent(fn) or fn
    for decorator in fn.facts.decorators:
        written = dotted(decorator) or ""
        keywords = [a.name or "" for a in decorator.args] if isinstance(decorator, E.Call) else []
        if _GATE.search(written.lower()) or any(_GATE.search(k.lower()) for k in keywords):
            found.append(Gate("decorator", fn.place(decorator.span), f"@{written}"))
            continue
        func = decorator.func if isinstance(decorator, E.Call) else decorator
        for symbol in graph.resolver.of(func, host):
            inner = getattr(symbol, "fn", None)
            if isinstance(inner, Fn):
                found += [
                    g for f in _nested(graph, inner) for g in gates_in(graph, f, "decorator", 1)
                ]
    return found


def _nested(graph: AgentGraph, fn: Fn) -> list[Fn]:
    """A decorator and the wrappers defined inside it."""
    return [
        f for f in graph.program.functions[fn.file.path] if f is fn or graph.program.parent(f) is fn
    ]
