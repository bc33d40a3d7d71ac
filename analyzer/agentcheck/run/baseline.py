"""The baseline: fingerprints of findings that are known and accepted as they are today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentcheck.config import UsageError
from agentcheck.model.report import Report

SCHEMA = "agentcheck/baseline/1"
FILE_NAME = "agentcheck-baseline.json"


def baseline_text(report: Report) -> str:
    """The baseline file of a report: its shown findings by fingerprint, sorted, as JSON."""
    shown = [f for f in report.findings if f.suppressed is None]
    entries = {
        f.fingerprint: {"rule": f.rule, "file": f.primary.file, "subject": f.subject} for f in shown
    }
    return json.dumps({"schema": SCHEMA, "findings": entries}, indent=2, sort_keys=True) + "\n"


def read_baseline(path: str | None) -> frozenset[str]:
    """The fingerprints in a baseline file. Raises UsageError for a file that is none."""
    if path is None:
        return frozenset()
    try:
        data: Any = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; write it with `agentcheck baseline`") from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{path}: not a baseline; write one with `agentcheck baseline`")
    findings = data.get("findings")
    return frozenset(findings) if isinstance(findings, dict) else frozenset()
