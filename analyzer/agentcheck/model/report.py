"""The report: the contract of every output format (schema `agentcheck/report/1`)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.model.assessment import Evidence, Verdict
from agentcheck.model.card import Confidence, Severity
from agentcheck.model.diagram import Diagram, NodeKind
from agentcheck.model.expectation import Expectations
from agentcheck.model.finding import Finding
from agentcheck.model.runs import RunsSeen
from agentcheck.model.whatif import Answer

SCHEMA = "agentcheck/report/1"


class Tool(Struct, frozen=True):
    """Who made the report."""

    name: str
    version: str


class Target(Struct, frozen=True):
    """What was looked at. `paths` as the user gave them; `root` is the scanned folder's name.

    `files` and `lines` are those that were linked, `tests` the files of tests that were left aside.
    `since` is the revision whose changes alone are reported, as the user gave it. `repository` is
    the address of its pages, where git's configuration names a remote that has any.
    """

    root: str
    paths: tuple[str, ...]
    files: int
    lines: int
    traces: tuple[str, ...] = ()
    runs: int = 0
    commit: str | None = None
    since: str | None = None
    repository: str | None = None
    tests: int = 0


class Profile(Struct, frozen=True):
    """What kind of agent code this is; `basis` says, per field, what it was inferred from.

    `horizon` is how long what a conversation holds is kept: for one run, in memory while a person
    goes on, or in a store. `surface` are the kinds of effects that tools have, the weightiest
    first: money, message, destructive, code, change.
    """

    side_effects: Literal["real", "reversible", "none"]
    interaction: Literal["interactive", "unattended", "both", "unknown"]
    form: Literal["library", "app", "example", "mixed"]
    tenancy: Literal["single", "many"]
    frameworks: tuple[str, ...] = ()
    agents: int = 0
    tools: int = 0
    model_calls: int = 0
    loops: int = 0
    horizon: Literal["run", "session", "lasting", "unknown"] = "unknown"
    surface: tuple[str, ...] = ()
    basis: dict[str, str] = {}


class Workflow(Struct, frozen=True):
    """What one start leads to, by name, through calls, loops and handoffs.

    `kind` is that of the start in `model.diagram`: an entry, or a loop, function, team or agent
    that no start was found for. `acts` are the tools that change the world, `tools` the others,
    `unresolved` what no definition was found for, as the code has it.
    """

    start: str
    kind: NodeKind
    file: str
    line: int
    cell: int | None = None
    loops: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()


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


class Note(Struct, frozen=True, order=True):
    """Something about a comment that accepts findings; no fault of the code itself.

    "unused-ignore" hides nothing, "expired-ignore" no longer counts, "unknown-ignore" names no
    rule, "blanket-ignore" hides whatever comes later. Lines and columns count from 1, within the
    cell of a notebook.
    """

    file: str
    line: int
    column: int
    kind: Literal["unused-ignore", "expired-ignore", "unknown-ignore", "blanket-ignore"]
    text: str
    cell: int | None = None


class Asked(Struct, frozen=True):
    """Something the user asked about: the rules that speak of it, and the ids of what was found."""

    about: str
    rules: tuple[str, ...]
    findings: tuple[str, ...]


class Compared(Struct, frozen=True):
    """Findings against the baseline: not known there, known and gone, known and still there."""

    new: int
    fixed: int
    unchanged: int


class Settled(Struct, frozen=True):
    """A test whose finding is not there any more: that it passes says that the fault is mended."""

    fingerprint: str
    test: str
    verdict: Literal["fails", "passes", "not-shown"]
    why: str = ""


class Verified(Struct, frozen=True):
    """What running the acceptance tests of a folder said: counts of findings by verdict.

    `settled` are the tests of findings that this report does not have.
    """

    folder: str
    fails: int
    passes: int
    not_shown: int
    settled: tuple[Settled, ...] = ()


class Summary(Struct, frozen=True):
    """Counts. `hidden` counts findings below the shown severity, confidence or persona, `outside`
    those that no change since the given revision touches, `unasked` the installed rules that were
    not asked."""

    findings: int
    by_priority: dict[str, int]
    by_severity: dict[str, int]
    verdicts: dict[str, int]
    suppressed: int
    hidden: int
    skipped: int
    seconds: float | None = None
    outside: int = 0
    baseline: Compared | None = None
    unasked: int = 0


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
    asked: tuple[Asked, ...] = ()
    notes: tuple[Note, ...] = ()
    runs: RunsSeen | None = None  # only where a format that was asked for shows it
    what_if: tuple[Answer, ...] = ()  # only where it was asked for
    expectations: Expectations | None = None
    workflows: tuple[Workflow, ...] = ()  # only where a format that was asked for shows them
    verified: Verified | None = None  # only where `--verify` ran acceptance tests
    graph: Diagram | None = None  # only where a format that was asked for draws it
