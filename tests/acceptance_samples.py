"""Findings of the parcel desk, by hand, and the acceptance tests generated from them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.run_targets import scan, write

from agentcheck.acceptance import generate
from agentcheck.acceptance.scenarios import SCENARIOS, TOPICS
from agentcheck.acceptance.verify import Said, play_tests
from agentcheck.config import Settings
from agentcheck.model.assessment import Challenge, CodeEvidence
from agentcheck.model.finding import Acceptance, Confidences, Finding, TraceVerdict

PROJECT = Path(__file__).parents[1]
DESK = PROJECT / "fixtures" / "agents" / "parcel_desk"
MENDED = PROJECT / "fixtures" / "agents" / "parcel_desk_mended"
NAMES = {
    "shape": "runner",
    "module": "relay.core",
    "import_root": ".",
    "runner": "Relay",
    "run": "run",
    "stream": "run_and_stream",
    "client_param": "client",
    "agent_param": "agent",
    "messages_param": "messages",
    "limit_param": "max_steps",
    "agent_class": "relay.types.Agent",
    "functions_field": "functions",
}
if importlib.util.find_spec("openai") is not None:  # what the desk itself makes its client with
    NAMES |= {"session": "relay.repl.talk", "session_agent": "agent"}
# Topics of which the desk has no fault.
ABSENT = frozenset({"no-timeout", "lossy-tool-schema", "falsy-override-ignored"})
DESK_TOPICS = tuple(
    scenario.topic
    for scenario in SCENARIOS
    if scenario.shape == "runner" and scenario.topic not in ABSENT
)


def make_finding(topic: str, names: dict[str, str], title: str = "A fault") -> Finding:
    line = CodeEvidence("primary", "relay/core.py", 59, 59, 9, 48, "while True:", "the loop")
    return Finding(
        id="F1",
        rule=topic,
        code="AC101",
        topic=topic,
        priority="fix-now",
        severity="high",
        title=title,
        message="Something is wrong.",
        subject="Relay.run",
        at_stake="",
        failure_path=(),
        consequence="",
        evidence=(line,),
        owner="Relay.run",
        smallest_change="",
        could_break="",
        acceptance=Acceptance("It is right."),
        known_by=("code",),
        confidence=Confidences("high", "high"),
        challenge=Challenge(),
        trace=TraceVerdict("no-runs"),
        fingerprint=f"{TOPICS.index(topic):x}a5e",
        names={**names, "topic": topic},
    )


def generated(out: Path, root: Path, topics: Sequence[str] = DESK_TOPICS) -> list[Path]:
    return generate.write_tests([make_finding(topic, NAMES) for topic in topics], root, out)


def shown(tmp_path: Path, rule: str, target: str, *mended: str) -> list[Said]:
    """What the tests of a rule's findings say alike of the target, and of mended ones."""
    folder = write(tmp_path / "target", desk=target)
    report = scan(folder, Settings(select=(rule,), persona="auditor"))
    written = generate.write_tests(report.findings, folder, tmp_path / "tests")
    said = []
    for number, text in enumerate((target, *mended)):
        here = write(tmp_path / f"target_{number}", desk=text)
        every = set(play_tests(written, here, sys.executable, 60).values())
        said.append(every.pop())
        assert not every, every
    return said
