"""Labelled recorded runs, where they are at hand: every fault found, no false alarm."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.run_checks import answers, records

from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings
from agentcheck.trace.read import read_runs

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("AGENTCHECK_SHARED", ROOT.parent / "shared")) / "traces"
LABELS = SHARED / "labels.jsonl"
TOPICS = {
    "repeated_identical_call": "repeated-call",
    "repeated_identical_message": "repeated-message",
    "same_side_effect_twice": "non-idempotent-side-effect",
    "runaway_turns": "unbounded-loop",
    "handoff_oscillation": "handoff-oscillation",
    "two_handoffs_one_batch": "handoff-race",
    "unpaired_tool_call": "unpaired-tool-call",
    "invalid_json_args": "tool-args-unguarded",
    "finish_reason_abnormal": "finish-reason-unchecked",
    "side_effect_without_approval": "unguarded-side-effect",
    "tool_error_ignored": "tool-error-ignored",
    "sensitive_logged": "content-logged",
    "injection_then_side_effect": "injected-side-effect",
}
SETTINGS = ("side_effecting", "max_turns", "min_repeats")
Found = dict[tuple[str, int], list[int | str]]


def labels() -> dict[str, list[dict[str, Any]]]:
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in map(json.loads, LABELS.read_text("utf-8").splitlines()):
        if row["check"] in TOPICS:
            by_file[row["file"]].append(row)
    return by_file


def settings_for(rows: list[dict[str, Any]]) -> TraceSettings:
    given = {k: v for row in rows for k, v in (row.get("params") or {}).items() if k in SETTINGS}
    if "side_effecting" in given:
        given["side_effecting"] = frozenset(given["side_effecting"])
    return TraceSettings(**given)


def hits(file: str, rows: list[dict[str, Any]]) -> Found:
    found: Found = defaultdict(list)
    settings = settings_for(rows)
    for run in read_runs(SHARED / file):
        if isinstance(run, Run):
            for topic in {TOPICS[row["check"]] for row in rows}:
                for assessment in answers(topic, run, settings):
                    if assessment.hit:
                        found[topic, run.index] += records(assessment)
    return found


@pytest.mark.skipif(not LABELS.exists(), reason="the labelled runs are not at hand")
def test_labelled_faults_are_found_at_their_place_without_false_alarms() -> None:
    missed, alarms, faults = [], [], Counter[str]()
    for file, rows in labels().items():
        found = hits(file, rows)
        for row in rows:
            places = found[TOPICS[row["check"]], row["run"]]
            if row["expected"]:
                faults[row["check"]] += 1
                if row["where"] not in places:
                    missed.append((row["check"], file, row["run"]))
            elif places:
                alarms.append((row["check"], file, row["run"]))
    assert alarms == []
    short = Counter(check for check, *_ in missed)
    assert {c: n for c, n in short.items() if n > 0.05 * faults[c]} == {}, missed
