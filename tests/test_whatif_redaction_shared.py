"""Redacted copies of recorded runs, where these are at hand: nothing left, nothing else changed.

What is left is sought here with patterns of this file's own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.run_checks import CHECKS, records

from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs
from agentcheck.whatif.redaction.write import write_redacted

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("AGENTCHECK_SHARED", ROOT.parent / "shared")) / "traces"
CONTENT = "content-logged"
"""The check that is about what was said, of which a copy rightly says something else."""

EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
KEY = re.compile(
    r"\b(?:sk-[\w-]{20,}|gh[pousr]_\w{30,}|AKIA[A-Z0-9]{16}|AIza[\w-]{35}|xox[abp]-[\w-]{10,})"
)
DIGITS = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w.])")


def files() -> list[Path]:
    found = (p for p in SHARED.rglob("*") if p.suffix in (".json", ".jsonl", ".traj"))
    return sorted(p for p in found if p.name != "labels.jsonl")


def texts(value: Any) -> Iterator[str]:
    """Every text and number in a value, those in texts that are JSON among them."""
    match value:
        case dict():
            yield from (t for k, v in value.items() for t in (k, *texts(v)))
        case list():
            yield from (text for item in value for text in texts(item))
        case str():
            yield value
            if value[:1] in ("{", "["):
                with suppress(ValueError):
                    yield from texts(json.loads(value))
        case int():
            yield str(value)


def is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    doubled = sum(n * 2 - 9 * (n > 4) for n in digits[-2::-2])
    return digits[0] in (3, 4, 5, 6) and (sum(digits[-1::-2]) + doubled) % 10 == 0


def left_in(path: Path) -> list[str]:
    raw = path.read_text("utf-8")
    values = map(json.loads, raw.splitlines()) if path.suffix == ".jsonl" else [json.loads(raw)]
    found = []
    for text in (text for value in values for text in texts(value)):
        found += EMAIL.findall(text) + KEY.findall(text)
        found += filter(is_card, DIGITS.findall(text))
    return found


def told(path: Path) -> list[Any]:
    """Every answer about the runs of a file, with its place."""
    found: list[Any] = []
    for run in read_runs(path, "runs"):
        if not isinstance(run, Run):
            found.append(run.why)
            continue
        found += (
            (topic, run.index, given.verdict, tuple(records(given)))
            for topic, check in CHECKS.items()
            if topic != CONTENT
            for given in check(run, TraceSettings())
        )
    return found


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded runs are not at hand")
def test_copies_hold_no_address_card_or_key_and_the_same_findings(tmp_path: Path) -> None:
    before, after, changed = [], [], []
    for path in files():
        copy = tmp_path / path.name
        write_redacted(path, copy)
        before += left_in(path)
        after += left_in(copy)
        if told(path) != told(copy):
            changed.append(path.name)
    assert before
    assert after == []
    assert changed == []
