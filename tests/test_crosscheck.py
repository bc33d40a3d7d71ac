"""What recorded runs say of hits in code, and what code says of hits in runs."""

from __future__ import annotations

from tests.crosscheck_samples import Made, Named, check, in_code, in_run, only, traced

from agentcheck.crosscheck import (
    PROGRAM_TOPICS,
    SHOWS_OPPOSITE,
    SOLE_TOPICS,
    TOOL_TOPICS,
    Answer,
    Traced,
    crosscheck,
)
from agentcheck.model.assessment import CodeEvidence, TraceEvidence
from agentcheck.model.location import Place, Span
from agentcheck.rule import load_rules


def test_without_runs_a_hit_says_that_there_were_none() -> None:
    found = only(check([in_code("repeated-call", "search")], Traced()))
    assert found.verdict.verdict == "no-runs"
    assert found.known_by == ("code",)


def test_a_hit_of_both_witnesses_on_one_subject_becomes_one() -> None:
    found = only(
        check([in_code("repeated-call", "search")], traced(in_run("repeated-call", "search")))
    )
    assert found.known_by == ("code", "trace")
    assert found.verdict.verdict == "confirmed"
    assert found.verdict.records == ("runs.jsonl#0/3",)
    kinds = [(type(e), e.role) for e in found.answer.assessment.evidence]
    assert kinds == [(CodeEvidence, "primary"), (TraceEvidence, "related")]


def test_a_qualified_name_is_the_subject_that_runs_know_by_its_last_part() -> None:
    code = [in_code("repeated-call", "Shop.refund")]
    found = only(check(code, traced(in_run("repeated-call", "refund"))))
    assert found.verdict.verdict == "confirmed"


def test_a_tool_is_the_same_subject_when_the_code_defines_it_on_the_evidence_line() -> None:
    code = [in_code("repeated-call", "_refund_impl", file="tools.py", line=4)]
    places = Named(refund=Place("tools.py", Span(4, 5, 4, 11), "def refund():"))
    found = only(check(code, traced(in_run("repeated-call", "refund")), places))
    assert found.verdict.verdict == "confirmed"


def test_another_subject_of_the_topic_stays_apart() -> None:
    first, second = check(
        [in_code("repeated-call", "search")], traced(in_run("repeated-call", "refund"))
    )
    assert (first.known_by, first.verdict.verdict) == (("code",), "not-exercised")
    assert (second.known_by, second.verdict.verdict) == (("trace",), "confirmed")


def test_another_topic_of_the_subject_stays_apart() -> None:
    found = check([in_code("no-timeout", "search")], traced(in_run("repeated-call", "search")))
    assert [one.known_by for one in found] == [("code",), ("trace",)]
    assert found[0].verdict.verdict == "not-checkable"


def test_a_hit_that_only_runs_show_gets_the_line_of_the_tool() -> None:
    places = Named(refund=Place("tools.py", Span(4, 5, 4, 11), "def refund():"))
    found = only(check([], traced(in_run("repeated-call", "refund")), places))
    code = [e for e in found.answer.assessment.evidence if isinstance(e, CodeEvidence)]
    assert [(e.file, e.line, e.role) for e in code] == [("tools.py", 4, "related")]
    assert found.known_by == ("trace",)


def test_a_hit_that_only_runs_show_gets_the_line_of_the_agent() -> None:
    found = only(check([], traced(in_run("handoff-oscillation", "Triage")), Named()))
    code = [e for e in found.answer.assessment.evidence if isinstance(e, CodeEvidence)]
    assert [(e.file, e.line) for e in code] == [("core.py", 2)]


def test_a_hit_that_only_runs_show_gets_the_line_of_the_loop() -> None:
    found = only(check([], traced(in_run("repeated-message", "Runner.run")), Named()))
    code = [e for e in found.answer.assessment.evidence if isinstance(e, CodeEvidence)]
    assert [(e.file, e.line) for e in code] == [("core.py", 7)]


def test_a_fault_of_the_whole_program_joins_its_only_owner() -> None:
    code = [in_code("unbounded-loop", "Runner.run")]
    found = only(check(code, traced(in_run("unbounded-loop", "Triage"))))
    assert found.known_by == ("code", "trace")


def test_a_fault_of_the_whole_program_joins_library_code_where_owners_differ() -> None:
    code = [
        in_code("unbounded-loop", "Runner.run", file="lib/core.py"),
        in_code("unbounded-loop", "main", file="examples/demo.py"),
    ]
    library, example = check(code, traced(in_run("unbounded-loop", "Triage")))
    assert library.verdict.verdict == "confirmed"
    assert example.verdict.verdict == "not-exercised"


def test_runs_that_cannot_tell_make_a_hit_not_checkable() -> None:
    runs = traced(in_run("repeated-call", "search", "cannot-tell"))
    assert only(check([in_code("repeated-call", "search")], runs)).verdict.verdict == (
        "not-checkable"
    )


def test_a_run_that_went_well_does_not_contradict() -> None:
    runs = traced(in_run("unbounded-loop", "Triage", "met"))
    assert only(check([in_code("unbounded-loop", "Runner.run")], runs)).verdict.verdict == (
        "not-exercised"
    )


def test_a_run_that_shows_the_opposite_contradicts() -> None:
    runs = traced(in_run("tool-error-ends-run", "refund", "met", record=5))
    found = only(check([in_code("tool-error-ends-run", "Runner.call")], runs))
    assert found.verdict.verdict == "contradicted"
    assert found.verdict.records == ("runs.jsonl#0/5",)


