"""Places in a function where a person is asked, or an approval tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.people import asks_a_person
from agentcheck.graph.text import last_name, read_key
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place
from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

GATE = lazy_re(
    r"approv|confirm|permission|authori[sz]e(?!d_user)|consent|human_in|human_input|human_review|"
    r"require_human|needs_human|hitl|is_allowed|allowed_tools|check_policy|policy_check|guardrail|"
    r"can_use_tool|ask_user|ask_before|veto|sign_?off|escalate_to_human|interrupt"
)
# Calls that tell of an approval and give none.
_TELLS = lazy_re(r"^_?(log|send|notify|record|print|format|emit|track|render|display|show)_")
# Parameters that the run fills and not the model.
_INJECTED = lazy_re(r"context|^ctx$|state|runtime|config|session|deps|wrapper|^self$|^cls$")
Where = Literal["tool", "decorator", "caller", "dispatch", "option"]


class Gate(Struct, frozen=True):
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


def gates_in(graph: AgentGraph, fn: Fn, where: Where, depth: int = 2) -> Iterator[Gate]:
    """Gates in a function's body and its callees: a person asked, or a test named like one."""
    yield from _gates(graph, fn, where, depth, set())


def _gates(graph: AgentGraph, fn: Fn, where: Where, depth: int, seen: set[Fn]) -> Iterator[Gate]:
    if fn in seen or depth < 0:
        return
    seen.add(fn)
    for site in graph.program.shaped(fn, E.Call, E.Name, E.Attr, E.Index, E.Choice):
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
        case E.Call(func=func) if GATE.search((last_name(func) or "").lower()):
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
    return bool(GATE.search((word or "").lower()))


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
    return _is_tested(site) or not (tells or (_logs_in(site) and not callees))


def _logs_in(site: Site) -> bool:
    """`creds = gspread.authorize(key)`: the program shows its own papers."""
    return bool(re.match(r"_?authori[sz]e$", (last_name(site.call.func) or "").lower()))


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
