"""What the report is made of: a hit with everything a person needs to act on it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.model.assessment import Challenge, Evidence
from agentcheck.model.card import Confidence, Priority, Severity
from agentcheck.model.fix import Fix

Witness = Literal["code", "trace", "run"]


class Acceptance(Struct, frozen=True):
    """What is true once the finding is mended; `test` is the source of a pytest file, if any."""

    text: str
    test: str | None = None


class Confidences(Struct, frozen=True):
    """How sure we are that it is a defect, and that the change mends it."""

    defect: Confidence
    remedy: Confidence


class TraceVerdict(Struct, frozen=True):
    """What recorded runs say of a finding; `records` as "file#run/record"."""

    verdict: Literal["confirmed", "contradicted", "not-exercised", "not-checkable", "no-runs"]
    records: tuple[str, ...] = ()


class ByRun(Struct, frozen=True):
    """What a finding's own acceptance test said of the code as it is.

    "fails": it failed for the fault's own reason, so the fault is known by running it. "passes":
    the code does what the finding says it does not; the finding is contradicted. "not-shown": the
    test skipped itself, was not done in time, or broke down before the fault could show. `test` is
    the name of its file, `why` the first message of the failure or the reason.
    """

    verdict: Literal["fails", "passes", "not-shown"]
    test: str
    why: str = ""


class Suppression(Struct, frozen=True):
    """Why a finding is counted but not shown; `expires` is the last day (ISO) it is accepted."""

    by: Literal["ignore", "baseline", "config"]
    reason: str
    file: str | None = None
    line: int | None = None
    expires: str | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """One finding, whole; the JSON report holds these fields under these names.

    `owner_file` is where the owner is defined, if that was found.
    """

    id: str
    rule: str
    code: str
    topic: str
    priority: Priority
    severity: Severity
    title: str
    message: str
    subject: str
    at_stake: str
    failure_path: tuple[str, ...]
    consequence: str
    evidence: tuple[Evidence, ...]
    owner: str
    smallest_change: str
    could_break: str
    acceptance: Acceptance
    known_by: tuple[Witness, ...]
    confidence: Confidences
    challenge: Challenge
    trace: TraceVerdict
    fingerprint: str
    suppressed: Suppression | None = None
    names: dict[str, str] = {}
    fix: Fix | None = None
    owner_file: str | None = None
    run: ByRun | None = None  # only where `--verify` ran its test

    @property
    def primary(self) -> Evidence:
        """The evidence that the finding points at first."""
        return next((e for e in self.evidence if e.role == "primary"), self.evidence[0])
