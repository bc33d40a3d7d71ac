"""Many runs at a glance. Each run is looked at once and dropped; only the first keep a timeline."""

from __future__ import annotations

from collections.abc import Iterable

from agentcheck.model.event import Run
from agentcheck.model.runs import Amounts, Count, Open, RunsSeen, Timeline
from agentcheck.trace.amounts import amounts_of, together
from agentcheck.trace.endings import ending
from agentcheck.trace.glance.counter import Counted
from agentcheck.trace.glance.gaps import Gaps
from agentcheck.trace.glance.repeats import Repeats
from agentcheck.trace.glance.spending import Spending
from agentcheck.trace.glance.timeline import timeline
from agentcheck.trace.glance.tools import Tools

TIMELINES = 10
"""How many runs are kept in full."""
SHOWN = 40
"""How many rows a table has."""


class Glance:
    """Takes in runs; its memory is bounded by numbers of its own, whatever the runs hold."""

    def __init__(self, min_repeats: int = 3, timelines: int = TIMELINES) -> None:
        self._most = timelines
        self._runs = 0
        self._amounts = Amounts()
        self._formats, self._ends = Counted(), Counted()
        self._tools, self._spending = Tools(), Spending()
        self._repeats = Repeats(min_repeats)
        self._gaps = Gaps()
        self._timelines: list[Timeline] = []

    def add(self, run: Run) -> None:
        """Take in one run."""
        amounts, end = amounts_of(run), ending(run)
        self._runs += 1
        self._amounts = together(self._amounts, amounts)
        self._formats.add(run.format)
        self._ends.add(": ".join((end.status, *end.words[:1])))
        for taker in (self._tools, self._spending, self._repeats, self._gaps):
            taker.add(run)
        if len(self._timelines) < self._most:
            self._timelines.append(timeline(run, amounts, end))

    def seen(self, more: Iterable[Open] = ()) -> RunsSeen:
        """What was seen; `more` is what else the runs cannot prove."""
        tools, agents, repeats = self._tools.rows(), self._spending.agents(), self._repeats.rows()
        ends, uncalled = self._ends.rows(), self._tools.uncalled()
        left = {
            "runs": self._runs - len(self._timelines),
            "tools": max(len(tools) - SHOWN, 0),
            "agents": max(len(agents) - SHOWN, 0),
            "repeats": max(len(repeats) - SHOWN, 0),
            "ends": max(len(ends) - SHOWN, 0),
            "uncalled": max(len(uncalled) - SHOWN, 0),
        }
        return RunsSeen(
            runs=self._runs,
            amounts=self._amounts,
            formats=self._formats.rows(),
            ends=ends[:SHOWN],
            tools=tools[:SHOWN],
            uncalled=tuple(Count(name, 0) for name in uncalled[:SHOWN]),
            agents=agents[:SHOWN],
            turns=self._spending.turns(),
            repeats=repeats[:SHOWN],
            timelines=tuple(self._timelines),
            open=(*self._gaps.rows(), *more),
            more={name: count for name, count in left.items() if count},
        )
