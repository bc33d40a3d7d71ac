"""From a condition that ends a loop to what bounds it: which side moves, which is the limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from msgspec.structs import replace

from agentcheck.graph.bound import Bound, Kind
from agentcheck.graph.exits import FLIPPED, Condition, Conjunction
from agentcheck.graph.handles import Fn
from agentcheck.graph.narrow import NONE
from agentcheck.graph.origins import Tracer
from agentcheck.graph.slots import outer, outer_slots, slot
from agentcheck.graph.steps import Step
from agentcheck.graph.text import last_name, string
from agentcheck.graph.values import At, Values
from agentcheck.graph.walk import descend
from agentcheck.graph.worth import Limit
from agentcheck.model import expr as E
from agentcheck.model.pattern import lazy_re

ORDERED = frozenset(FLIPPED)


class Movement(Protocol):
    """What is known of the slots of the function that a condition stands in."""

    @property
    def fn(self) -> Fn:
        """That function."""

    def moves(self, expr: E.Expr) -> list[Step]:
        """The steps by which each turn moves a slot."""

    def grows(self, expr: E.Expr) -> str | None:
        """How each turn fills a collection: one, many, maybe."""

    def spoken(self, expr: E.Expr) -> bool:
        """Whether it holds something that the model said."""

    def still(self, name: str) -> bool:
        """Whether a slot is known to keep its value from turn to turn."""

    def clocked(self, name: str) -> bool:
        """Whether a name is worked out from a clock."""


class Gauge:
    """Judges conditions of one function."""

    def __init__(self, tracer: Tracer, movement: Movement, *, trust_names: bool = True) -> None:
        self.tracer = tracer
        self.movement = movement
        self.trust_names = trust_names

    def of(self, conjunction: Conjunction, *, strict: bool = False) -> Bound | None:
        """The bound in conditions that must all hold to leave; `strict` where they are an `or` of a
        `while` test, so that each of the others can keep the loop going alone.
        """
        for condition in conjunction:
            found = self._one(condition, alone=len(conjunction) == 1)
            if found is None:
                continue
            bound, limit = found
            others = [c for c in conjunction if c is not condition]
            switches = [c for c in others if limit is not None and _asks_only(c, limit)]
            rest = [c for c in others if c not in switches]
            if strict and any(self._one(c, alone=True) is None for c in rest):
                continue
            return replace(bound, limits=tuple(_switched(x, switches) for x in bound.limits))
        return None

    def _one(self, condition: Condition, *, alone: bool) -> tuple[Bound, E.Expr | None] | None:
        test = condition.expr
        if isinstance(test, E.Compare) and test.ops[0] in ORDERED:
            return self._compared(condition, test, alone=alone)
        steps = self.movement.moves(test) if not condition.truth else []
        if steps and all(_number(step.amount) for step in steps):
            return Bound("count", self.movement.fn.place(test.span)), None
        return None

    def _compared(
        self, condition: Condition, test: E.Compare, *, alone: bool
    ) -> tuple[Bound, E.Expr] | None:
        for side, other in ((test.left, test.rights[0]), (test.rights[0], test.left)):
            if not alone and any(isinstance(e, E.Binary) and e.op == "%" for e in descend(side)):
                continue
            falls = condition.op in (("<", "<=") if side is test.left else (">", ">="))
            found = self._kind(side, other, falls=falls)
            if found is not None:
                return self._bound(test, other, *found), other
        return None

    def _bound(self, test: E.Compare, other: E.Expr, kind: Kind, unit: str) -> Bound:
        values = Values(self.tracer)
        limits = values.of(other, At(self.movement.fn, 4)) if kind != "drained" else []
        if kind in ("budget", "time"):
            limits = [_money(limit) for limit in limits]
        return Bound(
            kind,
            self.movement.fn.place(test.span),
            tuple(limits),
            unit,
            tuple((fn, param) for (fn, _), (param, _) in values.params.items()),
            tuple((fn, p) for (fn, _), (p, drop) in values.params.items() if NONE in drop),
        )

    def _kind(self, side: E.Expr, other: E.Expr, *, falls: bool) -> tuple[Kind, str] | None:
        """What one side of a comparison measures; None when the loop does not move it.

        `falls`: the comparison ends the loop once that side is low, which what grows never is.
        """
        if any(_is_clock(e) or self.movement.clocked(slot(e) or "") for e in descend(side)):
            return "time", "seconds"
        steps = [step for e in outer(side) for step in self.movement.moves(e)]
        if any(self._numeric(step) for step in steps):
            return self._counted(side, other, steps)
        growths = {g for e in descend(side) if (g := self._length(e))}
        if growths:
            if falls or growths == {"maybe"}:
                return None
            return ("count", "turns") if growths == {"one"} else ("items", "messages")
        return self._named(side, other)

    def _numeric(self, step: Step) -> bool:
        """Whether a slot moves by numbers: text put together is no count."""
        parts = list(descend(step.amount))
        if any(isinstance(p, (E.Items, E.Entries, E.Comp)) for p in parts):
            return False
        if any(isinstance(p, E.Template) or string(p) is not None for p in parts):
            return any(isinstance(p, E.Index) for p in parts)
        if _len_of(step.amount) is not None or not self.movement.spoken(step.amount):
            return True  # the number of calls in a reply is a count too
        return any(b in w for w in _words(step.amount) for b in BUDGET)

    def _counted(self, side: E.Expr, other: E.Expr, steps: list[Step]) -> tuple[Kind, str] | None:
        amounts = [w for step in steps for w in _words(step.amount)]
        if any(b in w for w in (*_words(side), *amounts) for b in BUDGET):
            return "budget", "tokens or cost"
        measured = _len_of(other)
        if measured is None:
            return "count", "turns"
        if self.movement.grows(measured) is None:
            return "drained", "items"
        return None if self.movement.spoken(measured) else ("count", "turns")

    def _length(self, expr: E.Expr) -> str | None:
        measured = _len_of(expr)
        return self.movement.grows(measured) if measured is not None else None

    def _named(self, side: E.Expr, other: E.Expr) -> tuple[Kind, str] | None:
        """Where only the limit's name tells: the other side must be able to move by itself."""
        if not self.trust_names or not names_limit(other):
            return None
        words = list(_words(side))
        if any("usage" in w for w in words) and any("token" in w for w in words):
            return "budget", "tokens or cost"
        filled = any(
            isinstance(e, E.Call) and any(self.movement.grows(a.value) for a in e.args)
            for e in descend(side)
        )
        names = list(outer_slots(side))
        fixed = all(self.movement.still(name) for name in names)
        if not filled and (fixed or self.movement.spoken(side)):
            return None
        budget = any(b in w for w in words for b in BUDGET)
        return ("budget", "tokens or cost") if budget else ("count", "turns")


