"""Trace files read by processes that share them out: first to find their parts, then to audit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from typing import Any

from agentcheck.run.crew import Board, Gate, beside
from agentcheck.run.heard import Place
from agentcheck.run.lane import Lane
from agentcheck.run.tracing import Auditor, Told, collected_rarely
from agentcheck.run.usuals import Usuals
from agentcheck.trace.parts import Part
from agentcheck.trace.plan import Layout, Plan, Survey, laid_out
from agentcheck.trace.readers.gleaning import Gleaning


def told_by_forks(
    plans: Sequence[Plan], auditor: Auditor, processes: int
) -> tuple[list[Layout], Callable[[Place], Told | None]]:
    """Read the parts of files in this process and forks of it.

    The parts of each file, and what gives what one told; None where its process died.
    """
    with ExitStack() as stack:
        apart = [
            Place(number, part)
            for number, plan in enumerate(plans)
            for part in range(0 if plan.gathers else len(plan))
        ]
        board = stack.enter_context(closing(Board(processes)))
        gate = stack.enter_context(closing(Gate()))
        lane = stack.enter_context(closing(Lane(range(len(apart)))))
        left = map(apart.__getitem__, lane)
        crew = _Crew(plans, list(_shares(plans, processes)), left, board, gate, auditor)
        beside(crew.work, processes)
        crew.learn(0)
        return crew.layouts(), crew.told.get


def _shares(plans: Sequence[Plan], processes: int) -> Iterator[list[Place]]:
    """The stretches that each process looks through, the same part of every file."""
    for mine in range(processes):
        yield [
            Place(number, part)
            for number, plan in enumerate(plans)
            for part in _share(len(plan.stretches), mine, processes)
        ]


def _share(count: int, mine: int, processes: int) -> range:
    return range(count * mine // processes, count * (mine + 1) // processes)


class _Crew:
    """What each of the processes does; `work` is given its number.

    `shares` are the stretches that each looks through. It audits the runs in them that have to be
    gathered, of which it has gleaned something; all else it takes from what is `left`.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        shares: Sequence[Sequence[Place]],
        left: Iterator[Place],
        board: Board,
        gate: Gate,
        auditor: Auditor,
    ) -> None:
        self._plans, self._shares, self._left = plans, shares, left
        self._board, self._gate, self._auditor = board, gate, auditor
        self._surveys: list[dict[int, Survey]] = [{} for _ in plans]
        self._gleanings: list[Gleaning[Any, Usuals] | None] = [
            auditor.glance.gleaning(plan.gathered) if plan.gathered else None for plan in plans
        ]
        self.told: dict[Place, Told] = {}
        self._first = os.getpid()

    def work(self, process: int) -> None:
        """Look through stretches, then audit parts for as long as there are any."""
        with collected_rarely():
            self._survey(process)
        self._gate.pass_through()
        self.learn(process)
        if any(len(plan.stretches) > len(known) for plan, known in self._each()):
            return  # one of the processes died: the first of them does what is left
        layouts = self.layouts()
        own = [place for place in self._shares[process] if self._plans[place.file].gathers]
        for place in chain(own, self._left):
            if self._is_left(process):
                return
            self._audit(process, place, layouts[place.file].part(place.part))

    def layouts(self) -> list[Layout]:
        """The parts of each file."""
        return [laid_out(plan, known) for plan, known in self._each()]

    def _each(self) -> Iterator[tuple[Plan, dict[int, Survey]]]:
        return zip(self._plans, self._surveys, strict=True)

    def _survey(self, process: int) -> None:
        for file, part in self._shares[process]:
            if self._is_left(process):
                return
            try:
                found = self._plans[file].survey(part, self._gleanings[file])
            except OSError:
                continue
            self._surveys[file][part] = found
            self._board.put(process, (file, part, found))
        for gleaning in self._gleanings:
            if gleaning is not None:
                gleaning.finish()

    def _is_left(self, process: int) -> bool:
        """Whether nobody waits for what this process finds any more."""
        return process > 0 and os.getppid() != self._first

    def _audit(self, process: int, place: Place, part: Part) -> None:
        self.learn(process)
        told = self._auditor.audit(part, place, gleaning=self._gleanings[place.file])
        self.told[place] = told
        self._board.put(process, (*place, told))

    def learn(self, process: int) -> None:
        """Take in what the others found out."""
        for file, part, found in self._board.news(process):
            if isinstance(found, Told):
                place = Place(file, part)
                self.told[place] = found
                self._auditor.heard.add(place, found.kept)
            else:
                self._surveys[file][part] = found