def test_the_opposite_cannot_be_laid_to_one_of_two_owners() -> None:
    code = [in_code("tool-error-ends-run", "A.call"), in_code("tool-error-ends-run", "B.call")]
    runs = traced(in_run("tool-error-ends-run", "refund", "met"))
    assert {one.verdict.verdict for one in check(code, runs)} == {"not-exercised"}


def test_a_topic_that_was_asked_and_did_not_come_up_is_not_exercised() -> None:
    runs = traced(topics=("repeated-call",))
    assert only(check([in_code("repeated-call", "search")], runs)).verdict.verdict == (
        "not-exercised"
    )


def test_records_are_named_once_each() -> None:
    runs = traced(
        in_run("repeated-call", "search", record=3), in_run("repeated-call", "search", record=9)
    )
    found = only(check([in_code("repeated-call", "search")], runs))
    assert found.verdict.records == ("runs.jsonl#0/3", "runs.jsonl#0/9")


def test_answers_without_a_hit_make_no_finding() -> None:
    assert check([], traced(in_run("repeated-call", "search", "met"))) == []


def test_a_race_of_a_named_agent_confirms_its_dispatcher_too() -> None:
    code = [
        in_code("handoff-race", "Runner.dispatch", owner="Runner.dispatch"),
        in_code("handoff-race", "Triage", line=2, owner="Triage"),
        in_code("handoff-race", "Demo.dispatch", file="examples/demo.py", owner="Demo.dispatch"),
    ]
    traced = Traced((in_run("handoff-race", "Triage"),), 1, frozenset({"handoff-race"}))
    verdicts = {
        j.answer.assessment.subject: j.verdict.verdict for j in crosscheck(code, traced, Named())
    }
    assert verdicts == {
        "Runner.dispatch": "confirmed",
        "Triage": "confirmed",
        "Demo.dispatch": "not-exercised",
    }


def test_a_run_without_a_name_is_no_loop_of_that_name() -> None:
    code = [
        in_code("unbounded-loop", "Runner.run", owner="Runner.run"),
        in_code("unbounded-loop", "Runner.stream", owner="Runner.stream", line=9),
    ]
    found = check(code, traced(in_run("unbounded-loop", "run")), Named())
    assert [one.verdict.verdict for one in found] == ["confirmed", "confirmed"]


def test_what_a_tool_did_unasked_confirms_the_dispatcher_and_no_other_tool() -> None:
    code = [
        in_code("unguarded-side-effect", "Runner.dispatch", owner="Runner.dispatch"),
        in_code("unguarded-side-effect", "refund", line=4, owner="refund"),
        in_code("unguarded-side-effect", "mail", line=5, owner="mail"),
    ]
    places = Named(
        refund=Place("core.py", Span(4, 1, 4, 9), "def refund"),
        mail=Place("core.py", Span(5, 1, 5, 9), "def mail"),
    )
    found = check(code, traced(in_run("unguarded-side-effect", "refund")), places)
    assert [one.verdict.verdict for one in found] == ["confirmed", "confirmed", "not-exercised"]


def test_of_two_agents_of_one_name_the_one_whose_tools_were_called_is_meant() -> None:
    places = Named()
    there, here = (Place("core.py", Span(n, 1, n, 9), "Agent()") for n in (2, 30))
    places.made["Triage"] = [Made(there, frozenset({"bags"})), Made(here, frozenset({"refund"}))]
    code = [
        in_code("handoff-race", "Triage", line=line, owner=f"Triage {line}") for line in (2, 30)
    ]
    seen = in_run("handoff-race", "Triage", text="refund({})")
    found = check(code, traced(seen), places)
    assert [one.verdict.verdict for one in found] == ["not-exercised", "confirmed"]


def test_a_fault_of_one_place_of_many_joins_its_only_owner_alone() -> None:
    one, two = (
        in_code("cache-busting-prompt", name, owner=name, line=line)
        for name, line in (("prompt", 3), ("other", 4))
    )
    seen = traced(in_run("cache-busting-prompt", "Desk"))
    assert only(check([one], seen)).known_by == ("code", "trace")
    assert [each.known_by for each in check([one, two], seen)] == [
        ("code",),
        ("code",),
        ("trace",),
    ]


def test_a_hit_that_names_nothing_known_gets_its_tool_its_loop_or_the_start_of_runs() -> None:
    places = Named(refund=Place("tools.py", Span(4, 5, 4, 11), "def refund():"))

    def lines(*seen: Answer) -> list[tuple[str, int]]:
        found = only(check([], traced(*seen), places)).answer.assessment.evidence
        return [(e.file, e.line) for e in found if isinstance(e, CodeEvidence)]

    assert lines(in_run("claimed-not-done", "run", text='refund({"id": 1})')) == [("tools.py", 4)]
    assert lines(in_run("claimed-not-done", "run")) == [("core.py", 7)]
    places.loops = []
    assert lines(in_run("claimed-not-done", "run")) == [("main.py", 1)]


def test_every_topic_that_both_witnesses_ask_about_can_be_joined() -> None:
    rules = load_rules()
    code = {rule.card.topic for rule in rules if rule.check}
    runs = {rule.card.topic for rule in rules if rule.check_run}
    about_tools = {"non-idempotent-side-effect"}  # both witnesses name the tool
    assert code & runs == code & runs & (PROGRAM_TOPICS | TOOL_TOPICS | SOLE_TOPICS | about_tools)
    assert runs >= SHOWS_OPPOSITE
