"""Where the tokens go: by agent, and by the number of the turn."""

from __future__ import annotations

from agentcheck.model.event import ModelCall, Run
from agentcheck.model.runs import Spent
from agentcheck.trace.amounts import cost_known, tokens_given, tokens_made
from agentcheck.trace.glance.counter import REST, Kept

NOBODY = "(no agent named)"
TURNS = 30
"""The turns that are told apart; those after share a row."""


class _Sum:
    __slots__ = ("cost", "given", "made", "replies", "unknown")

    def __init__(self) -> None:
        self.replies = self.unknown = self.given = self.made = 0
        self.cost: float | None = None

    def add(self, call: ModelCall, cost: float | None) -> None:
        given, made = tokens_given(call), tokens_made(call)
        self.replies += 1
        self.unknown += given is None or made is None
        self.given += given or 0
        self.made += made or 0
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def row(self, name: str) -> Spent:
        return Spent(name, self.replies, self.unknown, self.given, self.made, self.cost)


class Spending:
    """Sums of usage."""

    def __init__(self) -> None:
        self._agents: Kept[_Sum] = Kept(_Sum)
        self._turns: dict[int, _Sum] = {}

    def add(self, run: Run) -> None:
        """Take in one run."""
        for number, call in enumerate(run.all(ModelCall), 1):
            cost = cost_known(call)
            self._agents.at(call.agent or NOBODY).add(call, cost)
            self._turns.setdefault(min(number, TURNS + 1), _Sum()).add(call, cost)

    def agents(self) -> tuple[Spent, ...]:
        """By agent, who used most first."""
        rows = sorted(self._agents.items(), key=lambda row: _used(row[1]), reverse=True)
        rows.sort(key=lambda row: row[0] == REST)
        return tuple(total.row(name) for name, total in rows)

    def turns(self) -> tuple[Spent, ...]:
        """By turn, from the first on."""
        return tuple(
            total.row(str(number) if number <= TURNS else f"{TURNS + 1} and later")
            for number, total in sorted(self._turns.items())
        )


def _used(total: _Sum) -> tuple[int, int]:
    return total.given + total.made, total.replies
