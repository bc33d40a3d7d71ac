"""What ends a loop besides the model's own wish: counts, clocks, budgets, people, empty queues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agentcheck.graph.handles import Ctx, Fn, Located, Site
from agentcheck.graph.limits import Limit, params_of, worth_of
from agentcheck.graph.origins import Tracer
from agentcheck.graph.people import asks_a_person, waits_for_work
from agentcheck.graph.text import dotted, last_name, string
from agentcheck.graph.walk import blocks, descend, located, own_exprs, sites, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

Kind = Literal[
    "iterations",
    "count",
    "items",
    "time",
    "budget",
    "drained",
    "person",
    "work",
    "withheld",
    "callee",
]
Loop = S.While | S.For


@dataclass(frozen=True, slots=True)
class Bound:
    """One thing that ends a loop. `unit` is what is counted; `limits` its possible values;
    `params` the parameters through which the limit is given.
    """

    kind: Kind
    place: Place
    limits: tuple[Limit, ...] = ()
    unit: str = "turns"
    params: tuple[tuple[Fn, E.Param], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it ends the loop for every value that its limit is known to have."""
        return not any(limit.worth in ("infinite", "none") for limit in self.limits)


@dataclass(frozen=True, slots=True)
class Loops:
    """Finds the bounds of a loop in a function."""

    tracer: Tracer

    def bounds(self, loop: Loop, at: Located) -> list[Bound]:
        """Everything that ends the loop, whether or not its limit holds."""
        inside = list(located(at.fn, loop.body, Ctx(loop, "body", at.up)))
        found = [*self._by_iteration(loop, at), *self._by_clock(at, inside)]
        found += self._by_comparison(loop, at, inside)
        found += self._by_withholding(loop, at, inside)
        found += self._by_draining(loop, at)
        found += self._by_people(loop, at, inside)
        found += self._by_callee(loop, at, inside)
        return found

    def _by_callee(self, loop: Loop, at: Located, inside: list[Located]) -> Iterator[Bound]:
        """A helper called each turn, or asked by a test that ends the loop, compares with a limit."""
        asking = {id(s.stmt) for s in inside if isinstance(s.stmt, S.If) and leaves(s.stmt, loop)}
        own = Located(loop, at.fn, at.up)
        for here in (own, *inside):
            asks = here is own or id(here.stmt) in asking
            for site in sites(here):
                if isinstance(site.expr, E.Call):
                    for callee in self.tracer.calls.callees(site):
                        if limit_in(self.tracer, callee, raising=not asks):
                            yield Bound("callee", site.place)

    def _by_iteration(self, loop: Loop, at: Located) -> Iterator[Bound]:
        """A `for` ends with what it goes over, unless that has no end."""
        if not isinstance(loop, S.For):
            return
        if isinstance(loop.iter, E.Call):
            names = self.tracer.resolver.dotted(loop.iter.func, at.fn)
            if names & {"itertools.count", "itertools.cycle", "itertools.repeat"}:
                return
            if names & {"iter"} and len(loop.iter.args) == 2:
                return
            if names & {"range"} and loop.iter.args:
                end = loop.iter.args[min(1, len(loop.iter.args) - 1)].value
                limits = tuple(worth_of(self.tracer, end, at.fn))
                yield Bound("iterations", at.fn.place(loop.iter.span), limits)
                return
        yield Bound("iterations", at.fn.place(loop.iter.span), unit="items")

    def _by_clock(self, at: Located, inside: list[Located]) -> Iterator[Bound]:
        """A time-out around the loop, or around all that a turn does."""
        around = [c.stmt for c in at.around()]
        for stmt in (*around, *(s.stmt for s in inside)):
            if isinstance(stmt, S.With):
                for item in stmt.items:
                    name = last_name(item.value.func) if isinstance(item.value, E.Call) else None
                    if name in _TIMEOUTS and stmt in around:
                        yield Bound("time", at.fn.place(item.value.span), unit="seconds")

    def _by_comparison(self, loop: Loop, at: Located, inside: list[Located]) -> Iterator[Bound]:
        counters = Counters(loop, at, inside, self.tracer)
        tests = [(loop.test, True)] if isinstance(loop, S.While) else []
        tests += [
            (s.stmt.test, False)
            for s in inside
            if isinstance(s.stmt, S.If) and leaves(s.stmt, loop)
        ]
        for test, _ in tests:
            for expr in descend(test):
                if isinstance(expr, E.Compare) and len(expr.rights) == 1:
                    yield from self._compared(expr, at.fn, counters)
                elif isinstance(expr, E.Name):
                    yield from self._flag(expr, at.fn, counters, inside)

    def _compared(self, test: E.Compare, fn: Fn, counters: Counters) -> Iterator[Bound]:
        if test.ops[0] not in ("<", "<=", ">", ">=", "==", "!="):
            return
        for side, other in ((test.left, test.rights[0]), (test.rights[0], test.left)):
            kind = counters.kind(side) or ("count" if names_limit(other) else None)
            if kind is None:
                continue
            limits = tuple(worth_of(self.tracer, other, fn)) if kind in ("count", "items") else ()
            params = tuple(params_of(self.tracer, other, fn))
            yield Bound(kind, fn.place(test.span), limits, counters.unit(side), params)
            return

    def _flag(
        self, name: E.Name, fn: Fn, counters: Counters, inside: list[Located]
    ) -> Iterator[Bound]:
        """`if out_of_turns: break` where `out_of_turns = turns >= limit` is worked out before."""
        for here in inside:
            if isinstance(here.stmt, S.Assign) and here.stmt.value is not None:
                if any(isinstance(t, E.Name) and t.id == name.id for t in here.stmt.targets):
                    for expr in descend(here.stmt.value):
                        if isinstance(expr, E.Compare) and len(expr.rights) == 1:
                            yield from self._compared(expr, fn, counters)

    def _by_withholding(self, loop: Loop, at: Located, inside: list[Located]) -> Iterator[Bound]:
        """Tools are no longer offered once a count is reached, so the model has to answer."""
        counters = Counters(loop, at, inside, self.tracer)
        for here in inside:
            for site in sites(here):
                test = site.expr.test if isinstance(site.expr, E.Choice) else None
                if isinstance(here.stmt, S.If) and site.expr is here.stmt.test:
                    test = here.stmt.test if _touches_tools(here.stmt) else None
                elif test is not None and not _mentions_tools(here.stmt):
                    test = None
                for expr in descend(test) if test is not None else ():
                    if isinstance(expr, E.Compare) and len(expr.rights) == 1:
                        for bound in self._compared(expr, at.fn, counters):
                            yield Bound("withheld", bound.place, bound.limits, bound.unit)

    def _by_draining(self, loop: Loop, at: Located) -> Iterator[Bound]:
        """`while queue:` that only takes out."""
        if not isinstance(loop, S.While):
            return
        names = {e.id for e in _asked(loop.test) if isinstance(e, E.Name)}
        for name in names:
            used = {
                e.func.attr
                for s in statements_below(loop)
                for own in own_exprs(s)
                for e in descend(own)
                if isinstance(e, E.Call)
                and isinstance(e.func, E.Attr)
                and isinstance(e.func.value, E.Name)
                and e.func.value.id == name
            }
            if used & _TAKES and not used & _PUTS and not _reassigned(loop, name):
                yield Bound("drained", at.fn.place(loop.test.span), unit="items")

    def _by_people(self, loop: Loop, at: Located, inside: list[Located]) -> Iterator[Bound]:
        for here in inside:
            for site in sites(here):
                if not isinstance(site.expr, E.Call):
                    continue
                if asks_a_person(self.tracer.calls, site):
                    yield Bound("person", site.place, unit="inputs")
                elif waits_for_work(self.tracer.calls, site):
                    yield Bound("work", site.place, unit="items of work")


