"""What a `for` goes over: how often at most, or without an end."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.graph.bound import Bound
from agentcheck.graph.counters import Counters
from agentcheck.graph.narrow import NONE
from agentcheck.graph.people import PERSON_NAMES, WORK_LAST
from agentcheck.graph.reaching import reaching
from agentcheck.graph.slots import slot
from agentcheck.graph.text import argument, last_name
from agentcheck.graph.turn import Turn
from agentcheck.graph.values import At, Values
from agentcheck.graph.walk import descend
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

DEPTH = 6
_SAME = {"enumerate", "reversed", "sorted", "list", "tuple", "iter", "filter", "tqdm.tqdm", "tqdm"}
_ENDLESS = {"itertools.count", "itertools.cycle"}


class Reach(Struct, frozen=True):
    """How far an iterable goes: without an end, up to an expression, or over its items."""

    end: E.Expr | None = None
    endless: bool = False


ITEMS, ENDLESS = Reach(), Reach(endless=True)


class Iterables:
    """Judges what loops of one function go over."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.resolver = turn.tracer.resolver

    def reach(self, expr: E.Expr, depth: int = DEPTH) -> Reach:
        """The reach of an iterable; one that nobody can look into ends."""
        fn = self.turn.fn
        match expr:
            case E.Call():
                return self._call(expr, self.resolver.dotted(expr.func, fn), depth)
            case E.Name() if depth > 0:
                bindings = self.turn.tracer.program.scope(fn).get(expr.id, [])
                given = [
                    b.expr for b in reaching(bindings, expr.where) if b.how == "value" and b.expr
                ]
                found = [self.reach(value, depth - 1) for value in given]
                return next((r for r in found if r.endless), found[0] if found else ITEMS)
            case E.Comp(kind="generator", loops=(first, *_)):
                return self.reach(first.iter, depth - 1) if depth > 0 else ITEMS
            case _:
                return ITEMS

    def _call(self, call: E.Call, names: frozenset[str], depth: int) -> Reach:
        plain = [a.value for a in call.args if a.name is None and not a.star]
        if names & _ENDLESS:
            return ENDLESS
        if names & {"itertools.repeat"}:
            times = argument(call, "times", 1)
            return ENDLESS if times is None else Reach(times)
        if names & {"range"} and len(plain) > 2:
            return ITEMS
        if names & {"range"} and plain:
            return Reach(plain[min(1, len(plain) - 1)])
        if names & {"itertools.islice"} and len(plain) > 1:
            return Reach(plain[min(2, len(plain) - 1)])
        if names & {"iter"} and len(plain) == 2:
            return ITEMS if self._outside(plain[0]) else ENDLESS
        if names & {"zip"} and plain and depth > 0:
            found = [self.reach(p, depth - 1) for p in plain]
            return next((r for r in found if not r.endless), ENDLESS)
        if names & {"map"} and len(plain) > 1 and depth > 0:
            return self.reach(plain[1], depth - 1)
        if names & _SAME and plain and depth > 0:
            return self.reach(plain[-1] if names & {"filter"} else plain[0], depth - 1)
        return ITEMS

    def _outside(self, called: E.Expr) -> bool:
        """`iter(file.readline, "")`, `iter(input, "quit")`, `iter(partial(file.read, 9), b"")`."""
        names = [n for e in descend(called) for n in (last_name(e),) if n]
        known = self.resolver.dotted(called, self.turn.fn)
        return bool(known & PERSON_NAMES) or any(
            n in WORK_LAST or n.startswith("read") for n in names
        )

    def bounds(self, counters: Counters) -> Iterator[Bound]:
        """A `for` ends with what it goes over, unless that has no end or grows meanwhile."""
        loop = self.turn.loop
        if not isinstance(loop, S.For):
            return
        found, place = self.reach(loop.iter), self.turn.fn.place(loop.iter.span)
        if found.endless or self._grows_while_read(loop, counters):
            return
        if found.end is None or self._is_length(found.end):
            yield Bound("iterations", place, unit="items")
            return
        values = Values(self.turn.tracer)
        limits = tuple(values.of(found.end, At(self.turn.fn, 4)))
        params = tuple((fn, param) for (fn, _), (param, _) in values.params.items())
        spared = tuple((fn, p) for (fn, _), (p, drop) in values.params.items() if NONE in drop)
        yield Bound("iterations", place, limits, "turns", params, spared)

    def _is_length(self, end: E.Expr) -> bool:
        """`len(items)`, or a name that holds it."""
        if isinstance(end, E.Name):
            bindings = self.turn.tracer.program.scope(self.turn.fn).get(end.id, [])
            given = [b.expr for b in reaching(bindings, end.where)]
            return bool(given) and all(e is not None and _length(e) for e in given)
        return _length(end)

    def _grows_while_read(self, loop: S.For, counters: Counters) -> bool:
        """Each turn adds what the model said to the list that the loop goes over."""
        inner = loop.iter
        if isinstance(inner, E.Call) and last_name(inner.func) == "enumerate" and inner.args:
            inner = inner.args[0].value
        if slot(inner) is None or counters.grows(inner) is None:
            return False
        return self.turn.spoken(inner)

    @property
    def endless(self) -> bool:
        """Whether the loop is a `for` over something without an end."""
        loop = self.turn.loop
        return isinstance(loop, S.For) and self.reach(loop.iter).endless


def _length(expr: E.Expr) -> bool:
    return isinstance(expr, E.Call) and last_name(expr.func) == "len"
