"""Loops that take from a collection until it is empty, or read a source to its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.graph.bound import Bound
from agentcheck.graph.endings import inner_loop
from agentcheck.graph.exits import Condition, Exit, conjunctions
from agentcheck.graph.handles import Site
from agentcheck.graph.pacing import each_turn
from agentcheck.graph.slots import slot
from agentcheck.graph.steps import puts
from agentcheck.graph.text import last_name
from agentcheck.graph.turn import TAKES, Turn
from agentcheck.graph.walk import descend, own_exprs
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.pattern import lazy_re

_EMPTY = {"IndexError", "KeyError", "Empty", "QueueEmpty", "StopIteration", "StopAsyncIteration"}
_READS = lazy_re(
    r"(read|fetch|list|get|scan|query|search|next|load|paginate|recv|receive|page)(?!s$)",
    re.IGNORECASE,
)


class Draining:
    """Judges one loop."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn

    def bounds(self, exits: list[Exit]) -> Iterator[Bound]:
        """Collections that only lose elements, iterators that run out, sources read to the end."""
        for ending in exits:
            for conjunction in conjunctions(ending.test, truth=ending.when):
                for condition in conjunction:
                    if self._drained(condition) or self._read_out(condition):
                        place = self.turn.fn.place(condition.expr.span)
                        yield Bound("drained", place, unit="items")
        yield from self._until_error()
        yield from self._taken_each_turn()

    def _taken_each_turn(self) -> Iterator[Bound]:
        """`job = self.jobs.popleft()`: without a job that others put there, no model is asked."""
        for site in self.turn.calls:
            name = _source(site.expr)
            if name and site.always and each_turn(self.turn, site) and not self._refilled(name):
                yield Bound("work", site.place, unit="items of work")

    def _drained(self, condition: Condition) -> bool:
        return any(self._only_taken(name) for name in _emptied(condition))

    def _only_taken(self, name: str) -> bool:
        taken = any(n == name for here in self.turn.inside for n in _taken(here.stmt))
        taken = taken or any(_takes(site, name) for site in self.turn.calls)
        taken = taken or any(self._sifted(here.stmt, name) for here in self.turn.inside)
        return taken and not self._refilled(name)

    def _sifted(self, stmt: S.Stmt, name: str) -> bool:
        """`todo = later`, where `later` begins empty and is only given elements of `todo`."""
        if not isinstance(stmt, S.Assign) or name not in map(slot, stmt.targets):
            return False
        later = slot(stmt.value) if stmt.value else None
        stmts = [here.stmt for here in self.turn.inside]
        elements = {slot(s.target) for s in stmts if isinstance(s, S.For) and slot(s.iter) == name}
        given = [slot(value) for s in stmts for filled, value, _ in puts(s) if filled == later]
        empty = any(
            isinstance(s, S.Assign)
            and later in map(slot, s.targets)
            and isinstance(s.value, E.Items)
            and not s.value.items
            for s in stmts
        )
        return later is not None and empty and bool(given) and set(given) <= elements

    def _refilled(self, name: str) -> bool:
        """Filled with what the model said, or with the very element that was taken out."""
        out = {n for here in self.turn.inside for n in _taken_into(here.stmt, name)}
        for here in self.turn.inside:
            for filled, given, _ in puts(here.stmt):
                if filled == name and (self.turn.spoken(given) or slot(given) in out):
                    return True
            rebound = isinstance(here.stmt, S.Assign) and name in map(slot, here.stmt.targets)
            kept = name in set(_taken(here.stmt)) or self._sifted(here.stmt, name)
            if rebound and not kept:
                return True
        return False

    def _read_out(self, condition: Condition) -> bool:
        """`while piece := file.read(n)`, `if not page.next_token: break`, and the like."""
        if condition.truth and not isinstance(condition.expr, E.Compare):
            return False
        subject = condition.expr
        if isinstance(subject, E.Compare):
            if not (isinstance(subject.rights[0], E.Const) and not subject.rights[0].value):
                return False
            subject = subject.left
        return any(self._reads(value, 3) for value in self._values(subject))

    def _values(self, subject: E.Expr) -> Iterator[E.Expr]:
        """What the loop puts into the name that is asked."""
        if isinstance(subject, E.Walrus):
            yield subject.value
        name = slot(subject)
        if name is None or isinstance(subject, E.Walrus):
            return
        for here in self.turn.inside:
            stmt = here.stmt
            if isinstance(stmt, S.Assign) and stmt.value and name in map(slot, stmt.targets):
                yield stmt.value
        if name.count(".") or "[" in name:
            base = getattr(subject, "value", None) or getattr(
                getattr(subject, "func", None), "value", None
            )
            if isinstance(base, E.Expr):
                yield from self._values(base)

    def _reads(self, value: E.Expr, depth: int) -> bool:
        """Whether a value is read from outside each turn, with nothing of the model in it."""
        inner = value.value if isinstance(value, E.Await) else value
        if self.turn.spoken(inner):
            return False
        if isinstance(inner, E.Call) and slot(inner) is None:
            return bool(_READS.match(last_name(inner.func) or "")) and not self._builtin(inner)
        if depth == 0 or not isinstance(inner, (E.Attr, E.Index, E.Call, E.Name)):
            return False
        return any(self._reads(found, depth - 1) for found in self._values(inner))

    def _builtin(self, call: E.Call) -> bool:
        """`list(...)`, `next(...)`: what they give was there before."""
        return isinstance(call.func, E.Name) and call.func.id in ("list", "next")

    def _until_error(self) -> Iterator[Bound]:
        """`try: row = rows.pop() except IndexError: break`."""
        for here in self.turn.inside:
            if not isinstance(here.stmt, S.Try) or inner_loop(here, self.turn.loop):
                continue
            caught = {
                last_name(e) or ""
                for h in here.stmt.handlers
                if h.type is not None and self.turn.endings.surely(h.body)
                for e in descend(h.type)
            }
            if caught & _EMPTY:
                yield from self._taken_in(here.stmt)

    def _taken_in(self, stmt: S.Try) -> Iterator[Bound]:
        for inner in stmt.body:
            for own in own_exprs(inner):
                for expr in descend(own):
                    name = _source(expr)
                    if name and not self._refilled(name):
                        yield Bound("drained", self.turn.fn.place(expr.span), unit="items")


