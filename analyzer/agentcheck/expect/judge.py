"""Runs against cases, one run at a time."""

from __future__ import annotations

from agentcheck.expect.cases import Case, Cases
from agentcheck.expect.checks import check_run
from agentcheck.expect.match import by_task, fits, wanted
from agentcheck.expect.said import Said
from agentcheck.model.event import Run
from agentcheck.model.expectation import CaseOutcome, Expectations, Outcome, Remark

REMARKS = 12
"""How many remarks a case keeps; the others are counted."""


class Judge:
    """Judges runs as they come; keeps counts and the first remarks, never a run."""

    def __init__(self, cases: Cases, file: str) -> None:
        self._file = file
        self._strict = cases.strict
        self._tallies = [_Tally(case) for case in cases.cases]
        self._runs = self._unmatched = self._silent = 0

    def add(self, run: Run) -> None:
        """Judge one run by every case that is about it."""
        about = [tally for tally in self._tallies if fits(tally.match, run)]
        for tally in about:
            tally.add(run)
        self._runs += 1
        self._unmatched += not about
        self._silent += "content" not in run.known

    def outcome(self) -> Expectations:
        """How the cases came out."""
        cases = tuple(tally.outcome(self._runs, self._silent) for tally in self._tallies)
        return Expectations(self._file, cases, self._runs, self._unmatched, self._strict)


class _Tally:
    """One case, in the making."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self.match = wanted(case)
        self._runs = self._failed = self._unclear = self._more = 0
        self._remarks: list[Remark] = []

    def add(self, run: Run) -> None:
        said = [one for one in check_run(run, self._case.expect) if one.outcome != "pass"]
        self._runs += 1
        if any(one.outcome == "fail" for one in said):
            self._failed += 1
        elif said:
            self._unclear += 1
        for one in said:
            self._note(_remark(one, run))

    def outcome(self, runs: int, silent: int) -> CaseOutcome:
        if not self._runs:
            text = f"No run of {runs:,} fits this case{_blind(silent, by_task(self.match))}."
            return CaseOutcome(self._case.id, "fail", 0, 0, 0, (Remark("match", "fail", text),))
        worst: Outcome = "fail" if self._failed else "cannot-tell" if self._unclear else "pass"
        told = sorted(self._remarks, key=lambda remark: remark.outcome != "fail")
        return CaseOutcome(
            self._case.id,
            worst,
            self._runs,
            self._failed,
            self._unclear,
            tuple(told),
            self._more,
        )

    def _note(self, remark: Remark) -> None:
        """Keep a remark; a failure takes the place of what only cannot be told."""
        if len(self._remarks) < REMARKS:
            self._remarks.append(remark)
            return
        self._more += 1
        if remark.outcome == "fail":
            for at, old in enumerate(self._remarks):
                if old.outcome != "fail":
                    self._remarks[at] = remark
                    return


def _blind(silent: int, matters: bool) -> str:  # noqa: FBT001
    return f"; {silent:,} do not carry what was asked" if silent and matters else ""


def _remark(said: Said, run: Run) -> Remark:
    event = said.event
    record = str(event.source.record) if event is not None else ""
    return Remark(said.expectation, said.outcome, said.text, run.file, run.index, record)
