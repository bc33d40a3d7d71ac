"""Audits of recorded runs by each of the ways there are, which must tell the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentcheck.model.report import Skipped
from agentcheck.rule import TraceSettings, load_rules
from agentcheck.run.ask import Asker
from agentcheck.run.fold import Fold
from agentcheck.run.spread import audited, of_file
from agentcheck.run.tracing import Asking, Auditor, Told
from agentcheck.trace.handoffs import with_handoffs
from agentcheck.trace.plan import laid_out, plan_of
from agentcheck.trace.read import read_runs

RULES = [rule for rule in load_rules() if rule.check_run]
WHOLE = 10**12
"""More bytes than any file has: it is read in one piece."""


def asking(
    settings: TraceSettings | None = None, targets: Mapping[str, str] | None = None
) -> Asking:
    """All rules; `targets` are the tools that hand over."""
    names = tuple(rule.name for rule in RULES)
    return Asking(names, {}, settings or TraceSettings(), dict(targets or {}))


def report(paths: Iterable[Path], jobs: int, least: int, asked: Asking | None = None) -> Any:
    """Everything that the files tell, in parts of at least `least` bytes over processes."""
    files = [(str(path), path.name) for path in paths]
    return joined(audited(files, RULES, asked or asking(), jobs, lambda _: None, None, least))


def parts_here(path: Path, least: int, asked: Asking | None = None) -> Any:
    """As `report` of one file in parts, with no process but this one."""
    layout = laid_out(plan_of(path, path.name, least))
    return joined(of_file(layout, Auditor(RULES, asked or asking())))


def in_full(path: Path, asked: Asking | None = None) -> Any:
    """As `report` of one file, where every check is asked about every run, played in full."""
    about = asked or asking()
    asker, fold, runs, skipped = Asker(RULES), Fold(), 0, list[Skipped]()
    for run in read_runs(path):
        if isinstance(run, Skipped):
            skipped.append(run)
            continue
        runs += 1
        for answer in asker.run(with_handoffs(run, about.targets), about.settings):
            fold.add(answer)
    return _told(fold, runs, skipped, asker.failed)


def joined(told: Iterable[Told]) -> Any:
    """Everything that was told, as one answer."""
    fold, runs, skipped = Fold(), 0, list[Skipped]()
    failed: dict[str, Skipped] = {}
    for each in told:
        fold.join(each.kept, {rule.name: rule for rule in RULES})
        runs += each.runs
        skipped += each.skipped
        failed = each.failed | failed
    return _told(fold, runs, skipped, failed)


def _told(fold: Fold, runs: int, skipped: list[Skipped], failed: dict[str, Skipped]) -> Any:
    return [(a.rule.name, a.assessment) for a in fold.answers()], runs, skipped, failed
