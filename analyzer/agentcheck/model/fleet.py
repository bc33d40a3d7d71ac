"""What a fleet came to: the numbers that its index, its JSON and its terminal table show.

Schema `agentcheck/fleet/1`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from agentcheck.model.report import Tool

SCHEMA = "agentcheck/fleet/1"


class FleetTarget(Struct, frozen=True, kw_only=True):
    """A target as its newest run saw it.

    `lines` are those of code that was read, `runs` recorded runs. `new` and `fixed` compare the
    open findings with those of the run before in which the target could be looked at; None where
    there is none. `audit` is the relative address of its page, "" for none. `seconds` are those of
    looking at it, `peak_mb` is the memory of the process that did. `reason` says why it failed.
    """

    name: str
    kind: Literal["folder", "git", "traces"]
    status: Literal["done", "failed"]
    reason: str = ""
    commit: str | None = None
    files: int = 0
    lines: int = 0
    runs: int = 0
    skipped: int = 0
    findings: int = 0
    fix_now: int = 0
    high: int = 0
    per_1000_lines: float | None = None
    new: int | None = None
    fixed: int | None = None
    fails: bool = False
    seconds: float = 0.0
    peak_mb: float = 0.0
    audit: str = ""


class FleetRule(Struct, frozen=True, kw_only=True):
    """A rule with at least one finding: in how many targets, and how many."""

    rule: str
    code: str
    title: str
    targets: int
    findings: int
    fix_now: int


class FleetRun(Struct, frozen=True, kw_only=True):
    """A run of the fleet over time (times in UTC, ISO 8601; `finished` None where it was stopped).

    `new` and `fixed` sum the targets that an earlier run had looked at too; `tool` is the version
    of the tool, for a newer one may find more or less in the same code.
    """

    run: int
    started: str
    finished: str | None
    tool: str
    targets: int
    failed: int
    findings: int
    fix_now: int
    new: int
    fixed: int


class Fleet(Struct, frozen=True, kw_only=True):
    """The newest run: targets by rank, rules by spread, and all runs, the newest first."""

    schema: str = SCHEMA
    tool: Tool
    targets: tuple[FleetTarget, ...]
    rules: tuple[FleetRule, ...]
    runs: tuple[FleetRun, ...]
