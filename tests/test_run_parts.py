"""The pure parts of a run: purposes of files, priorities, many runs folded into few answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.made_rules import made_rule

from agentcheck.crosscheck import Answer
from agentcheck.model.assessment import Assessment, Challenge, Hit, TraceEvidence
from agentcheck.model.card import Confidence, Priority, Severity
from agentcheck.model.event import Run
from agentcheck.model.kind import CodeKind, code_kind
from agentcheck.model.report import Profile
from agentcheck.rule import Rule, TraceSettings
from agentcheck.run.ask import Asker
from agentcheck.run.fold import Fold
from agentcheck.run.priority import prioritise

APP = Profile("real", "both", "app", "single")
RUN = Run(id="r", file="runs.jsonl", index=4, format="chat", known=frozenset(), events=())


def answer(run: int, *, severity: Severity | None = None, hit: bool = True) -> Answer:
    evidence = TraceEvidence("primary", "runs.jsonl", run, 3, "", "{}", "here")
    found = Hit(
        message=f"It failed in run {run}.",
        owner="loop",
        failure_path=(),
        challenge=Challenge(),
        severity=severity,
    )
    said = Assessment(
        subject="search",
        verdict="not-met" if hit else "met",
        why="So it is.",
        evidence=(evidence,),
        hit=found if hit else None,
    )
    return Answer(made_rule(), said)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("swarm/core.py", "code"),
        ("tests/helpers.py", "test"),
        ("pkg/test_core.py", "test"),
        ("pkg/core_test.py", "test"),
        ("conftest.py", "test"),
        ("pkg/testing.py", "code"),
        ("examples/airline/main.py", "example"),
        ("computer-use-demo/loop.py", "example"),
        ("docs/conf.py", "example"),
        ("example_agent.py", "example"),
        ("pkg/demo.py", "example"),
        ("pkg/democracy.py", "code"),
        ("src/latest/contest.py", "code"),
        ("examples/tests/run.py", "test"),
    ],
)
def test_the_purpose_of_a_file_is_in_its_path(path: str, kind: CodeKind) -> None:
    assert code_kind(path) == kind


@pytest.mark.parametrize(
    ("severity", "confidence", "kind", "priority"),
    [
        ("high", "high", "code", "fix-now"),
        ("high", "medium", "code", "fix-now"),
        ("high", "low", "code", "investigate-next"),
        ("medium", "high", "code", "fix-when"),
        ("medium", "low", "code", "fix-when"),
        ("low", "high", "code", "fix-when"),
        ("low", "medium", "code", "leave"),
        ("info", "high", "code", "leave"),
        ("high", "high", "example", "fix-now"),
        ("high", "medium", "example", "fix-when"),
        ("medium", "high", "test", "leave"),
    ],
)
def test_priority_comes_from_severity_confidence_and_the_kind_of_code(
    severity: Severity, confidence: Confidence, kind: CodeKind, priority: Priority
) -> None:
    assert prioritise(severity, confidence, made_rule(), kind, APP) == priority


def test_examples_weigh_in_full_where_there_is_nothing_else() -> None:
    examples = Profile("real", "both", "example", "single")
    assert prioritise("high", "medium", made_rule(), "example", examples) == "fix-now"


def test_approval_matters_less_where_no_tool_changes_anything() -> None:
    harmless = Profile("none", "both", "app", "single")
    assert prioritise("high", "high", made_rule(family="approval"), "code", harmless) == "fix-when"


def test_what_tenants_share_matters_more_where_there_are_many() -> None:
    shared = made_rule("retrieval-unfiltered", "context")
    assert prioritise("medium", "high", shared, "code", APP) == "fix-when"
    many = Profile("real", "both", "app", "many")
    assert prioritise("medium", "high", shared, "code", many) == "fix-now"


def test_the_same_fault_in_many_runs_is_one_answer_with_every_record() -> None:
    fold = Fold()
    for run in range(3):
        fold.add(answer(run))
    (folded,) = fold.answers()
    said = folded.assessment
    runs = [(e.run, e.role) for e in said.evidence if isinstance(e, TraceEvidence)]
    assert runs == [(0, "primary"), (1, "related"), (2, "related")]
    assert said.hit is not None
    assert said.hit.message == "It failed in run 0 (and 2 more runs)."


def test_the_worst_of_equal_faults_speaks_for_them() -> None:
    fold = Fold()
    fold.add(answer(0))
    fold.add(answer(1, severity="high"))
    said = fold.answers()[0].assessment
    assert said.hit is not None
    assert said.hit.severity == "high"
    assert [e.run for e in said.evidence if isinstance(e, TraceEvidence)] == [1, 0]


def test_runs_in_which_all_is_well_are_counted_apart_from_faults() -> None:
    fold = Fold()
    for run in range(4):
        fold.add(answer(run, hit=run == 3))
    fine, fault = fold.answers()
    assert (fine.assessment.verdict, fine.assessment.why) == ("met", "So it is (and 2 more runs).")
    assert len(fine.assessment.evidence) == 1
    assert fault.assessment.verdict == "not-met"


def test_a_rule_that_fails_costs_only_its_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def works(_run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
        yield answer(0).assessment

    def fails(_run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
        yield answer(0).assessment
        raise KeyError("gone")

    def failing_at_once(_run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
        raise ValueError("no")

    monkeypatch.delenv("AGENTCHECK_TRACEBACK", raising=False)
    card = made_rule().card
    checks = {"works": works, "fails": fails, "failing-at-once": failing_at_once}
    rules = [Rule(name, "f", name, card, "Doc.", None, ask) for name, ask in checks.items()]
    asker = Asker(rules)
    answers = [a for _ in range(2) for a in asker.run(RUN, TraceSettings())]
    assert [a.rule.name for a in answers] == ["works", "fails"] * 2
    assert [(s.file, s.why) for s in asker.failed.values()] == [
        ("rule fails", "failed on run 4 of runs.jsonl: KeyError: 'gone'"),
        ("rule failing-at-once", "failed on run 4 of runs.jsonl: ValueError: no"),
    ]


def test_a_failure_is_raised_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
        raise ValueError("no")

    monkeypatch.setenv("AGENTCHECK_TRACEBACK", "1")
    asker = Asker([Rule("fails", "f", "fails", made_rule().card, "Doc.", None, fails)])
    with pytest.raises(ValueError, match="no"):
        list(asker.run(RUN, TraceSettings()))
