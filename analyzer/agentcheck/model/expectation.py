"""What golden cases expect of recorded runs, and how that came out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Outcome = Literal["pass", "fail", "cannot-tell"]


class Remark(Struct, frozen=True, tag_field="kind", tag="trace"):
    """Why an expectation was missed, or cannot be told, in one run; no place where no run fits."""

    expectation: str
    outcome: Outcome
    text: str
    file: str = ""
    run: int | None = None
    record: str = ""


class CaseOutcome(Struct, frozen=True):
    """How one case came out over the runs that it fits; `remarks` are the first of all remarks."""

    id: str
    outcome: Outcome
    runs: int
    failed: int
    unclear: int
    remarks: tuple[Remark, ...] = ()
    more: int = 0


class Expectations(Struct, frozen=True):
    """A file of cases, judged. `unmatched` counts the runs that no case fits.

    `strict` says that a case which cannot be told counts as failed.
    """

    file: str
    cases: tuple[CaseOutcome, ...]
    runs: int
    unmatched: int
    strict: bool = False

    @property
    def failed(self) -> bool:
        """Whether these outcomes should end a build."""
        bad = {"fail", "cannot-tell"} if self.strict else {"fail"}
        return any(case.outcome in bad for case in self.cases)
