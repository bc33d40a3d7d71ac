"""Bounds that a helper keeps: it raises past a limit, or says when a loop has had enough."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from agentcheck.graph.bound import Bound
from agentcheck.graph.endings import Endings
from agentcheck.graph.exits import conjunctions
from agentcheck.graph.gauge import Gauge, Movement, is_clock
from agentcheck.graph.handles import Fn, Located, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.resolve import ClassRef, Instance
from agentcheck.graph.slots import outer, root, slot
from agentcheck.graph.steps import Effects, Step
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

DEPTH = 2


class Inside:
    """The movement that a helper sees: its own steps, and those behind what it was given."""

    def __init__(
        self, fn: Fn, given: dict[str, E.Expr], outer: Movement, tracer: Tracer, effects: Effects
    ) -> None:
        self._fn = fn
        self.given = given
        self.outer = outer
        self.tracer = tracer
        self.effects = effects
        shared = [s.names for s in fn.facts.body if isinstance(s, S.Scope)]
        self.shared = {name for names in shared for name in names}

    @property
    def fn(self) -> Fn:
        """The helper."""
        return self._fn

    def _lasts(self, name: str) -> bool:
        """Whether a slot outlives one call: an attribute or item, or a name of a scope outside."""
        return name != root(name) or name in self.shared

    def _free(self, name: str) -> bool:
        return root(name) not in self.tracer.program.scope(self._fn)

    def moves(self, expr: E.Expr) -> list[Step]:
        """Steps by the helper itself, by its class, or of what the caller passes."""
        name = slot(expr)
        if name is None:
            return []
        own = [Step(name, a, None) for n, a in self.effects.of_function(self._fn) if n == name]
        if own and self._lasts(name):
            return own
        if self.effects.of_object(expr, self._fn):
            return [Step(name, expr, None)]
        if name in self.given:
            return [s for e in outer(self.given[name]) for s in self.outer.moves(e)]
        return self.outer.moves(expr) if self._free(name) else []

    def grows(self, expr: E.Expr) -> str | None:
        """Growth of what the caller passes."""
        name = slot(expr)
        if name in self.given:
            return self.outer.grows(self.given[name])
        if self.effects.of_object(expr, self._fn, filled=True):
            return "one"
        return None

    def spoken(self, expr: E.Expr) -> bool:
        """Whether the caller passes something that the model said."""
        names = {root(n) for e in descend(expr) if (n := slot(e))}
        return any(self.outer.spoken(self.given[n]) for n in names if n in self.given)

    def still(self, name: str) -> bool:
        """Local names are; attributes and what is passed may change."""
        return name == root(name) and name not in self.given

    def clocked(self, name: str) -> bool:
        """Whether a local name is worked out from a clock."""
        return any(
            b.expr is not None and any(is_clock(e) for e in descend(b.expr))
            for b in self.tracer.program.scope(self._fn).get(name, ())
        )


class Helpers:
    """Looks into what a loop calls."""

    def __init__(self, tracer: Tracer, effects: Effects) -> None:
        self.tracer = tracer
        self.effects = effects
        self._raising: dict[Fn, list[E.Expr]] = {}

    def asked(self, expr: E.Expr, at: Located, outer: Movement, *, trust: bool) -> Iterator[Bound]:
        """Bounds in the helpers that a test asks: `while allowance.take()`, `if self.done`."""
        yield from self._asked(expr, at, outer, DEPTH, trust=trust)

    def _asked(
        self, expr: E.Expr, at: Located, outer: Movement, depth: int, *, trust: bool
    ) -> Iterator[Bound]:
        for part in descend(expr):
            for fn, given in self._entered(part, at):
                inner = Inside(fn, given, outer, self.tracer, self.effects)
                gauge = Gauge(self.tracer, inner, trust_names=trust)
                for test in self._answers(fn):
                    found = self._bounds(gauge, test)
                    if found is not None:
                        yield _through(found, at.fn, part)
                    elif depth > 0:
                        below = Located(S.Do(test.where, test), fn, None)
                        for bound in self._asked(test, below, inner, depth - 1, trust=trust):
                            yield _through(bound, at.fn, part)

    def _entered(self, expr: E.Expr, at: Located) -> Iterator[tuple[Fn, dict[str, E.Expr]]]:
        """Functions that an expression runs, with what it passes; reading a property runs one."""
        if isinstance(expr, E.Call):
            site = Site(expr, at)
            for fn in self.tracer.calls.callees(site):
                if fn.name != "__init__":
                    yield fn, self._given(site, fn)
        elif isinstance(expr, E.Attr):
            for symbol in self.tracer.resolver.of(expr.value, at.fn):
                if isinstance(symbol, (Instance, ClassRef)):
                    method = self.tracer.resolver.method(symbol.klass, expr.attr)
                    if method is not None and _is_property(method):
                        yield method, {method.facts.params[0].name: expr.value}

    def _given(self, site: Site, fn: Fn) -> dict[str, E.Expr]:
        given = dict(self.tracer.calls.bound(site, fn))
        params, func = fn.facts.params, getattr(site.expr, "func", None)
        if params and params[0].name not in given and isinstance(func, E.Attr):
            given[params[0].name] = func.value
        return given

    def _answers(self, fn: Fn) -> Iterator[E.Expr]:
        """What decides on a helper's answer: its returned tests, and those that return or raise."""
        for at in self.tracer.program.statements(fn):
            match at.stmt:
                case S.Return(value=E.Name(id=name)):
                    bound = self.tracer.program.scope(fn).get(name, ())
                    yield from (b.expr for b in bound if b.expr is not None and b.how == "value")
                case S.Return(value=value) if value is not None:
                    yield value
                case S.If(test=test):
                    yield test
                case _:
                    continue

    def _bounds(self, gauge: Gauge, test: E.Expr) -> Bound | None:
        for truth in (True, False):
            for conjunction in conjunctions(test, truth=truth):
                found = gauge.of(conjunction)
                if found is not None:
                    return found
        return None

    def raising(self, site: Site, outer: Movement, *, trust: bool) -> Iterator[Bound]:
        """Bounds past which a helper that is called each turn raises."""
        yield from self._raise(site, outer, DEPTH, set(), trust=trust)

    def _raise(
        self, site: Site, outer: Movement, depth: int, seen: set[Fn], *, trust: bool
    ) -> Iterator[Bound]:
        for fn, given in self._entered(site.expr, site.at):
            if fn in seen:
                continue
            seen.add(fn)
            inner = Inside(fn, given, outer, self.tracer, self.effects)
            gauge = Gauge(self.tracer, inner, trust_names=trust)
            for test in self._refusals(fn):
                found = self._bounds(gauge, test)
                if found is not None:
                    yield _through(found, site.fn, site.expr)
            if depth > 0:
                for below, _ in self.tracer.program.calls(fn):
                    for bound in self._raise(below, inner, depth - 1, seen, trust=trust):
                        yield _through(bound, site.fn, site.expr)

    def _refusals(self, fn: Fn) -> list[E.Expr]:
        if fn not in self._raising:
            endings = Endings(self.tracer.calls, fn)
            self._raising[fn] = [
                at.stmt.test
                for at in self.tracer.program.statements(fn)
                if isinstance(at.stmt, S.Assert)
                or (isinstance(at.stmt, S.If) and _raises(at.stmt.body, endings))
            ]
        return self._raising[fn]


def _raises(block: tuple[S.Stmt, ...], endings: Endings) -> bool:
    return any(
        isinstance(s, S.Raise) or (isinstance(s, S.Do) and endings.never_returns(s.value))
        for s in block
    )


def _through(bound: Bound, fn: Fn, expr: E.Expr) -> Bound:
    """The bound as the caller sees it, at the place of its call."""
    return replace(bound, kind="callee", place=fn.place(expr.span))


def _is_property(fn: Fn) -> bool:
    return bool(fn.facts.params) and any(
        (slot(d) or "").rpartition(".")[2] in ("property", "cached_property")
        for d in fn.facts.decorators
    )
