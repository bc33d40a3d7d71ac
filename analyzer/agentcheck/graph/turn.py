"""One loop as its bounds are looked for: its statements, its expressions, what its model says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from agentcheck.graph.bound import Loop
from agentcheck.graph.endings import Endings
from agentcheck.graph.handles import Ctx, Located, Site
from agentcheck.graph.origins import Tracer
from agentcheck.graph.slots import slot
from agentcheck.graph.walk import descend, located, own_exprs, sites
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

PUTS = frozenset(
    "append extend insert put put_nowait add appendleft update extendleft push".split()
)
TAKES = frozenset(
    "pop popleft popitem get get_nowait remove discard clear heappop pop_front dequeue".split()
)


class Turn:
    """What one turn of a loop does. `asks` are the calls in it that reach a model."""

    def __init__(self, loop: Loop, at: Located, asks: Sequence[Site], tracer: Tracer) -> None:
        self.loop = loop
        self.at = at
        self.fn = at.fn
        self.asks = {id(site.expr) for site in asks}
        self.tracer = tracer
        self.inside = located(at.fn, loop.body, Ctx(loop, "body", at.up))
        self.own = Located(loop, at.fn, at.up)
        self.endings = Endings(tracer.calls, at.fn)

    @cached_property
    def sites(self) -> list[Site]:
        """Every expression that a turn may evaluate; for a `while`, its test too."""
        heads = [self.own] if isinstance(self.loop, S.While) else []
        return sites((*heads, *self.inside))

    @cached_property
    def calls(self) -> list[Site]:
        """Every call of a turn."""
        return [site for site in self.sites if isinstance(site.expr, E.Call)]

    @cached_property
    def said(self) -> frozenset[str]:
        """The slots that something a model said flows into, collections of it included."""
        return self._flow(gathered=True)

    @cached_property
    def _told(self) -> frozenset[str]:
        return self._flow(gathered=False)

    def _flow(self, *, gathered: bool) -> frozenset[str]:
        found = set[str]()
        while True:
            before = len(found)
            for here in self.inside:
                found.update(_assigned(here.stmt, found, self.asks))
                if gathered:
                    found.update(_gathered(here.stmt, found, self.asks))
            for site in self.sites:
                if isinstance(site.expr, E.Walrus) and _tainted(site.expr.value, found, self.asks):
                    found.add(site.expr.target)
            if len(found) == before:
                return frozenset(found)

    def answered(self, expr: E.Expr) -> bool:
        """Whether an expression is made from a reply itself, not from a history that holds it."""
        return _tainted(expr, self._told, self.asks)

    def spoken(self, expr: E.Expr) -> bool:
        """Whether an expression holds something that a model said in this loop."""
        return _tainted(expr, self.said, self.asks)


def _tainted(expr: E.Expr, known: set[str] | frozenset[str], asks: set[int]) -> bool:
    return any(
        id(e) in asks or ((name := slot(e)) is not None and name in known) for e in descend(expr)
    )


def _assigned(stmt: S.Stmt, known: set[str], asks: set[int]) -> set[str]:
    """The slots that a statement sets to something tainted."""
    found = set[str]()
    match stmt:
        case S.Assign(targets=targets, value=value) if value is not None:
            if _tainted(value, known, asks):
                found.update(n for t in targets for n in _target_slots(t))
        case S.For(target=target, iter=value):
            if _tainted(value, known, asks):
                found.update(_target_slots(target))
        case S.With(items=items):
            for item in items:
                if item.target is not None and _tainted(item.value, known, asks):
                    found.update(_target_slots(item.target))
        case _:
            pass
    return found


def _gathered(stmt: S.Stmt, known: set[str], asks: set[int]) -> set[str]:
    """The collections and sums that a statement adds something tainted to."""
    found = set[str]()
    if isinstance(stmt, S.AugAssign) and _tainted(stmt.value, known, asks):
        found.update(_target_slots(stmt.target))
    for own in own_exprs(stmt):
        for expr in descend(own):
            match expr:
                case E.Call(func=E.Attr(attr=attr, value=base), args=args) if attr in PUTS:
                    if any(_tainted(a.value, known, asks) for a in args):
                        found.update(_target_slots(base))
                case _:
                    continue
    return found


def _target_slots(target: E.Expr) -> set[str]:
    match target:
        case E.Items(items=items):
            return {n for item in items for n in _target_slots(item)}
        case E.Star(value=value):
            return _target_slots(value)
        case E.Index(value=value):
            return {n for n in (slot(target), slot(value)) if n}
        case _:
            name = slot(target)
            return {name} if name else set()