def _source(expr: E.Expr) -> str | None:
    """The collection or iterator that a call takes its next element from."""
    match expr:
        case E.Call(func=E.Name(id="next" | "anext"), args=(only,)):
            return slot(only.value)
        case E.Call(func=E.Attr(attr="popleft" | "popitem" | "get_nowait", value=value)):
            return slot(value)
        case E.Call(func=E.Attr(attr="pop", value=value), args=args) if len(args) < 2:
            named = (
                bool(args)
                and isinstance(args[0].value, E.Const)
                and args[0].value.value not in (0, -1)
            )
            return None if named else slot(value)
        case _:
            return None


def _emptied(condition: Condition) -> Iterator[str]:
    """The collections that are empty where a condition holds."""
    match condition.expr:
        case E.Name() | E.Attr() | E.Index() if not condition.truth:
            name = slot(condition.expr)
            yield from [name] if name else ()
        case E.Call(func=E.Name(id="len"), args=(only,)) if not condition.truth:
            name = slot(only.value)
            yield from [name] if name else ()
        case E.Call(func=E.Attr(attr="empty", value=value)) if condition.truth:
            name = slot(value)
            yield from [name] if name else ()
        case E.Call(func=E.Attr(attr="qsize", value=value)) if not condition.truth:
            name = slot(value)
            yield from [name] if name else ()
        case E.Compare(left=E.Call(func=E.Name(id="len"), args=(only,))):
            name = slot(only.value) if condition.op in ("<", "<=", "==", "!=") else None
            yield from [name] if name else ()
        case E.Compare(left=left, rights=(E.Items(items=()),)) if condition.op == "==":
            name = slot(left)
            yield from [name] if name else ()
        case _:
            return


def _takes(site: Site, name: str) -> bool:
    match site.expr:
        case E.Call(func=E.Attr(attr=attr, value=value)) if attr in TAKES and attr != "heappop":
            return slot(value) == name
        case E.Call(func=func, args=(first, *_)) if last_name(func) == "heappop":
            return slot(first.value) == name
        case _:
            return False


def _taken(stmt: S.Stmt) -> Iterator[str]:
    """Collections of which a statement drops a part: `rows = rows[10:]`, `del rows[0]`."""
    match stmt:
        case S.Assign(targets=targets, value=value) if value is not None:
            for target in targets:
                yield from _sliced(target, value)
        case S.Delete(targets=targets):
            yield from (n for t in targets if isinstance(t, E.Index) and (n := slot(t.value)))
        case _:
            return


def _sliced(target: E.Expr, value: E.Expr) -> Iterator[str]:
    if isinstance(target, E.Items) and isinstance(value, E.Items):
        for inner, given in zip(target.items, value.items, strict=False):
            yield from _sliced(inner, given)
    elif isinstance(target, E.Items):
        names = [slot(t.value) for t in target.items if isinstance(t, E.Star)]
        yield from (n for n in names if n and n == slot(value))
    elif isinstance(value, E.Index) and isinstance(value.index, E.Slice):
        name = slot(target)
        if name and name == slot(value.value) and value.index.lower is not None:
            yield name


def _taken_into(stmt: S.Stmt, name: str) -> Iterator[str]:
    """The names that the element taken out is given."""
    if not isinstance(stmt, S.Assign) or stmt.value is None:
        return
    takes = any(
        isinstance(e, E.Call)
        and isinstance(e.func, E.Attr)
        and e.func.attr in TAKES
        and slot(e.func.value) == name
        for e in descend(stmt.value)
    )
    if takes:
        yield from (n for t in stmt.targets if (n := slot(t)))
