"""Loops whose pace is set from outside: a person, work that arrives, a schedule, a time-out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.graph.bound import Bound
from agentcheck.graph.calls import Calls
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.people import asks_a_person, sleeps
from agentcheck.graph.slots import slot
from agentcheck.graph.text import argument, last_name
from agentcheck.graph.turn import PUTS, Turn
from agentcheck.graph.waiting import Waiting
from agentcheck.graph.walk import children, descend, sites
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.kind import code_kind
from agentcheck.model.pattern import lazy_re

_TIMEOUTS = {"timeout", "timeout_at", "move_on_after", "fail_after", "time_limit"}
_PAUSED = lazy_re(r"paused|interrupt|suspended|needs_(?:input|approval|confirmation)", re.I)
_WAITS = {"asyncio.wait_for", "async_timeout.timeout"}


def paced(turn: Turn, waiting: Waiting) -> Iterator[Bound]:
    """Calls that wait, on every turn, for a person or for work."""
    for site in turn.calls:
        if waiting.waits(site, "person"):
            if not _by_the_model(turn, site):
                yield Bound("person", site.place, unit="inputs")
        elif waiting.waits(site, "work") and not _feeds_itself(turn, site):
            yield Bound("work", site.place, unit="items of work")
    yield from _resumed(turn)
    yield from _scheduled(turn)


def _resumed(turn: Turn) -> Iterator[Bound]:
    """`while run.is_paused`: a run that stopped for a person goes on with that person's answer."""
    if not isinstance(turn.loop, S.While):
        return
    asked = {last_name(e) or "" for e in descend(turn.loop.test) if isinstance(e, (E.Attr, E.Name))}
    if not any(_PAUSED.search(name) for name in asked):
        return
    for site in turn.calls:
        if asks_a_person(turn.tracer.calls, site):
            yield Bound("person", site.place, unit="inputs")
            return


def _by_the_model(turn: Turn, site: Site) -> bool:
    """Whether the model's word decides if the call happens: then some turns go on without it."""
    if not site.always and any(
        isinstance(e, (E.Logic, E.Choice)) and _guarded(turn, e, site.expr)
        for own in sites([site.at])
        for e in [own.expr]
    ):
        return True
    for ctx in site.around():
        if ctx.stmt is turn.loop:
            return False
        match ctx.stmt:
            case S.If() if ctx.part in ("body", "orelse"):
                other = ctx.stmt.orelse if ctx.part == "body" else ctx.stmt.body
                leaves = turn.endings.surely(other)
                if turn.answered(ctx.stmt.test) and not leaves:
                    return True
            case S.Try() if ctx.part == "handler":
                return True
            case _:
                continue
    return False


def _guarded(turn: Turn, expr: E.Expr, call: E.Expr) -> bool:
    first, *rest = children(expr)
    return turn.answered(first) and any(e is call for part in rest for e in descend(part))


def _feeds_itself(turn: Turn, site: Site) -> bool:
    """Whether the loop puts what the model said into the queue that it waits on."""
    func = site.expr.func if isinstance(site.expr, E.Call) else None
    name = slot(func.value) if isinstance(func, E.Attr) else None
    for other in turn.calls:
        match other.expr:
            case E.Call(func=E.Attr(attr=attr, value=base), args=args) if attr in PUTS:
                if name and slot(base) == name and any(turn.spoken(a.value) for a in args):
                    return True
            case _:
                continue
    return False


def _scheduled(turn: Turn) -> Iterator[Bound]:
    """A service: it never ends, and sleeps on every turn."""
    loop = turn.loop
    endless = isinstance(loop, S.While) and isinstance(loop.test, E.Const) and loop.test.value
    if not endless or _may_end(turn):
        return
    for site in turn.calls:
        if sleeps(turn.tracer.calls, site) and site.always and each_turn(turn, site):
            yield Bound("schedule", site.place, unit="intervals")
            return


def _may_end(turn: Turn) -> bool:
    """Whether anything but an exception's handler leaves the loop."""
    return any(
        isinstance(here.stmt, (S.Return, S.Raise, S.Jump))
        and turn.endings.may((here.stmt,))
        and not any(isinstance(c.stmt, S.Try) and c.part == "handler" for c in here.around())
        for here in turn.inside
    )


def each_turn(turn: Turn, site: Site) -> bool:
    """Whether nothing but an exception or a jump keeps a turn from a statement."""
    for ctx in site.at.around():
        if ctx.stmt is turn.loop:
            return True
        if not (
            isinstance(ctx.stmt, S.With)
            or (isinstance(ctx.stmt, S.Try) and ctx.part in ("body", "orelse", "final"))
        ):
            return False
    return False


def timed_out(turn: Turn) -> Iterator[Bound]:
    """A time-out around the loop, or around every call of its function."""
    for ctx in turn.at.around():
        if isinstance(ctx.stmt, S.With):
            for item in ctx.stmt.items:
                if _is_timeout(item.value):
                    yield Bound("time", turn.fn.place(item.value.span), unit="seconds")
    site = _timed_caller(turn.tracer.calls, turn.fn, 3)
    if site is not None:
        yield Bound("time", site.place, unit="seconds")


def _is_timeout(value: E.Expr) -> bool:
    if not isinstance(value, E.Call) or last_name(value.func) not in _TIMEOUTS:
        return False
    return not (value.args and _is_none(value.args[0].value))


def _is_none(expr: E.Expr | None) -> bool:
    return isinstance(expr, E.Const) and expr.value is None


def _timed_caller(calls: Calls, fn: Fn, depth: int) -> Site | None:
    """A caller under a time-out, where every caller outside tests is."""
    callers = [s for s in calls.callers(fn) if code_kind(s.fn.file.path) != "test"][:12]
    found = [
        s if _timed(calls, s) else _timed_caller(calls, s.fn, depth - 1) if depth > 0 else None
        for s in callers
    ]
    return found[0] if found and all(found) else None


def _timed(calls: Calls, site: Site) -> bool:
    for ctx in site.around():
        if isinstance(ctx.stmt, S.With) and any(_is_timeout(i.value) for i in ctx.stmt.items):
            return True
    for around in sites([site.at]):
        if (
            isinstance(around.expr, E.Call)
            and calls.resolver.dotted(around.expr.func, site.fn) & _WAITS
        ):
            limit = argument(around.expr, "timeout", 1)
            if limit is not None and not _is_none(limit):
                return any(e is site.expr for a in around.expr.args for e in descend(a.value))
    return False
