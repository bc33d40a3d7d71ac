"""Calls that wait for a person or for work every time, themselves or through helpers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from agentcheck.graph.calls import Calls
from agentcheck.graph.endings import Block
from agentcheck.graph.handles import Fn, Site
from agentcheck.graph.people import asks_a_person, waits_for_work
from agentcheck.model import stmt as S

What = Literal["person", "work"]
DEPTH = 3


class Waiting(Struct):
    """Answers for one target; what a helper does is remembered."""

    calls: Calls
    _memo: dict[tuple[Fn, What, int], bool] = field(default_factory=dict)

    def waits(self, site: Site, what: What, depth: int = DEPTH) -> bool:
        """Whether a call waits each time; one into the target has to on each of its paths."""
        inner = self.calls.callees(site)
        if inner:
            return depth > 0 and any(self._always(fn, what, depth - 1) for fn in inner)
        if what == "person":
            return asks_a_person(self.calls, site)
        return waits_for_work(self.calls, site)

    def _always(self, fn: Fn, what: What, depth: int) -> bool:
        key = (fn, what, depth)
        if key not in self._memo:
            self._memo[key] = False
            places = {
                id(site.at.stmt)
                for site, _ in self.calls.program.calls(fn)
                if site.always and self.waits(site, what, depth)
            }
            self._memo[key] = bool(places) and _on_each_path(fn.facts.body, places)
        return self._memo[key]


def _on_each_path(block: Block, places: set[int]) -> bool:
    """Whether every path through a block meets one of the statements."""
    return any(id(stmt) in places or _through(stmt, places) for stmt in block)


def _through(stmt: S.Stmt, places: set[int]) -> bool:
    match stmt:
        case S.If():
            return all(_on_each_path(b, places) for b in (stmt.body, stmt.orelse))
        case S.With() | S.While():
            return _on_each_path(stmt.body, places)
        case S.Try():
            return _on_each_path(stmt.body, places) or _on_each_path(stmt.final, places)
        case _:
            return False
