"""The baseline: fingerprints of findings that are known and accepted as they are today."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from msgspec import Struct

from agentcheck.config import UsageError
from agentcheck.model.report import Compared, Report

SCHEMA = "agentcheck/baseline/1"
FILE_NAME = "agentcheck-baseline.json"


class Known(Struct, frozen=True):
    """A finding of the baseline, as far as it is needed to tell whether it is gone."""

    rule: str
    file: str


class Baseline(Struct, frozen=True):
    """What a baseline file holds, by fingerprint. `commit` is that of the code it was written of.

    `renamed` are the names that files had then, by those they have now.
    """

    findings: dict[str, Known]
    commit: str | None = None
    renamed: dict[str, str] = {}

    def knows(self, *fingerprints: str) -> bool:
        """Whether one of a finding's fingerprints is in it."""
        return any(name in self.findings for name in fingerprints)

    def compared(
        self, found: Collection[str], new: int, rules: Collection[str], unread: Collection[str]
    ) -> Compared:
        """The baseline against the fingerprints of all that was `found`, `new` ones counted.

        What no rule was asked about or stands in a file that could not be read is not called fixed.
        """
        still = sum(1 for name in self.findings if name in found)
        gone = [k for name, k in self.findings.items() if name not in found]
        fixed = sum(1 for known in gone if known.rule in rules and known.file not in unread)
        return Compared(new=new, fixed=fixed, unchanged=still)


def baseline_text(report: Report) -> str:
    """The baseline file of a report: its shown findings by fingerprint, sorted, as JSON."""
    shown = [f for f in report.findings if f.suppressed is None]
    entries = {
        f.fingerprint: {"rule": f.rule, "file": f.primary.file, "subject": f.subject} for f in shown
    }
    data = {"schema": SCHEMA, "commit": report.target.commit, "findings": entries}
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def read_baseline(path: str | None) -> Baseline | None:
    """What a baseline file holds. Raises UsageError for a file that is none."""
    if path is None:
        return None
    try:
        data: Any = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; write it with `agentcheck baseline`") from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{path}: not a baseline; write one with `agentcheck baseline`")
    findings, commit = data.get("findings"), data.get("commit")
    listed = findings.items() if isinstance(findings, dict) else ()
    known = {name: _known(entry) for name, entry in listed}
    return Baseline(known, commit if isinstance(commit, str) else None)


def with_renames(baseline: Baseline | None, root: Path) -> Baseline | None:
    """The baseline with the names that files had when it was written, as far as git knows.

    Git is asked only where a file that the baseline names is gone.
    """
    if baseline is None or all((root / k.file).exists() for k in baseline.findings.values()):
        return baseline
    from agentcheck.run.renames import renamed_since

    renamed = renamed_since(root, baseline.commit or "HEAD")
    return Baseline(baseline.findings, baseline.commit, renamed)


def _known(entry: Any) -> Known:
    told = entry if isinstance(entry, dict) else {}
    return Known(str(told.get("rule", "")), str(told.get("file", "")))
