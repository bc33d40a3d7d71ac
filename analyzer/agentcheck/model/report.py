"""The report: the contract of every output format (schema `agentcheck/report/1`)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.model.assessment import Evidence, Verdict
from agentcheck.model.card import Confidence, Severity
from agentcheck.model.diagram import Diagram
from agentcheck.model.finding import Finding

SCHEMA = "agentcheck/report/1"


class Tool(Struct, frozen=True):
    """Who made the report."""

    name: str
    version: str


class Target(Struct, frozen=True):
    """What was looked at. `paths` as the user gave them; `root` is the scanned folder's name."""

    root: str
    paths: tuple[str, ...]
    files: int
    lines: int
    traces: tuple[str, ...] = ()
    runs: int = 0
    commit: str | None = None


class Profile(Struct, frozen=True):
    """What kind of agent code this is; `basis` says, per field, what it was inferred from."""

    side_effects: Literal["real", "reversible", "none"]
    interaction: Literal["interactive", "unattended", "both", "unknown"]
    form: Literal["library", "app", "example", "mixed"]
    tenancy: Literal["single", "many"]
    frameworks: tuple[str, ...] = ()
    agents: int = 0
    tools: int = 0
    model_calls: int = 0
    loops: int = 0
    basis: dict[str, str] = {}


class ReportedAssessment(Struct, frozen=True):
    """An assessment with the rule that gave it."""

    rule: str
    topic: str
    subject: str
    verdict: Verdict
    why: str
    evidence: tuple[Evidence, ...]


class Question(Struct, frozen=True):
    """A rule as the report shows it: what was asked, and the card's own weight and tags."""

    rule: str
    code: str
    topic: str
    title: str
    question: str
    severity: Severity | None = None
    confidence: Confidence | None = None
    tags: tuple[str, ...] = ()


class Skipped(Struct, frozen=True, order=True):
    """Something that could not be read, and why."""

    file: str
    why: str


class Summary(Struct, frozen=True):
    """Counts. `hidden` counts findings below the shown severity, confidence or persona."""

    findings: int
    by_priority: dict[str, int]
    by_severity: dict[str, int]
    verdicts: dict[str, int]
    suppressed: int
    hidden: int
    skipped: int
    seconds: float | None = None


class Report(Struct, frozen=True, kw_only=True):
    """Everything a run of the tool has to say, in report order."""

    schema: str = SCHEMA
    tool: Tool
    target: Target
    profile: Profile
    questions: tuple[Question, ...]
    findings: tuple[Finding, ...]
    assessments: tuple[ReportedAssessment, ...]
    skipped: tuple[Skipped, ...]
    summary: Summary
    graph: Diagram | None = None  # only where a format that was asked for draws it
