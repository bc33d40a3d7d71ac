"""Loops that sleep and ask again how something that goes on elsewhere is doing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from agentcheck.graph.bound import Bound
from agentcheck.graph.bounds import Loops
from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.people import SLEEPS
from agentcheck.graph.text import last_name, read_key, string
from agentcheck.graph.walk import descend, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind
from agentcheck.model.pattern import lazy_re

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

_STATUS = lazy_re(r"^(\w+_)?(status|state|phase)$")
# Not "ended", "done" or "finished": many services say that of what failed, too.
_DONE = lazy_re(r"^(complete|completed|succeeded|success|successful|ready)$")
_ANY = lazy_re("")
_FAILED = lazy_re(r"fail|err|cancel|expire|abort|terminat|reject|timed?_?out|incomplete|dead|kill")


class Poll(Struct, frozen=True, eq=False):
    """A `while` that sleeps until a status says that something is done.

    `compared` is where the status is looked at. `failure` is where the loop also knows a state of
    failure, or goes on only while the status is one of the pending ones; None where a failure makes
    it wait for ever. `bounds` are what ends it by count or clock.
    """

    at: Located
    compared: Site
    failure: Site | None
    bounds: tuple[Bound, ...]

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.at.fn


def find_polls(graph: AgentGraph) -> Iterator[Poll]:
    """Every such loop outside tests, those left out that ask a model themselves."""
    finder, asking = Loops(graph.tracer), {id(loop.stmt) for loop in graph.loops}
    for fn in graph.program.every_function():
        if code_kind(fn.file.path) == "test":
            continue
        for at in graph.program.statements(fn):
            stmt = at.stmt
            if type(stmt) is S.While and id(stmt) not in asking:
                poll = _poll(graph, finder, at, stmt)
                if poll is not None:
                    yield poll


def _poll(graph: AgentGraph, finder: Loops, at: Located, loop: S.While) -> Poll | None:
    inside = [s for s in graph.program.sites(at.fn) if any(x is loop for x in s.loops())]
    if not any(_sleeps(graph, site) for site in inside):
        return None
    tests = [s for s in inside if _is_test(s, loop)]
    done = next((s for s in tests if _compares(s.expr, _DONE)), None)
    if done is None or not _asks_anew(inside):
        return None
    failure = next((s for s in tests if _compares(s.expr, _FAILED) or _pending(s, loop)), None)
    failure = failure or next((s for s in tests if _names_failure(s.expr) or _leaves(s)), None)
    bounds = tuple(b for b in finder.bounds(loop, at, ()) if b.kind not in ("schedule", "work"))
    return Poll(at, done, failure, bounds)


def _sleeps(graph: AgentGraph, site: Site) -> bool:
    return isinstance(site.expr, E.Call) and bool(
        graph.resolver.dotted(site.expr.func, site.fn) & SLEEPS
    )


def _is_test(site: Site, loop: S.While) -> bool:
    """Whether an expression is a comparison that decides something in the loop."""
    if not isinstance(site.expr, (E.Compare, E.Call, E.Name, E.Attr)):
        return False
    return site.at.stmt is loop or isinstance(site.at.stmt, (S.If, S.Assert, S.Match))


def _compares(expr: E.Expr, word: re.Pattern[str]) -> bool:
    """Whether a status is compared with a state of such a name."""
    if not isinstance(expr, E.Compare):
        return False
    parts = list(descend(expr))
    named = any(_STATUS.match((read_key(e) or getattr(e, "id", None) or "").lower()) for e in parts)
    return named and any(word.search(state) for state in _states(parts))


def _states(parts: list[E.Expr]) -> list[str]:
    """The states an expression names: texts, and members of enumerations."""
    texts = [string(e) for e in parts]
    members = [e.attr for e in parts if isinstance(e, E.Attr) and e.attr.isupper()]
    return [t.lower() for t in (*texts, *members) if t]


def _pending(site: Site, loop: S.While) -> bool:
    """`while status in ("queued", "running")`: any other state, failure too, ends the loop."""
    expr = site.expr
    if site.at.stmt is not loop or not isinstance(expr, E.Compare):
        return False
    return expr.ops[0] in ("in", "==") and not _compares(expr, _DONE)


def _leaves(site: Site) -> bool:
    """Whether another state than that of success leaves the loop."""
    stmt = site.at.stmt
    if not isinstance(stmt, S.If) or not _compares(site.expr, _ANY) or _compares(site.expr, _DONE):
        return False
    below = [x for s in stmt.body for x in (s, *statements_below(s))]
    return any(
        isinstance(x, (S.Return, S.Raise)) or (isinstance(x, S.Jump) and x.kind == "break")
        for x in below
    )


def _names_failure(expr: E.Expr) -> bool:
    """A test of something named for failure, or of whether it is in a set of last states."""
    name = read_key(expr) or (expr.id if isinstance(expr, E.Name) else None)
    name = name or (last_name(expr.func) if isinstance(expr, E.Call) else None)
    return bool(name and re.search(r"fail|error|terminal|final_stat|end_stat", name.lower()))


_ASKS = lazy_re(r"retrieve|get|fetch|poll|refresh|reload|status|describe|check|query|list|state")


def _asks_anew(inside: list[Site]) -> bool:
    return any(
        isinstance(s.expr, E.Call) and _ASKS.search((last_name(s.expr.func) or "").lower())
        for s in inside
    )
