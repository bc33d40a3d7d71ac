"""The acceptance tests of a folder, run on the code that was just audited."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.card import CONFIDENCES
from agentcheck.model.errors import UsageError
from agentcheck.model.finding import ByRun, Confidences, Finding
from agentcheck.model.report import Report, Settled, Verified
from agentcheck.run.request import Tell, Verify, silent
from agentcheck.source.discover import root_of

if TYPE_CHECKING:
    from agentcheck.acceptance.verify import Test


class Known(Struct, frozen=True):
    """Which findings there are, shown or not: their fingerprints, and the rules that were asked."""

    fingerprints: frozenset[str]
    rules: frozenset[str]


def with_verified(report: Report, wish: Verify, known: Known, tell: Tell = silent) -> Report:
    """The report with what the tests said of each finding.

    A finding whose test fails is known by running it and sure; one whose test passes is
    contradicted and a step less sure. Run are the tests of the findings that are shown, and those
    whose rule was asked and finds nothing there any more. Raises UsageError where there is nothing
    to run or nothing to run it with.
    """
    from agentcheck.acceptance.verify import interpreter_of, play_tests, tests_in

    if not report.target.paths:
        raise UsageError("--verify runs tests on files; what stdin holds cannot be imported")
    root = root_of([Path(path) for path in report.target.paths]).resolve()
    python = interpreter_of(root, wish.python)
    there = {finding.fingerprint for finding in report.findings}
    tests = [t for t in tests_in(wish.folder) if t.fingerprint in there or _is_gone(t, known)]
    said: dict[str, list[ByRun]] = {}
    for number, group in enumerate(groups := _together(tests), 1):
        tell(f"running {len(tests)} tests: process {number} of {len(groups)}")
        played = play_tests([test.file for test in group], root, python, wish.seconds)
        for test in group:
            verdict, why = played[test.file.name]
            said.setdefault(test.fingerprint, []).append(ByRun(verdict, test.file.name, why))
    first = {fingerprint: _gravest(runs) for fingerprint, runs in said.items()}
    findings = tuple(_judged(f, first.get(f.fingerprint)) for f in report.findings)
    return replace(report, findings=findings, verified=_verified(wish, findings, first))


def _together(tests: list[Test]) -> list[list[Test]]:
    """Tests that can share a process: others could import one name from different folders."""
    groups: dict[str, list[Test]] = {}
    for test in tests:
        groups.setdefault(test.paths, []).append(test)
    return list(groups.values())


def _is_gone(test: Test, known: Known) -> bool:
    return test.rule in known.rules and test.fingerprint not in known.fingerprints


def _gravest(runs: list[ByRun]) -> ByRun:
    order = ("fails", "not-shown", "passes")
    return min(runs, key=lambda run: order.index(run.verdict))


def _judged(finding: Finding, run: ByRun | None) -> Finding:
    if run is None:
        return finding
    sure, known = finding.confidence, finding.known_by
    if run.verdict == "fails":
        sure = Confidences("high", sure.remedy)
        known = known if "run" in known else (*known, "run")
    elif run.verdict == "passes":
        lower = min(CONFIDENCES.index(sure.defect) + 1, len(CONFIDENCES) - 1)
        sure = Confidences(CONFIDENCES[lower], sure.remedy)
    return replace(finding, run=run, confidence=sure, known_by=known)


def _verified(wish: Verify, findings: tuple[Finding, ...], first: dict[str, ByRun]) -> Verified:
    counts = Counter(f.run.verdict for f in findings if f.run is not None)
    there = {f.fingerprint for f in findings}
    settled = tuple(
        Settled(fingerprint, run.test, run.verdict, run.why)
        for fingerprint, run in first.items()
        if fingerprint not in there
    )
    return Verified(
        wish.folder.as_posix(), counts["fails"], counts["passes"], counts["not-shown"], settled
    )