@dataclass(frozen=True, slots=True)
class Counters:
    """What a loop counts: names that each turn moves one way."""

    loop: Loop
    at: Located
    inside: list[Located]
    tracer: Tracer

    def kind(self, side: E.Expr) -> Kind | None:
        """What one side of a comparison measures, or None when the loop does not move it."""
        words = {n.lower() for e in descend(side) if (n := last_name(e))}
        if any(w in _CLOCK for w in words):
            return "time"
        moved = [e for e in descend(side) if isinstance(e, (E.Name, E.Attr)) and self._moves(e)]
        if moved and any(b in w for w in words for b in _BUDGET):
            return "budget"
        if moved:
            return "count"
        return "items" if any(self._grows(e) for e in descend(side)) else None

    def unit(self, side: E.Expr) -> str:
        """What is counted, in words."""
        if any(self._grows(e) for e in descend(side)):
            return "messages"
        return "turns"

    def _moves(self, counter: E.Expr) -> bool:
        name = dotted(counter)
        if any(name == moved for here in self.inside for moved in _moved(here.stmt)):
            return True
        klass = self.tracer.program.self_class(self.at.fn)
        if klass is None or not (name or "").startswith("self."):
            return False
        return any(
            name == moved
            for method in klass.methods.values()
            for here in self.tracer.program.statements(method)
            for moved in _moved(here.stmt)
        )

    def _grows(self, expr: E.Expr) -> bool:
        """`len(x)` where the loop adds to `x`."""
        if not (isinstance(expr, E.Call) and last_name(expr.func) == "len" and expr.args):
            return False
        name = dotted(expr.args[0].value)
        return any(name == grown for here in self.inside for grown in _grown(here.stmt))


def names_limit(expr: E.Expr) -> bool:
    """Whether an expression is named like a limit: `max_turns`, `self.step_limit`, `deadline`."""
    return bool(
        _LIMIT.search((last_name(expr) or string(getattr(expr, "index", None)) or "").lower())
    )


