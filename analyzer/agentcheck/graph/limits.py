"""What a limit is worth: a number, no limit at all, or not to be told from here."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.graph.handles import Fn
from agentcheck.graph.origins import Tracer
from agentcheck.graph.values import At, Values
from agentcheck.graph.worth import Limit, Worth
from agentcheck.model import expr as E


def worth_of(tracer: Tracer, expr: E.Expr, fn: Fn, *, up: int = 4) -> list[Limit]:
    """Every value an expression may have as a limit, callers' arguments and defaults included."""
    return Values(tracer).of(expr, At(fn, up))


def params_of(tracer: Tracer, expr: E.Expr, fn: Fn, up: int = 4) -> list[tuple[Fn, E.Param]]:
    """The parameters an expression comes from, those of callers that pass theirs on included."""
    values = Values(tracer)
    values.of(expr, At(fn, up))
    return [(owner, param) for (owner, _), (param, _) in values.params.items()]


def default_of(tracer: Tracer, fn: Fn, name: str) -> Iterator[Limit]:
    """What a parameter is worth when nobody passes it."""
    for param in fn.facts.params:
        if param.name == name:
            yield from Values(tracer).default(param, At(fn, 0))


__all__ = ["Limit", "Worth", "default_of", "params_of", "worth_of"]
