"""What ends a loop besides the model's own wish: counts, clocks, budgets, people, empty queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.graph.bound import Bound, Kind, Loop
from agentcheck.graph.counters import Counters
from agentcheck.graph.draining import Draining
from agentcheck.graph.exits import Exit, conjunctions, exits
from agentcheck.graph.gauge import Gauge
from agentcheck.graph.handles import Located, Site
from agentcheck.graph.helpers import Helpers
from agentcheck.graph.iterables import Iterables
from agentcheck.graph.origins import Tracer
from agentcheck.graph.pacing import paced, timed_out
from agentcheck.graph.slots import root, slot
from agentcheck.graph.steps import Effects
from agentcheck.graph.turn import Turn
from agentcheck.graph.waiting import Waiting
from agentcheck.graph.walk import descend
from agentcheck.graph.withholding import withheld
from agentcheck.model import expr as E
from agentcheck.model import stmt as S


class Loops:
    """Finds the bounds of loops; what helpers do is remembered from one loop to the next."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self._effects = Effects(self.tracer)
        self._helpers = Helpers(self.tracer, self._effects)
        self._waiting = Waiting(self.tracer.calls)

    def bounds(self, loop: Loop, at: Located, asks: Sequence[Site] = ()) -> list[Bound]:
        """Everything that ends the loop, whether or not its limit holds.

        `asks` are the calls in the loop that reach a model: what they give is the model's word.
        """
        turn = Turn(loop, at, asks, self.tracer)
        iterables = Iterables(turn)
        counters = Counters(turn, self._effects, endless=iterables.endless)
        gauge = Gauge(self.tracer, counters)
        endings = exits(turn)
        found = [*iterables.bounds(counters), *timed_out(turn)]
        for ending in endings:
            found += self._ending(turn, gauge, counters, ending)
        found += withheld(turn, gauge)
        found += Draining(turn).bounds(endings)
        found += paced(turn, self._waiting)
        found += self._refused(turn, counters)
        return _once(found)

    def _ending(
        self, turn: Turn, gauge: Gauge, counters: Counters, ending: Exit
    ) -> Iterator[Bound]:
        strict = ending.at is turn.own
        for conjunction in conjunctions(ending.test, truth=ending.when):
            found = gauge.of(conjunction, strict=strict)
            if found is not None:
                yield found
            for condition in conjunction:
                asked = any(id(e) in turn.asks for e in descend(condition.expr))
                yield from self._helpers.asked(condition.expr, ending.at, counters, trust=not asked)
                for at, call in _answering(turn, condition.expr):
                    yield from self._helpers.asked(call, at, counters, trust=True)

    def _refused(self, turn: Turn, counters: Counters) -> Iterator[Bound]:
        """Helpers called each turn that raise past a limit, unless the loop catches that."""
        for site in turn.calls:
            if turn.endings.swallowed(site.at, turn.loop):
                continue
            asked = isinstance(site.expr, E.Call) and id(site.expr) in turn.asks
            yield from self._helpers.raising(site, counters, trust=not asked)


def _answering(turn: Turn, test: E.Expr) -> Iterator[tuple[Located, E.Expr]]:
    """The calls of a turn whose answer a test looks into: `step = self.step()`, `step.done`."""
    if not isinstance(test, E.Attr):
        return
    name = root(slot(test) or "")
    for here in turn.inside:
        stmt = here.stmt
        if isinstance(stmt, S.Assign) and stmt.value and name in map(slot, stmt.targets):
            value = stmt.value.value if isinstance(stmt.value, E.Await) else stmt.value
            if isinstance(value, E.Call):
                yield here, value


def _once(bounds: Sequence[Bound]) -> list[Bound]:
    seen: dict[tuple[object, ...], Bound] = {}
    for bound in bounds:
        seen.setdefault((bound.kind, bound.place, bound.unit), bound)
    return list(seen.values())


__all__ = ["Bound", "Kind", "Loop", "Loops"]
