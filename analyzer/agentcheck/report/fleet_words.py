"""Words about a fleet that its page and its terminal table share."""

from __future__ import annotations

import re

from agentcheck.model.fleet import Fleet, FleetTarget
from agentcheck.report.words import plural


def short(target: FleetTarget) -> str:
    """The last two parts of a target's name, by which people know it."""
    parts = [part for part in re.split(r"[/\\]", target.name) if part]
    return "/".join(parts[-2:]) or target.name


def total(fleet: Fleet) -> str:
    """`8 targets: 412 findings, 31 to fix now; 1 target failed`."""
    found = sum(target.findings for target in fleet.targets)
    now = sum(target.fix_now for target in fleet.targets)
    said = f"{plural(len(fleet.targets), 'target')}: {plural(found, 'finding')}, {now:,} to fix now"
    failed = sum(target.status == "failed" for target in fleet.targets)
    return f"{said}; {plural(failed, 'target')} failed" if failed else said


def moved(target: FleetTarget) -> str:
    """`+2 -1` against the run before, `=` for the same, nothing where there is none."""
    if target.new is None or target.fixed is None:
        return ""
    up = f"+{target.new:,}" if target.new else ""
    down = f"-{target.fixed:,}" if target.fixed else ""
    return f"{up} {down}".strip() or "="


def repositories(fleet: Fleet) -> list[FleetTarget]:
    """The targets with code that could be looked at, by rank."""
    return [t for t in fleet.targets if t.kind != "traces" and t.status == "done"]


def recorded(fleet: Fleet) -> list[FleetTarget]:
    """The files of recorded runs that could be looked at, by rank."""
    return [t for t in fleet.targets if t.kind == "traces" and t.status == "done"]


def failures(fleet: Fleet) -> list[FleetTarget]:
    """The targets that could not be looked at."""
    return [t for t in fleet.targets if t.status == "failed"]


def densest(fleet: Fleet) -> list[FleetTarget]:
    """The repositories by findings per 1,000 lines, those without any left out."""
    found = [t for t in repositories(fleet) if t.per_1000_lines]
    return sorted(found, key=lambda t: (-(t.per_1000_lines or 0.0), t.name))
