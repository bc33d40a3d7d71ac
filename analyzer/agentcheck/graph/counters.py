"""What a loop counts: slots that its turns move one way, collections that its turns fill."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from agentcheck.graph.endings import Block, block_of, inner_loop
from agentcheck.graph.gauge import is_clock
from agentcheck.graph.handles import Fn, Located
from agentcheck.graph.people import asks_a_person
from agentcheck.graph.slots import outer_slots, root, slot
from agentcheck.graph.steps import Effects, Step, puts, resets, steps
from agentcheck.graph.turn import Turn
from agentcheck.graph.walk import blocks, descend, sites, statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

Growth = Literal["one", "many", "maybe"]


class Counters:
    """Answers for one loop."""

    def __init__(self, turn: Turn, effects: Effects, *, endless: bool) -> None:
        self.turn = turn
        self.effects = effects
        self._endless = endless

    @cached_property
    def steps(self) -> dict[str, list[Step]]:
        """Every slot that a turn moves, itself or through a helper."""
        found: dict[str, list[Step]] = {}
        here = [self.turn.own] if isinstance(self.turn.loop, S.While) else []
        for at in (*here, *self.turn.inside):
            for name, amount in steps(at.stmt):
                found.setdefault(name, []).append(Step(name, amount, at))
        for site in self.turn.calls:
            for name, amount in self.effects.at(site):
                found.setdefault(name, []).append(Step(name, amount, None))
        loop = self.turn.loop
        if isinstance(loop, S.For) and self._endless:
            first = loop.target.items[0] if isinstance(loop.target, E.Items) else loop.target
            target = slot(first)
            if target:
                found.setdefault(target, []).append(Step(target, loop.iter, self.turn.own))
        return found

    @cached_property
    def _reset(self) -> set[str]:
        """Slots that are set back inside the loop by anything but a person."""
        found = set[str]()
        for at in self.turn.inside:
            names = set(resets(at.stmt))
            if names and not self._leaves_after(at) and not self._person_around(at):
                found |= names
        return found

    def _leaves_after(self, at: Located) -> bool:
        ctx = at.up
        if ctx is None or ctx.stmt is self.turn.loop:
            return False
        return self.turn.endings.surely(block_of(at), nested=inner_loop(at, self.turn.loop))

    def _person_around(self, at: Located) -> bool:
        for ctx in at.around():
            if ctx.stmt is self.turn.loop:
                return False
            if isinstance(ctx.stmt, S.If):
                below = [Located(s, at.fn, ctx) for s in (ctx.stmt, *statements_below(ctx.stmt))]
                for site in sites(below):
                    if isinstance(site.expr, E.Call) and asks_a_person(
                        self.turn.tracer.calls, site
                    ):
                        return True
        return False

    def moves(self, expr: E.Expr) -> list[Step]:
        """The steps of a slot that every turn, or every turn that goes on, has to take."""
        name = slot(expr)
        if name is None or name in self._reset:
            return []
        found = self.steps.get(name, [])
        if found:
            return [] if all(self._on_failure_only(step) for step in found) else found
        if self.effects.of_object(expr, self.turn.fn):
            return [Step(name, expr, None)]
        return []

    def _on_failure_only(self, step: Step) -> bool:
        """Counted in an `except` alone, while turns that meet no exception go on for ever."""
        for ctx in step.at.around() if step.at else ():
            if ctx.stmt is self.turn.loop:
                return False
            if isinstance(ctx.stmt, S.Try) and ctx.part == "handler":
                return not self._success_ends(step.at, ctx.stmt) if step.at else False
        return False

    def _success_ends(self, at: Located, stmt: S.Try) -> bool:
        ctx = next(c for c in at.around() if c.stmt is stmt)
        nested = inner_loop(Located(stmt, at.fn, ctx.up), self.turn.loop)
        if self.turn.endings.succeeds_out(at, ctx, nested=nested):
            return True
        loop = self.turn.loop
        asked = set(outer_slots(loop.test)) if isinstance(loop, S.While) else set()
        done = [s for block in (stmt.body, stmt.orelse) for s in block]
        return any(
            isinstance(s, S.Assign) and any(slot(t) in asked for t in s.targets) for s in done
        )

    def measured(self, expr: E.Expr) -> Iterator[tuple[E.Expr, Growth]]:
        """The collections whose length an expression takes and that turns fill."""
        for part in descend(expr):
            if isinstance(part, E.Call) and isinstance(part.func, E.Name) and part.func.id == "len":
                for arg in part.args[:1]:
                    growth = self.grows(arg.value)
                    if growth is not None:
                        yield part, growth

    def grows(self, expr: E.Expr) -> Growth | None:
        """How a turn fills a collection: by one, by many, or perhaps not at all."""
        name = slot(expr)
        if name is None:
            return None
        least, most = self._puts(self.turn.loop.body, name)
        if most == 0:
            return "one" if self.effects.of_object(expr, self.turn.fn, filled=True) else None
        return "maybe" if least == 0 else "one" if most == 1 else "many"

    def _puts(self, block: Block, name: str) -> tuple[int, int]:
        """At least and at most how often a block that does not leave the loop fills the slot."""
        low = high = 0
        early: int | None = None
        for stmt in block:
            if isinstance(stmt, S.If):
                ways = [b for b in (stmt.body, stmt.orelse) if not self.turn.endings.surely(b)]
                counts = [self._puts(b, name) for b in ways]
                ended = [self.turn.endings.surely(b, turn=True) for b in ways]
                for (least, _), ends in zip(counts, ended, strict=True):
                    if ends:
                        early = low + least if early is None else min(early, low + least)
                on = [least for (least, _), ends in zip(counts, ended, strict=True) if not ends]
                low += min(on, default=0)
                high += max((most for _, most in counts), default=0)
            else:
                least, most = self._put_by(stmt, name)
                low, high = low + least, high + most
        return (low if early is None else min(low, early)), high

    def _put_by(self, stmt: S.Stmt, name: str) -> tuple[int, int]:
        inner = [block for _, _, block in blocks(stmt)]
        counts = [self._puts(block, name) for block in inner]
        match stmt:
            case S.While() | S.For():
                return 0, 2 * max((most for _, most in counts), default=0)
            case S.With():
                return counts[0]
            case S.Try():
                always = [self._puts(b, name) for b in (stmt.body, stmt.orelse, stmt.final)]
                return sum(a for a, _ in always), max(
                    sum(b for _, b in always), max((b for _, b in counts), default=0)
                )
            case S.Match():
                return 0, max((most for _, most in counts), default=0)
            case _:
                own = [one for slot_, _, one in puts(stmt) if slot_ == name]
                if own:
                    return len(own), sum(1 if one else 2 for one in own)
                return self._put_by_helper(stmt, name)

    def _put_by_helper(self, stmt: S.Stmt, name: str) -> tuple[int, int]:
        for site in sites([Located(stmt, self.turn.fn, None)]):
            if isinstance(site.expr, E.Call) and any(
                n == name for n, _ in self.effects.at(site, filled=True)
            ):
                return 1, 1
        return 0, 0

    @property
    def fn(self) -> Fn:
        """The function of the loop."""
        return self.turn.fn

    def spoken(self, expr: E.Expr) -> bool:
        """Whether it holds something that the model said."""
        return self.turn.spoken(expr)

    @cached_property
    def _assigned(self) -> set[str]:
        found = set(self.steps)
        for at in self.turn.inside:
            if isinstance(at.stmt, S.Assign):
                found.update(n for t in at.stmt.targets for e in descend(t) if (n := slot(e)))
            elif isinstance(at.stmt, S.For):
                found.update(n for e in descend(at.stmt.target) if (n := slot(e)))
        return found | {s.expr.target for s in self.turn.sites if isinstance(s.expr, E.Walrus)}

    def still(self, name: str) -> bool:
        """Whether a local name keeps its value from turn to turn."""
        return name == root(name) and name not in self._assigned

    def clocked(self, name: str) -> bool:
        """Whether a name is worked out from a clock."""
        return any(
            b.expr is not None and any(is_clock(e) for e in descend(b.expr))
            for b in self.turn.tracer.program.scope(self.turn.fn).get(name, ())
        )
