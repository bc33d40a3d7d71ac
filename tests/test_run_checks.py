"""The checks of recorded runs on planted faults and on near misses, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.run_checks import CHECKS, answers, fixture, records
from tests.trace_samples import (
    LOAN,
    Json,
    Sdk,
    asked,
    assistant,
    call_part,
    item,
    lines,
    only_run,
    otlp,
    otlp_span,
    parts,
    result,
    runs_of,
    said,
    user,
)

from agentcheck.model.assessment import TraceEvidence
from agentcheck.model.event import Run
from agentcheck.rule import TraceSettings

SETTINGS = {"unbounded-loop": TraceSettings(max_turns=5)}
PLANTED = [
    ("repeated-call", "bad", [[6, 2, 4], [9, 2, 5], [6, 2, 4], [2, 2, 2]]),
    ("unpaired-tool-call", "bad", [[2], [2], [5], [3]]),
    ("tool-args-unguarded", "bad", [[2, 3], [2, 3], [2, 3], [2]]),
    ("tool-args-off-schema", "bad", [[2], [2], [2]]),
    ("finish-reason-unchecked", "bad", [[2], [2], [2]]),
    ("handoff-race", "bad", [[1, 1, 2, 3]]),
    ("handoff-oscillation", "bad", [[6, 2, 4], [8, 2, 4, 6]]),
    ("non-idempotent-side-effect", "bad", [[4, 2, 3, 5], [2, 2, 3, 4]]),
    ("unbounded-loop", "bad", [[12, 10], [12, 10]]),
    ("repeated-message", "bad", [[6, 2, 4]]),
    ("repeated-message", "bad_transcript", [[6, 2, 4]]),
    ("tool-error-ignored", "bad", [[3, 4], [2, 3]]),
    ("injected-side-effect", "bad", [[4, 3], [4, 3]]),
    ("content-logged", "bad", [[3], [2]]),
]


@pytest.mark.parametrize(("topic", "name", "places"), PLANTED)
def test_each_planted_fault_is_found_at_its_record(
    topic: str, name: str, places: list[list[int]]
) -> None:
    runs = runs_of(fixture(topic, name))
    found = [answers(topic, run, SETTINGS.get(topic)) for run in runs]
    assert [[records(a) for a in told if a.hit] for told in found] == [[p] for p in places]
    for assessment in (a for told in found for a in told):
        assert assessment.hit
        assert assessment.subject
        assert assessment.hit.challenge.outcome != "refuted"
        assert all(isinstance(e, TraceEvidence) and e.says for e in assessment.evidence)


@pytest.mark.parametrize("topic", sorted(CHECKS))
def test_near_misses_stay_silent_and_are_answered_with_evidence(topic: str) -> None:
    files = sorted(fixture(topic, "ok").parent.glob("ok*.jsonl"))
    assert files
    for run in (run for file in files for run in runs_of(file)):
        [assessment] = answers(topic, run, SETTINGS.get(topic))
        assert assessment.hit is None, f"{topic} on run {run.index}"
        assert assessment.why.endswith(".")
        assert [e.run for e in assessment.evidence if isinstance(e, TraceEvidence)] == [
            run.index
        ] * len(assessment.evidence)


@pytest.mark.parametrize("topic", sorted(CHECKS))
def test_a_run_of_which_records_are_lost_is_never_found_right(topic: str, tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    turn = sdk.turn(agent, 1, item("find_reader", {"card": 7}))
    sdk.ran(turn, item("find_reader", {"card": 7}), "reader 7")
    sdk.end(turn, sdk.turn(agent, 2, said("You are reader 7.")), agent, task)
    whole = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert {a.verdict for a in answers(topic, replace(whole, unknown_records=1))} == {"cannot-tell"}


@pytest.mark.parametrize("topic", sorted(CHECKS))
def test_without_its_field_groups_a_check_cannot_tell(topic: str, tmp_path: Path) -> None:
    run = replace(only_run(lines(tmp_path / "r.jsonl", [LOAN])), known=frozenset())
    needs_nothing = {"unbounded-loop": "met", "budget-exceeded": "not-applicable"}
    verdicts = {a.verdict for a in answers(topic, run)}
    assert verdicts == {needs_nothing.get(topic, "cannot-tell")}


@pytest.mark.parametrize("topic", sorted(CHECKS))
def test_a_run_without_any_event_gets_an_answer(topic: str) -> None:
    empty = Run(id="0", file="r", index=0, format="f", known=frozenset(), events=())
    assert len(answers(topic, empty)) == 1


def test_evidence_shows_what_a_reply_said_and_why_it_ended() -> None:
    run = runs_of(fixture("finish-reason-unchecked", "bad"))[0]
    [assessment] = answers("finish-reason-unchecked", run)
    [shown] = [e for e in assessment.evidence if isinstance(e, TraceEvidence)]
    assert shown.text == "You may borrow up to ten books for four weeks, and renew"
    assert "finish reason length" in shown.says


def test_faults_are_found_in_otlp_at_the_models_span(tmp_path: Path) -> None:
    def model(n: int, arguments: object) -> Json:
        reply = parts("assistant", call_part("send_mail", arguments, f"c{n}"))
        return otlp_span(f"m{n}", "chat", 2 * n, parent="a", gen_ai__output__messages=[reply])

    def tool(n: int) -> Json:
        return otlp_span(
            f"x{n}",
            "execute_tool",
            2 * n + 1,
            parent="a",
            gen_ai__tool__name="send_mail",
            gen_ai__tool__call__id=f"c{n}",
            gen_ai__tool__call__result="sent",
        )

    same = [span for n in (1, 2, 3) for span in (model(n, {"to": "desk"}), tool(n))]
    broken = [model(4, '{"to": "de'), tool(4), otlp_span("a", "invoke_agent", 1)]
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(*same, *broken)]))
    found = {t: [records(a)[0] for a in answers(t, run) if a.hit] for t in CHECKS}
    assert {t: r for t, r in found.items() if r} == {
        "repeated-call": ["m3"],
        "non-idempotent-side-effect": ["m2"],
        "tool-args-unguarded": ["m4"],
    }


def test_what_reports_show_of_a_run_is_masked_and_cut(tmp_path: Path) -> None:
    arguments = {"mail": "ida.berg@reader.example", "note": "word " * 100}
    calls = [
        m for n in (1, 2, 3) for m in (assistant(None, asked("find", arguments)), result("no"))
    ]
    run = only_run(lines(tmp_path / "r.jsonl", [[user("Go"), *calls]]))
    [assessment] = answers("repeated-call", run)
    texts = [e.text for e in assessment.evidence]
    assert all(text.startswith('find({"mail": "<email:') for text in texts)
    assert all(len(text) <= 200 for text in texts)
    assert all("reader.example" not in text for text in texts)
