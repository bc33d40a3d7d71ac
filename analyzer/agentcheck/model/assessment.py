"""A rule's answer about one subject, always with evidence."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from agentcheck.model.card import Confidence, Persona, Severity
from agentcheck.model.fix import Fix

Verdict = Literal["met", "met-differently", "partly", "not-met", "cannot-tell", "not-applicable"]
VERDICTS: tuple[Verdict, ...] = (
    "met",
    "met-differently",
    "partly",
    "not-met",
    "cannot-tell",
    "not-applicable",
)
Role = Literal["primary", "related"]


class CodeEvidence(Struct, frozen=True, tag="code", tag_field="kind"):
    """Lines of code that prove something; the fields of a place, flat, with a sentence."""

    role: Role
    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    text: str
    says: str
    cell: int | None = None


class TraceEvidence(Struct, frozen=True, tag="trace", tag_field="kind"):
    """A record of a run that proves something.

    `run` is the index of the run in its file; `record` is the message index of a message list,
    else the span or event id; `pointer` is a JSON pointer inside the record.
    """

    role: Role
    file: str
    run: int
    record: int | str
    pointer: str
    text: str
    says: str


Evidence: TypeAlias = CodeEvidence | TraceEvidence


class Challenge(Struct, frozen=True):
    """How the rule tried to refute its own hit, and what is left of it."""

    outcome: Literal["upheld", "weakened", "refuted"] = "upheld"
    looked_for: tuple[str, ...] = ()


class Hit(Struct, frozen=True, kw_only=True):
    """What a finding says that its card does not; None takes the card's word.

    `names` fill the acceptance template and tell acceptance/ what to import (strings only). `fix`
    is what a program can do about it, if anything.
    """

    message: str
    owner: str
    failure_path: tuple[str, ...]
    challenge: Challenge
    title: str | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    persona: Persona | None = None
    at_stake: str | None = None
    consequence: str | None = None
    smallest_change: str | None = None
    could_break: str | None = None
    acceptance: str | None = None
    names: dict[str, str] = {}
    fix: Fix | None = None


class Assessment(Struct, frozen=True, kw_only=True):
    """One answer. `hit` is set exactly when the verdict is partly or not-met.

    `subject` is what the question was asked about, in the words of the code or the run: a
    qualified name ("Swarm.run"), an agent's or a tool's name. Code and trace join on it.
    """

    subject: str
    verdict: Verdict
    why: str
    evidence: tuple[Evidence, ...]
    hit: Hit | None = None

    def __post_init__(self) -> None:
        if (self.hit is not None) != (self.verdict in ("partly", "not-met")):
            raise ValueError(f"{self.subject}: a hit belongs to partly and not-met, and only there")