def limit_in(tracer: Tracer, fn: Fn, *, raising: bool) -> bool:
    """Whether a function compares something with a limit; if `raising`, to raise past it."""
    for at in tracer.program.statements(fn):
        tests = [at.stmt.test] if isinstance(at.stmt, S.If) else []
        if not raising and isinstance(at.stmt, S.Return) and at.stmt.value is not None:
            tests.append(at.stmt.value)
        for test in tests:
            compared = any(
                isinstance(e, E.Compare) and any(names_limit(x) for x in (e.left, *e.rights))
                for e in descend(test)
            )
            raises = any(isinstance(s, S.Raise) for s in statements_below(at.stmt))
            if compared and (raises or not raising):
                return True
    return False


def _moved(stmt: S.Stmt) -> Iterator[str | None]:
    """Names that a statement counts up or down."""
    match stmt:
        case S.AugAssign(op="+=" | "-="):
            yield dotted(stmt.target)
        case S.Assign(value=E.Binary(op="+" | "-") as value):
            for target in stmt.targets:
                name = dotted(target)
                if name and any(dotted(e) == name for e in (value.left, value.right)):
                    yield name
        case S.Assign(value=E.Call(func=E.Name(id="next"))):
            yield from (dotted(t) for t in stmt.targets)
        case _:
            return


def _grown(stmt: S.Stmt) -> Iterator[str | None]:
    """Names of containers that a statement adds to."""
    for own in own_exprs(stmt):
        for expr in descend(own):
            if (
                isinstance(expr, E.Call)
                and isinstance(expr.func, E.Attr)
                and expr.func.attr in _PUTS
            ):
                yield dotted(expr.func.value)
    if isinstance(stmt, S.AugAssign) and stmt.op == "+=":
        yield dotted(stmt.target)


def leaves(stmt: S.If, loop: Loop) -> bool:
    """Whether taking a branch of the `if` ends the loop: break, return, raise or exit."""
    return any(_ends_loop(block) for part, _, block in blocks(stmt) if part in ("body", "orelse"))


def _ends_loop(block: tuple[S.Stmt, ...]) -> bool:
    for stmt in block:
        match stmt:
            case S.Return() | S.Raise() | S.Jump(kind="break"):
                return True
            case S.Do(value=E.Call(func=func)) if dotted(func) in (
                "sys.exit",
                "exit",
                "quit",
                "os._exit",
            ):
                return True
            case S.If() | S.With() | S.Try() | S.Match():
                if any(_ends_loop(b) for _, _, b in blocks(stmt)):
                    return True
            case S.While() | S.For():
                if any(isinstance(s, (S.Return, S.Raise)) for s in statements_below(stmt)):
                    return True
            case _:
                continue
    return False


def _asked(test: E.Expr) -> Iterator[E.Expr]:
    """The parts of a loop's test that must be true for another turn."""
    match test:
        case E.Logic(op="and"):
            for value in test.values:
                yield from _asked(value)
        case E.Call(func=E.Name(id="len" | "bool")):
            yield from (a.value for a in test.args)
        case E.Compare(left=left):
            yield from _asked(left)
        case E.Unary(op="not", operand=E.Call(func=E.Attr(attr="empty", value=value))):
            yield value
        case _:
            yield test


def _reassigned(loop: Loop, name: str) -> bool:
    return any(
        isinstance(s, S.Assign) and any(isinstance(t, E.Name) and t.id == name for t in s.targets)
        for s in statements_below(loop)
    )


def _mentions_tools(stmt: S.Stmt) -> bool:
    return any(
        "tool" in (dotted(e) or "").lower() for own in own_exprs(stmt) for e in descend(own)
    ) or any(
        isinstance(e, E.Call) and any(a.name and "tool" in a.name for a in e.args)
        for own in own_exprs(stmt)
        for e in descend(own)
    )


def _touches_tools(stmt: S.If) -> bool:
    return any(
        isinstance(s, S.Assign) and any("tool" in (dotted(t) or "").lower() for t in s.targets)
        for s in statements_below(stmt)
    )


_LIMIT = re.compile(
    r"(^|_)(max|maximum|limit|cap|budget|deadline|timeout|quota)(_|$)|^max[A-Z]?|_max$"
)
_TIMEOUTS = {"timeout", "timeout_at", "move_on_after", "fail_after", "time_limit"}
_CLOCK = {
    "time",
    "monotonic",
    "perf_counter",
    "now",
    "utcnow",
    "elapsed",
    "deadline",
    "elapsed_time",
}
_BUDGET = ("cost", "budget", "token", "spend", "spent", "usd", "price")
_TAKES = {"pop", "popleft", "popitem", "get", "get_nowait", "remove", "discard", "clear", "heappop"}
_PUTS = {
    "append",
    "extend",
    "insert",
    "put",
    "put_nowait",
    "add",
    "appendleft",
    "update",
    "extendleft",
}

__all__ = ["Bound", "Loops", "Site", "leaves"]
