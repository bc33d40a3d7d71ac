"""Single checks of recorded runs: what weakens a hit, what is partly right, what was lost."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace
from tests.run_checks import answers, fixture, records
from tests.trace_samples import (
    LOAN,
    Json,
    Sdk,
    asked,
    assistant,
    item,
    lines,
    only_run,
    otlp,
    otlp_span,
    parts,
    result,
    runs_of,
    said,
    split,
    text_part,
    user,
)

from agentcheck.rule import TraceSettings


def test_a_repeated_call_with_new_results_is_shown_to_auditors_only() -> None:
    [run] = runs_of(fixture("repeated-call", "poll"))
    [assessment] = answers("repeated-call", run)
    assert assessment.verdict == "partly"
    assert assessment.hit
    assert (assessment.hit.persona, assessment.hit.confidence) == ("auditor", "low")


def test_min_repeats_is_the_users(tmp_path: Path) -> None:
    calls = [m for n in (1, 2) for m in (assistant(None, asked("find")), result("none"))]
    run = only_run(lines(tmp_path / "r.jsonl", [[user("Go"), *calls]]))
    assert [a.verdict for a in answers("repeated-call", run)] == ["met"]
    strict = TraceSettings(min_repeats=2)
    assert [a.verdict for a in answers("repeated-call", run, strict)] == ["not-met"]


def oscillating(sdk: Sdk, *names: str) -> Sdk:
    """A run in which each agent hands over to the next, up to its turn limit."""
    task, _ = sdk.opening()
    for number, (here, there) in enumerate(pairwise(names), 1):
        agent = sdk.span(task, "agent", name=here, handoffs=[there], tools=[])
        call = item(f"go_{there}", call_id=f"h{number}")
        turn = sdk.turn(agent, number, call)
        sdk.end(sdk.span(turn, "handoff", from_agent=here, to_agent=there), turn)
        sdk.answer(call, f'{{"assistant": "{there}"}}')
        sdk.end(agent)
    sdk.end(task)
    return sdk


def test_handoffs_round_a_ring_are_found_in_sdk_traces(tmp_path: Path) -> None:
    sdk = oscillating(Sdk(), "Desk", "Cards", "Desk", "Cards")
    handoffs = [r["id"] for r in sdk.rows if r.get("span_data", {}).get("type") == "handoff"]
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    [assessment] = answers("handoff-oscillation", run)
    assert assessment.verdict == "not-met"
    assert records(assessment)[0] == handoffs[2]
    assert [a.verdict for a in answers("repeated-call", run)] == ["not-applicable"]


def test_a_loop_that_its_limit_stopped_is_partly_bounded(tmp_path: Path) -> None:
    sdk = Sdk()
    task, agent = sdk.opening()
    turns = [sdk.turn(agent, n, item("find_reader", {"n": n}, f"c{n}")) for n in (1, 2, 3)]
    sdk.end(*turns)
    error = {"message": "Max turns exceeded", "data": {"max_turns": 3}}
    sdk.end(agent | {"error": error}, task)
    [assessment] = answers("unbounded-loop", only_run(lines(tmp_path / "t.jsonl", sdk.rows)))
    assert (assessment.verdict, assessment.subject) == ("partly", "Desk")
    assert records(assessment)[0] == turns[2]["id"]


def test_loops_of_one_trace_are_counted_apart(tmp_path: Path) -> None:
    sdk = Sdk()
    for _ in range(3):
        task, agent = sdk.opening()
        sdk.end(*(sdk.turn(agent, n, said(f"{n}")) for n in (1, 2)), agent, task)
    run = only_run(lines(tmp_path / "t.jsonl", sdk.rows))
    assert [a.verdict for a in answers("unbounded-loop", run, TraceSettings(max_turns=2))] == [
        "met"
    ]


def test_a_conversation_that_runs_long_is_a_weaker_hit(tmp_path: Path) -> None:
    talk = [m for n in range(4) for m in (user(f"{n}?"), assistant(f"{n}."))]
    run = only_run(lines(tmp_path / "r.jsonl", [talk]))
    [assessment] = answers("unbounded-loop", run, TraceSettings(max_turns=3))
    assert assessment.hit
    assert assessment.hit.challenge.outcome == "weakened"


def refused_handoffs(sdk: Sdk) -> Json:
    """A run with two handoffs in one reply, of which the SDK takes the first; its generation."""
    task, agent = sdk.opening()
    turn = sdk.turn(agent, 1, item("go_cards", call_id="h1"), item("go_fines", call_id="h2"))
    generation = sdk.rows[-1]
    error = {"message": "Multiple handoffs", "data": {"requested_agents": ["Cards", "Fines"]}}
    sdk.end(sdk.span(turn, "handoff", error, from_agent="Desk", to_agent="Cards"))
    sdk.end(turn, agent, task)
    return generation


def test_a_race_that_the_sdk_decides_is_partly_right(tmp_path: Path) -> None:
    sdk = Sdk()
    generation = refused_handoffs(sdk)
    [assessment] = answers("handoff-race", only_run(lines(tmp_path / "t.jsonl", sdk.rows)))
    assert (assessment.verdict, assessment.subject) == ("partly", "Desk")
    assert records(assessment)[0] == generation["id"]


def unguarded(path: Path, settings: TraceSettings | None = None) -> list[str]:
    return [a.verdict for a in answers("unguarded-side-effect", only_run(path), settings)]


def test_side_effects_need_an_approval_where_the_format_has_them() -> None:
    assert unguarded(fixture("unguarded-side-effect", "bad")) == ["not-met"]
    assert unguarded(fixture("unguarded-side-effect", "ok_approved")) == ["met"]
    assert unguarded(fixture("unguarded-side-effect", "ok_chat")) == ["cannot-tell"]


def test_a_tool_error_that_ends_the_run_is_told_from_one_that_does_not() -> None:
    [bad] = answers("tool-error-ends-run", only_run(fixture("tool-error-ends-run", "bad")))
    assert (bad.verdict, bad.subject) == ("not-met", "find_reader")
    [ok] = answers("tool-error-ends-run", only_run(fixture("tool-error-ends-run", "ok")))
    assert (ok.verdict, ok.subject) == ("met", "find_reader")


def test_the_settings_name_the_tools_that_change_the_world() -> None:
    path = fixture("unguarded-side-effect", "bad")
    assert unguarded(path, TraceSettings(side_effecting=frozenset())) == ["not-applicable"]
    reads = fixture("unguarded-side-effect", "ok_reads")
    assert unguarded(reads, TraceSettings(side_effecting=frozenset({"find_reader"}))) == ["not-met"]


def test_a_side_effect_that_may_be_meant_twice_is_a_weaker_hit(tmp_path: Path) -> None:
    def pay() -> list[Json]:
        return [assistant(None, asked("charge_card", {"card": 7})), result("charged")]

    run = only_run(lines(tmp_path / "r.jsonl", [[user("Pay"), *pay(), user("Again"), *pay()]]))
    [assessment] = answers("non-idempotent-side-effect", run)
    assert assessment.hit
    assert (assessment.hit.confidence, assessment.hit.challenge.outcome) == ("low", "weakened")


def test_a_cut_reply_that_was_noticed_says_nothing_of_what_could_not_be_read() -> None:
    noticed = runs_of(fixture("finish-reason-unchecked", "ok_goes_on"))[0]
    [whole] = answers("finish-reason-unchecked", noticed)
    [torn] = answers("finish-reason-unchecked", replace(noticed, unknown_records=2))
    assert (whole.verdict, torn.verdict) == ("met", "cannot-tell")
    assert "2 of its records could not be read" in torn.why


def test_a_call_whose_result_may_be_among_what_was_lost_is_not_called_unpaired(
    tmp_path: Path,
) -> None:
    rows: list[Json | bytes] = [*LOAN, user("And Emma?")]
    rows[2] = b'{"role": "tool", "tool_call_id": "c1", "conte'
    runs, [skipped] = split(lines(tmp_path / "r.jsonl", rows))
    [told] = answers("unpaired-tool-call", runs[0])
    assert "cut off" in skipped.why
    assert (told.verdict, told.subject) == ("cannot-tell", "renew")
    assert "1 of its records could not be read" in told.why


def test_an_approval_may_be_among_what_was_lost() -> None:
    bare = only_run(fixture("unguarded-side-effect", "bad"))
    [whole] = answers("unguarded-side-effect", bare)
    [torn] = answers("unguarded-side-effect", replace(bare, unknown_records=1))
    assert whole.hit
    assert torn.hit
    assert (whole.hit.challenge.outcome, torn.hit.challenge.outcome) == ("upheld", "weakened")
    assert torn.hit.confidence == "low"


def test_a_withheld_reply_that_ends_the_run_in_an_error_is_partly_noticed(tmp_path: Path) -> None:
    reply = parts("assistant", text_part(""), finish_reason="content_filter")
    model = otlp_span("m", "chat", 2, parent="a", gen_ai__output__messages=[reply])
    agent = otlp_span("a", "invoke_agent", 1, status={"code": 2})
    run = only_run(lines(tmp_path / "t.jsonl", [otlp(model, agent)]))
    [assessment] = answers("finish-reason-unchecked", run)
    assert (assessment.verdict, records(assessment)) == ("partly", ["m"])
