"""The nouns of what ends a loop."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.graph.handles import Fn
from agentcheck.graph.worth import Limit
from agentcheck.model import expr as E
from agentcheck.model import stmt as S
from agentcheck.model.location import Place

Kind = Literal[
    "iterations",
    "count",
    "items",
    "time",
    "budget",
    "drained",
    "person",
    "work",
    "schedule",
    "withheld",
    "callee",
]
Loop = S.While | S.For


class Bound(Struct, frozen=True):
    """One thing that ends or paces a loop.

    `unit` is what is counted ("turns", "messages", "seconds", "tokens or cost", ...); `limits` the
    possible values of its limit; `params` the parameters through which the limit is given, of
    which those in `replaced` may be None without harm: the code puts a number in its place.
    """

    kind: Kind
    place: Place
    limits: tuple[Limit, ...] = ()
    unit: str = "turns"
    params: tuple[tuple[Fn, E.Param], ...] = ()
    replaced: tuple[tuple[Fn, E.Param], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it ends the loop for every value that its limit is known to have."""
        return not any(limit.worth in ("infinite", "none") for limit in self.limits)
