"""What all rules answer about a run that is as most runs are, told from its outline alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from agentcheck.model.assessment import Verdict
from agentcheck.rule import Outline, Rule, TraceSettings
from agentcheck.run.fold import Fold, Kept
from agentcheck.trace.readers.base import Gathered
from agentcheck.trace.readers.gleaning import Gleaning
from agentcheck.trace.readers.grouping import Group
from agentcheck.trace.reasoned import says_something


class Usuals(Struct, frozen=True, eq=False):
    """The usual answers of all rules, by subject and verdict; equal ones are one object."""

    answers: tuple[tuple[str, Verdict], ...]


class Glance:
    """Tells usual answers, and counts them. `targets` are the tools that hand over."""

    def __init__(
        self, rules: Sequence[Rule], settings: TraceSettings, targets: Mapping[str, str]
    ) -> None:
        self._rules = [rule for rule in rules if rule.check_run]
        self._usual = [rule.usual_run for rule in self._rules if rule.usual_run]
        self._settings = settings
        self._targets = targets.keys()
        self._known: dict[tuple[tuple[str, Verdict], ...], Usuals] = {}
        self._fold: Fold | None = None
        self._counted: dict[Usuals, list[Kept]] = {}

    def gleaning(self, gathered: Gathered) -> Gleaning[Any, Usuals] | None:
        """For what is told of runs as their records are looked through; None where a rule has to
        see every run."""
        if len(self._usual) < len(self._rules):
            return None

        def tell(key: str, things: list[Any]) -> Usuals | None:
            outline = gathered.plain(Group(key, things, 0, torn=False))
            return None if outline is None else self.usuals(outline)

        return Gleaning(tell)

    def usuals(self, outline: Outline) -> Usuals | None:
        """What all rules answer, None where one of them has to see the run."""
        if not says_something(outline) or not self._targets.isdisjoint(outline.calls):
            return None
        said: list[tuple[str, Verdict]] = []
        for usual_run in self._usual:
            try:
                usual = usual_run(outline, self._settings)
            except Exception:  # noqa: BLE001 - the check itself is asked, and tells what fails
                return None
            if usual is None:
                return None
            said.append(usual)
        answers = tuple(said)
        known = self._known.get(answers)
        if known is None:
            known = self._known[answers] = Usuals(answers)
        return known

    def count(self, usuals: Usuals, fold: Fold) -> bool:
        """Take in such answers once more; False where more of one is needed."""
        if self._fold is not fold:
            self._fold, self._counted = fold, {}
        counted = self._counted.get(usuals)
        if counted is None:
            found = map(fold.counted, self._rules, usuals.answers)
            counted = [kept for kept in found if kept is not None]
            if len(counted) < len(self._rules):
                return False
            self._counted[usuals] = counted
        for kept in counted:
            kept.times += 1
        return True
