"""The checks of runs by topic, also of those that a rule over code shares."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import agentcheck_rules
from agentcheck.model.assessment import Assessment, TraceEvidence
from agentcheck.model.event import Run
from agentcheck.rule import RunCheck, TraceSettings

HELPER = "_run_"


def _found() -> dict[str, RunCheck]:
    walk = pkgutil.walk_packages(agentcheck_rules.__path__, f"{agentcheck_rules.__name__}.")
    names = [m.name for m in walk if m.name.rpartition(".")[2].startswith(HELPER)]
    return {
        name.rpartition(".")[2].removeprefix(HELPER).replace("_", "-"): import_module(
            name
        ).check_run
        for name in names
    }


CHECKS = _found()
FIXTURES = Path(__file__).parent.parent / "fixtures" / "rules"


def fixture(topic: str, name: str) -> Path:
    """Recorded runs that ship for a topic."""
    return FIXTURES / topic.replace("-", "_") / f"{name}.jsonl"


def answers(topic: str, run: Run, settings: TraceSettings | None = None) -> list[Assessment]:
    """What the check of a topic says of a run."""
    return list(CHECKS[topic](run, settings or TraceSettings()))


def records(assessment: Assessment) -> list[int | str]:
    """The records of the evidence, the primary one first."""
    found = [e for e in assessment.evidence if isinstance(e, TraceEvidence)]
    return [e.record for e in sorted(found, key=lambda e: e.role != "primary")]
