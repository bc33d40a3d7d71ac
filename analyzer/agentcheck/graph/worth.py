"""The worth of a limit, and arithmetic on it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from agentcheck.graph.handles import Fn
from agentcheck.model import expr as E
from agentcheck.model.location import Place

Worth = Literal["finite", "infinite", "none", "unknown"]
# Larger counts of model calls bound nothing in practice: a call takes about a second.
HUGE = 100_000
INFINITE = frozenset({"math.inf", "numpy.inf", "sys.maxsize", "cmath.inf"})


class Limit(Struct, frozen=True):
    """One value that a limit may have, and where it comes from."""

    worth: Worth
    number: float | None
    place: Place
    fn: Fn
    expr: E.Expr


def number_worth(value: object) -> tuple[Worth, float | None]:
    """What a constant is worth as a limit."""
    if value is None:
        return "none", None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or _is_nan(value):
        return "unknown", None
    return ("finite" if value < HUGE else "infinite"), value


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and math.isnan(value)


def only(limit: Limit) -> tuple[Worth, float | None]:
    """The worth and number of a limit alone."""
    return limit.worth, limit.number


def combined(op: str, left: Limit, right: Limit) -> tuple[Worth, float | None]:
    """The worth of `left op right`."""
    if left.number is not None and right.number is not None and op in _OPERATORS:
        try:
            return number_worth(_OPERATORS[op](left.number, right.number))
        except (ArithmeticError, ValueError):
            return "unknown", None
    if left.worth == "infinite" or (right.worth == "infinite" and op in ("+", "*", "**")):
        return "infinite", math.inf
    return "unknown", None


def least(alternatives: Sequence[list[Limit]]) -> list[Limit]:
    """The values of `min(...)`: an argument that is always finite is the most it can be."""
    for values in alternatives:
        if values and all(v.worth == "finite" for v in values):
            return values
    return [v for values in alternatives for v in values]


def _power(base: float, exponent: float) -> float:
    return math.inf if abs(exponent) > 300 else float(base) ** exponent


_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "**": _power,
}
