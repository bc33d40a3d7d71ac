"""Ask every rule its question. A rule that fails costs its own answers, not the audit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec
from msgspec import Struct

from agentcheck.crosscheck import Answer
from agentcheck.model.assessment import Assessment, Verdict
from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.rule import (
    AgentGraph,
    Outline,
    Rule,
    RuleOptions,
    TraceSettings,
    Usual,
    UsualRun,
)
from agentcheck.run.fold import Fold, Kept
from agentcheck.run.told import Told, concluded, first_file, joined
from agentcheck.source.collector import collector_paused
from agentcheck.source.texts import Texts
from agentcheck.trace.outline import Recorded

TRACEBACK = "AGENTCHECK_TRACEBACK"


_Counting: TypeAlias = tuple[Rule, UsualRun, dict[tuple[str, Verdict], Kept]]
"""A rule, what tells its usual answer, and the answers of it that are only counted."""


class Asker:
    """Asks rules, and remembers those that failed (each once). With the variable
    AGENTCHECK_TRACEBACK set, a failure is raised instead."""

    def __init__(
        self, rules: Sequence[Rule], options: Mapping[str, RuleOptions] | None = None
    ) -> None:
        self.rules = rules
        self._of_runs = [(r, r.usual_run or _nothing_usual) for r in rules if r.check_run]
        self._fold: Fold | None = None
        self._told: list[_Counting] = []
        self.options = options or {}
        self.failed: dict[str, Skipped] = {}

    def graph(self, graph: AgentGraph, texts: Texts, jobs: int = 1) -> Told:
        """What all rules say about code, asked in up to so many processes; `texts` notes what
        they read beside it."""
        asked = [rule for rule in self.rules if rule.check]
        ask = partial(self._of_code, graph, texts)
        with collector_paused():
            if jobs == 1:
                return ask(asked)
            from agentcheck.run.apart import ask_apart

            _ = graph.loops  # nearly all rules want these, which every process would look for
            return joined(ask_apart(asked, ask, jobs))

    def answers(self, told: Told) -> list[Answer]:
        """The answers, each with its rule, in the order of rules and of the files they show."""
        said: dict[str, list[Assessment]] = {}
        for name, assessment in told.said:
            said.setdefault(name, []).append(assessment)
        found = list[Answer]()
        for rule in self.rules:
            more = self._answers(rule, partial(concluded, rule, told), "this code")
            own = [*(Answer(rule, one) for one in said.get(rule.name, ())), *more]
            found += sorted(own, key=lambda answer: first_file(answer.assessment))
        return found

    def _of_code(self, graph: AgentGraph, texts: Texts, rules: Sequence[Rule]) -> Told:
        """What some rules say about code."""
        told = Told([], self.failed)
        for rule in rules:
            if rule.gather is not None:
                told.gathered += self._gathered(rule, partial(rule.gather, graph))
                continue
            ask = partial(rule.check or _nothing, graph, *self._given(rule))
            told.said += [(rule.name, a.assessment) for a in self._answers(rule, ask, "this code")]
        told.texts, told.missed = texts.asked, frozenset(graph.program.missed)
        return told

    def _gathered(self, rule: Rule, gather: Callable[..., Struct]) -> list[tuple[str, bytes]]:
        """What a rule takes from code, to conclude from it later."""
        try:
            return [(rule.name, msgspec.msgpack.encode(gather(*self._given(rule))))]
        except Exception as error:
            if os.environ.get(TRACEBACK):
                raise
            self._note(rule, "this code", error)
            return []

    def run(self, run: Run, settings: TraceSettings) -> Iterator[Answer]:
        """The answers of all rules about one recorded run."""
        for rule, _ in self._of_runs:
            yield from self._of_run(rule, run, settings)

    def look(self, one: Recorded, settings: TraceSettings, fold: Fold) -> None:
        """Fold in what all rules answer about one recorded run.

        A rule that can tell from the outline what it would answer, where such an answer is only
        counted, is not asked; the run is played for the others.
        """
        run: Run | None = None
        outline = one.outline
        for rule, usual_run, countable in self._counting(fold):
            try:
                usual = usual_run(outline, settings)
            except Exception:
                if os.environ.get(TRACEBACK):
                    raise
                usual = None  # the check itself is asked, and tells what fails
            kept = countable.get(usual) if usual else None
            if kept is not None:
                kept.times += 1
            elif usual is None or not fold.count(rule, usual):
                run = one.play() if run is None else run
                for answer in self._of_run(rule, run, settings):
                    fold.add(answer)

    def _counting(self, fold: Fold) -> list[_Counting]:
        if self._fold is not fold:
            self._fold = fold
            self._told = [(r, usual, fold.countable(r)) for r, usual in self._of_runs]
        return self._told

    def _of_run(self, rule: Rule, run: Run, settings: TraceSettings) -> Iterator[Answer]:
        ask = partial(rule.check_run or _nothing, run, settings, *self._given(rule))
        return self._answers(rule, ask, f"run {run.index} of {run.file}")

    def _given(self, rule: Rule) -> tuple[RuleOptions, ...]:
        """What a rule that has options is called with besides what it looks at."""
        if rule.options is None:
            return ()
        return (self.options.get(rule.name) or rule.options(),)

    def _answers(
        self, rule: Rule, ask: Callable[[], Iterable[Assessment]], where: str
    ) -> Iterator[Answer]:
        try:
            for assessment in ask():
                yield Answer(rule, assessment)
        except Exception as error:
            if os.environ.get(TRACEBACK):
                raise
            self._note(rule, where, error)

    def _note(self, rule: Rule, where: str, error: Exception) -> None:
        """Remember that a rule failed."""
        why = f"failed on {where}: {type(error).__name__}: {error}"
        self.failed.setdefault(rule.name, Skipped(f"rule {rule.name}", why))


def _nothing_usual(_outline: Outline, _settings: TraceSettings) -> Usual:
    return None


def _nothing(*_: object) -> Iterable[Assessment]:
    return ()