def names_limit(expr: E.Expr) -> bool:
    """Whether an expression is named like a limit: `max_turns`, `1.1 * self.cost_limit`."""
    if isinstance(expr, E.Binary):
        return names_limit(expr.left) or names_limit(expr.right)
    name = last_name(expr) or string(getattr(expr, "index", None)) or ""
    return bool(_LIMIT.search(name.lower()))


def is_clock(expr: E.Expr) -> bool:
    """Whether an expression reads a clock: `time.monotonic()`, `datetime.now()`, `loop.time()`."""
    return isinstance(expr, E.Call) and (last_name(expr.func) or "") in _CLOCKS


def _is_clock(expr: E.Expr) -> bool:
    return is_clock(expr) or (last_name(expr) or "").lower() in _CLOCK_NAMES


def _words(expr: E.Expr) -> Iterator[str]:
    for part in descend(expr):
        word = last_name(part) or string(part)
        if word:
            yield word.lower()


def _len_of(expr: E.Expr) -> E.Expr | None:
    match expr:
        case E.Call(func=E.Name(id="len"), args=(arg, *_)):
            return arg.value
        case _:
            return None


def _number(expr: E.Expr) -> bool:
    return isinstance(expr, E.Const) and isinstance(expr.value, (int, float))


def _money(limit: Limit) -> Limit:
    """A large number of tokens or seconds still is a limit."""
    huge = limit.worth == "infinite" and limit.number is not None and limit.number < 1e12
    return replace(limit, worth="finite") if huge else limit


def _asks_only(condition: Condition, limit: E.Expr) -> bool:
    """Whether a condition asks about the limit itself: `max_turns is not None`, `max_turns > 0`."""
    asked, own = set(outer_slots(condition.expr)), set(outer_slots(limit))
    return bool(asked) and asked <= own


def _switched(limit: Limit, switches: list[Condition]) -> Limit:
    """No limit at all where a test of its value, -1 or 0, switches the comparison off."""
    if limit.worth != "finite" or limit.number is None:
        return limit
    off = any(_fails(c, limit.number) for c in switches)
    return replace(limit, worth="none") if off else limit


def _fails(condition: Condition, number: float) -> bool:
    match condition.expr:
        case E.Compare(ops=(op,), rights=(right,)) if op in _TESTS:
            other = _constant(right)
            return other is not None and _TESTS[op](number, other) is not condition.truth
        case E.Name() | E.Attr() | E.Index():
            return bool(number) is not condition.truth
        case _:
            return False


def _constant(expr: E.Expr) -> float | None:
    match expr:
        case E.Const(value=int() | float() as value):
            return float(value)
        case E.Unary(op="-", operand=E.Const(value=int() | float() as value)):
            return -float(value)
        case _:
            return None


_TESTS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_LIMIT = lazy_re(
    r"(^|_)(max|maximum|limit|cap|budget|deadline|timeout|quota|ceiling)(_|$)|^max[A-Z]?|_max$"
)
_CLOCKS = {"time", "monotonic", "perf_counter", "now", "utcnow", "today", "process_time", "time_ns"}
_CLOCK_NAMES = {"elapsed", "deadline", "elapsed_time", "elapsed_seconds", "time_left"}
BUDGET = ("cost", "budget", "token", "spend", "spent", "usd", "price", "usage")
