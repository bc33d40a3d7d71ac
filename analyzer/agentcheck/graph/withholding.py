"""Loops that no longer offer tools once a count is reached, so that the model has to answer."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from agentcheck.graph.bound import Bound
from agentcheck.graph.exits import conjunctions
from agentcheck.graph.gauge import Gauge
from agentcheck.graph.slots import slot
from agentcheck.graph.text import string
from agentcheck.graph.turn import Turn
from agentcheck.graph.walk import descend, own_exprs, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


def withheld(turn: Turn, gauge: Gauge) -> Iterator[Bound]:
    """Comparisons of a count that decide whether tools are passed to the model."""
    for here in turn.inside:
        tests = []
        if isinstance(here.stmt, S.If) and any(_alters(s) for s in statements_below(here.stmt)):
            tests.append(here.stmt.test)
        if _mentions(here.stmt):
            choices = [e for own in own_exprs(here.stmt) for e in descend(own)]
            tests += [e.test for e in choices if isinstance(e, E.Choice)]
        for test in tests:
            for truth in (True, False):
                for conjunction in conjunctions(test, truth=truth):
                    found = gauge.of(conjunction)
                    if found is not None and found.kind in ("count", "items", "budget", "time"):
                        yield replace(found, kind="withheld")


def _about_tools(expr: E.Expr) -> bool:
    name = slot(expr) or string(expr) or ""
    return "tool" in name.lower()


def _alters(stmt: S.Stmt) -> bool:
    """Whether a statement sets, drops or forbids the tools of a request."""
    match stmt:
        case S.Assign(targets=targets):
            return any(_about_tools(t) for t in targets)
        case S.Delete(targets=targets):
            return any(_about_tools(t) for t in targets)
        case S.Do(
            value=E.Call(func=E.Attr(attr="pop" | "clear" | "update", value=base), args=args)
        ):
            given = [e for arg in args for e in descend(arg.value)]
            return _about_tools(base) or any(_about_tools(e) for e in given)
        case _:
            return False


def _mentions(stmt: S.Stmt) -> bool:
    exprs = [e for own in own_exprs(stmt) for e in descend(own)]
    return any(_about_tools(e) for e in exprs) or any(
        isinstance(e, E.Call) and any(a.name and "tool" in a.name for a in e.args) for e in exprs
    )
