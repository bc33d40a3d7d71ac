"""What a limit is worth: a number, no limit at all, or not to be told from here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Origin, Tracer
from agentcheck.graph.text import argument, string
from agentcheck.model import expr as E
from agentcheck.model.location import Place

Worth = Literal["finite", "infinite", "none", "unknown"]
# Larger counts of model calls bound nothing in practice: a call takes about a second.
HUGE = 100_000


@dataclass(frozen=True, slots=True)
class Limit:
    """One value that a limit may have, and where it comes from."""

    worth: Worth
    number: float | None
    place: Place
    fn: Fn
    expr: E.Expr


def worth_of(tracer: Tracer, expr: E.Expr, fn: Fn, *, up: int = 4) -> list[Limit]:
    """Every value an expression may have as a limit, callers' arguments and defaults included."""
    return [limit for o in tracer.of(expr, fn, up) for limit in _of_origin(tracer, o)]


def params_of(tracer: Tracer, expr: E.Expr, fn: Fn, up: int = 4) -> list[tuple[Fn, E.Param]]:
    """The parameters an expression comes from, those of callers that pass theirs on included."""
    found: list[tuple[Fn, E.Param]] = []
    frontier = [(expr, fn)]
    for _ in range(up + 1):
        following: list[tuple[E.Expr, Fn]] = []
        for value, host in frontier:
            for origin in tracer.local(value, host):
                param = next((p for p in origin.fn.facts.params if p.name == origin.param), None)
                if param is None or origin.steps or (origin.fn, param) in found:
                    continue
                found.append((origin.fn, param))
                for site in tracer.calls.callers(origin.fn):
                    given = tracer.calls.argument(site, origin.fn, param)
                    if given is not None:
                        following.append((given, site.fn))
        frontier = following
    return found


def _of_origin(tracer: Tracer, origin: Origin) -> Iterator[Limit]:
    if origin.kind == "param" and not origin.steps:
        yield from default_of(tracer, origin.fn, origin.param or "")
        return
    if origin.expr is None:
        return
    worth, number = _value(tracer, origin)
    yield Limit(worth, number, origin.fn.place(origin.expr.span), origin.fn, origin.expr)


def default_of(tracer: Tracer, fn: Fn, name: str) -> Iterator[Limit]:
    """What a parameter is worth when nobody passes it."""
    for param in fn.facts.params:
        if param.name != name:
            continue
        if param.default is None:
            expr = E.Name(param.span, param.name)
            yield Limit("unknown", None, fn.place(param.span), fn, expr)
            continue
        host = tracer.program.parent(fn) or fn
        for origin in tracer.local(param.default, host):
            worth, number = _value(tracer, origin)
            yield Limit(worth, number, fn.place(param.span), fn, param.default)


def _value(tracer: Tracer, origin: Origin) -> tuple[Worth, float | None]:
    if origin.steps or origin.expr is None:
        return "unknown", None
    match origin.expr:
        case E.Const(value=None):
            return "none", None
        case E.Const(value=bool()) | E.Const(value=str()):
            return "unknown", None
        case E.Const(value=int() | float() as number):
            return ("finite" if math.isfinite(number) and number < HUGE else "infinite"), number
        case E.Call():
            return _call_value(tracer, origin.expr, origin.fn)
        case _:
            return _named_value(tracer, origin.expr, origin.fn)


def _call_value(tracer: Tracer, call: E.Call, fn: Fn) -> tuple[Worth, float | None]:
    names = tracer.resolver.dotted(call.func, fn)
    if names & {"float", "decimal.Decimal"} and call.args:
        text = (string(call.args[0].value) or "").strip().lower().lstrip("+")
        if text in ("inf", "infinity"):
            return "infinite", math.inf
    if names & {"pydantic.Field", "dataclasses.field", "attrs.field", "attr.ib"}:
        given = argument(call, "default", 0)
        if given is not None:
            found = [_value(tracer, o) for o in tracer.local(given, fn)]
            return found[0] if found else ("unknown", None)
    return "unknown", None


def _named_value(tracer: Tracer, expr: E.Expr, fn: Fn) -> tuple[Worth, float | None]:
    names = tracer.resolver.dotted(expr, fn)
    if names & {"math.inf", "numpy.inf", "sys.maxsize"}:
        return "infinite", math.inf
    return "unknown", None
