"""Whether somebody or something says yes before a tool acts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from agentcheck.graph.effects import Effect
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.people import asks_a_person
from agentcheck.graph.resolve import ClassRef, Function, Instance
from agentcheck.graph.text import dotted, last_name, read_key
from agentcheck.graph.toolset import Tool
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

_GATE = re.compile(
    r"approv|confirm|permission|authori[sz]e(?!d_user)|consent|human_in|human_input|human_review|"
    r"require_human|needs_human|hitl|is_allowed|allowed_tools|check_policy|policy_check|guardrail|"
    r"can_use_tool|ask_user|ask_before|veto|sign_?off|escalate_to_human|interrupt"
)
# Calls that tell of an approval and give none.
_TELLS = re.compile(r"^_?(log|send|notify|record|print|format|emit|track|render|display|show)_")
# Parameters that the run fills and not the model.
_INJECTED = re.compile(r"context|^ctx$|state|runtime|config|session|deps|wrapper|^self$|^cls$")
Where = Literal["tool", "decorator", "caller", "dispatch", "option"]


@dataclass(frozen=True, slots=True)
class Gate:
    """Something that may stop an effect; `where` it stands relative to the tool.

    `by` is the expression in the tool's own body that it is, or that leads to it.
    """

    where: Where
    place: Place
    says: str
    by: Site | None = None

    def is_before(self, site: Site | None) -> bool:
        """Whether it stands before a site of the same function, or around all of it."""
        if self.by is None or site is None or self.by.fn is not site.fn:
            return True
        return self.by.expr.span.line < site.expr.span.line or (
            self.by.expr.span.line == site.expr.span.line
            and self.by.expr.span.column <= site.expr.span.column
        )


def gates_of(graph: AgentGraph, tool: Tool, effects: Sequence[Effect]) -> list[Gate]:
    """The gates on a tool, if together they stand before every effect; else none.

    They are its framework's switch, its decorators and what is set on it, its body and what a
    hosted tool is given.
    """
    found = [*_option_gates(tool), *_set_on(graph, tool), *_given_gates(graph, tool)]
    if tool.fn is not None:
        found += _decorator_gates(graph, tool, tool.fn)
        found += gates_in(graph, tool.fn, "tool")
    held = all(any(gate.is_before(effect.by) for gate in found) for effect in effects)
    return found if held else []


def _option_gates(tool: Tool) -> Iterator[Gate]:
    if tool.approval in ("yes", "maybe"):
        yield Gate("option", tool.place, "the framework's approval switch is on")


def gates_in(graph: AgentGraph, fn: Fn, where: Where, depth: int = 2) -> Iterator[Gate]:
    """Gates in a function's body and its callees: a person asked, or a test named like one."""
    yield from _gates(graph, fn, where, depth, set())


def _gates(graph: AgentGraph, fn: Fn, where: Where, depth: int, seen: set[Fn]) -> Iterator[Gate]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site in graph.program.sites(fn):
        if isinstance(site.expr, E.Call) and asks_a_person(graph.calls, site):
            yield Gate(where, site.place, "a person is asked", site)
        elif _is_gate(graph, site, where):
            yield Gate(where, site.place, "an approval is tested", site)
        elif isinstance(site.expr, E.Call):
            for callee in graph.calls.callees(site):
                for gate in _gates(graph, callee, where, depth - 1, seen):
                    yield replace(gate, by=site)


def _is_gate(graph: AgentGraph, site: Site, where: Where) -> bool:
    """A call or a tested value that speaks of approval and can hold the rest back."""
    match site.expr:
        case E.Call(func=func) if _GATE.search((last_name(func) or "").lower()):
            return _can_stop(graph, site)
        case E.Name() | E.Attr() | E.Index() | E.Call():
            return _is_tested(site) and _speaks(graph, site, where)
        case E.Choice(test=test):
            return any(_named(e) and not _from_model(graph, e, site, where) for e in descend(test))
        case _:
            return False


def _speaks(graph: AgentGraph, site: Site, where: Where) -> bool:
    return _named(site.expr) and not _from_model(graph, site.expr, site, where)


def _named(expr: E.Expr) -> bool:
    """Whether a name, or the key that is read, speaks of approval."""
    word = expr.id if isinstance(expr, E.Name) else read_key(expr)
    return bool(_GATE.search((word or "").lower()))


def _is_tested(site: Site) -> bool:
    return isinstance(site.at.stmt, (S.If, S.While, S.Assert))


def _from_model(graph: AgentGraph, expr: E.Expr, site: Site, where: Where) -> bool:
    """Whether the model itself says that all is well: `confirmed` among the tool's parameters."""
    if where != "tool":
        return False
    root = expr
    while isinstance(root, (E.Attr, E.Index, E.Call)):
        root = root.func if isinstance(root, E.Call) else root.value
    origins = graph.tracer.local(root, site.fn)
    return bool(origins) and all(
        o.kind == "param" and o.fn is site.fn and not _is_injected(site.fn, o.param or "")
        for o in origins
    )


def _is_injected(fn: Fn, name: str) -> bool:
    for param in fn.facts.params:
        if param.name == name:
            typed = (
                [last_name(e) or "" for e in descend(param.annotation)] if param.annotation else []
            )
            return any(_INJECTED.search(word.lower()) for word in (name, *typed))
    return False


def _can_stop(graph: AgentGraph, site: Site) -> bool:
    """Whether a call's answer is used, or the call can raise; a report of approval does neither."""
    callees = graph.calls.callees(site)
    tells = bool(_TELLS.search((last_name(site.call.func) or "").lower()))
    statement = site.at.stmt
    alone = isinstance(statement, S.Do) and _bare(statement.value) is site.expr
    if alone and callees:
        return any(_raises(graph, fn, 2) for fn in callees)
    return not tells or _is_tested(site)


def _bare(expr: E.Expr) -> E.Expr:
    return expr.value if isinstance(expr, E.Await) else expr


def _raises(graph: AgentGraph, fn: Fn, depth: int) -> bool:
    """Whether a function may end by an exception of its own."""
    if any(isinstance(at.stmt, (S.Raise, S.Assert)) for at in graph.program.statements(fn)):
        return True
    return depth > 0 and any(
        _raises(graph, callee, depth - 1)
        for site, _ in graph.program.calls(fn)
        for callee in graph.calls.callees(site)
    )


def _decorator_gates(graph: AgentGraph, tool: Tool, fn: Fn) -> Iterator[Gate]:
    host = graph.program.parent(fn) or fn
    for decorator in fn.facts.decorators:
        written = dotted(decorator) or ""
        if _GATE.search(written.lower()) or _asks_by_keyword(tool, decorator):
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
        and _GATE.search((arg.name or "").lower())
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
        if not isinstance(at.stmt, S.Assign):
            continue
        for target in at.stmt.targets:
            if isinstance(target, E.Attr) and last_name(target.value) == tool.fn.name:
                if _GATE.search(target.attr.lower()):
                    yield Gate("option", at.place, f"`{target.attr}` is set on it")


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
