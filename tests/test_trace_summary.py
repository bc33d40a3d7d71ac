"""What recorded runs show at a glance: timelines, counts, repetitions, and what is left open."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.expect_samples import handing, waiting
from tests.trace_samples import (
    LOAN,
    Json,
    Sdk,
    asked,
    assistant,
    chat,
    item,
    lines,
    only_run,
    result,
    runs_of,
    user,
)

from agentcheck.model.event import ModelCall
from agentcheck.model.runs import RunsSeen, Step
from agentcheck.report.html_runs import drawing
from agentcheck.report.runs_words import amounts
from agentcheck.trace.glance import Glance
from agentcheck.trace.glance.counter import MOST, REST
from agentcheck.trace.glance.repeats import loops
from agentcheck.trace.glance.timeline import FIRST, LAST


def seen(*paths: Path, timelines: int = 10) -> RunsSeen:
    glance = Glance(timelines=timelines)
    for path in paths:
        for run in runs_of(path):
            glance.add(run)
    return glance.seen()


def told(steps: tuple[Step, ...]) -> list[tuple[str, str, str]]:
    return [(step.what, step.word, step.outcome) for step in steps]


def test_a_run_is_told_in_order_with_how_its_calls_went(tmp_path: Path) -> None:
    messages = [
        user("Renew Dune"),
        assistant("On it.", asked("renew", {"id": 1}, "a"), asked("bill", {}, "b")),
        result("no such loan", "a", is_error=True),
        assistant(None, asked("renew", {"id": 2}, "c")),
        result("renewed", "c", is_error=False),
        assistant("Done."),
    ]
    [line] = seen(chat(tmp_path, messages)).timelines
    assert told(line.steps) == [
        ("message", "user", "unclear"),
        ("turn", "", "unclear"),
        ("message", "assistant", "unclear"),
        ("call", "error", "bad"),
        ("call", "no result", "none"),
        ("turn", "", "unclear"),
        ("call", "ok", "ok"),
        ("turn", "", "unclear"),
        ("message", "assistant", "unclear"),
        ("end", "completed", "ok"),
    ]
    assert [step.turn for step in line.steps] == [0, 1, 1, 1, 1, 2, 2, 3, 3, 3]
    assert line.steps[3].text == 'renew({"id": 1})'
    assert (line.amounts.turns, line.amounts.calls, line.amounts.failed_calls) == (3, 3, 1)


def test_handoffs_approvals_times_and_tokens_are_told(tmp_path: Path) -> None:
    [line] = seen(handing(tmp_path)).timelines
    assert line.agents == ("Desk", "Cards")
    [handoff] = [step for step in line.steps if step.what == "handoff"]
    assert (handoff.text, handoff.outcome) == ("Desk -> Cards", "ok")
    [first, second] = [step for step in line.steps if step.what == "turn"]
    assert (first.agent, first.tokens_in, first.tokens_out) == ("Desk", 50, 9)
    assert first.at is not None
    assert second.at is not None
    assert first.at < second.at
    [line] = seen(waiting(tmp_path)).timelines
    assert told(line.steps)[-3:] == [
        ("call", "no result", "none"),
        ("approval", "asked", "none"),
        ("end", "awaiting_approval", "none"),
    ]


def test_what_the_record_does_not_tell_is_called_unclear(tmp_path: Path) -> None:
    [line] = seen(chat(tmp_path, LOAN)).timelines
    [call] = [step for step in line.steps if step.what == "call"]
    assert (call.word, call.outcome) == ("answered", "unclear")
    assert line.amounts.tokens_in is None
    assert line.amounts.at_least == ("tokens", "cost")


def test_only_the_first_runs_and_the_ends_of_long_ones_are_kept(tmp_path: Path) -> None:
    long = [user("Go")] + [assistant(f"step {n}") for n in range(400)]
    found = seen(chat(tmp_path, long, LOAN, LOAN, LOAN), timelines=2)
    assert found.runs == 4
    assert found.more == {"runs": 2}
    first = found.timelines[0]
    assert len(first.steps) + first.left_out == 1 + 2 * 400 + 1
    assert first.gap == FIRST
    assert len(first.steps) <= FIRST + LAST + 1
    assert first.steps[-2].text == "step 399"


def test_tools_are_counted_over_runs(tmp_path: Path) -> None:
    bad = [user("x"), assistant(None, asked("renew")), result("no", is_error=True)]
    found = seen(chat(tmp_path, LOAN, bad, [*LOAN[:2], assistant("Gone.")]))
    [use] = found.tools
    assert (use.name, use.calls, use.runs, use.failed, use.unanswered) == ("renew", 3, 3, 1, 1)
    assert use.unclear == 1
    assert use.result_chars == len("renewed") + len("no")
    assert [(end.name, end.count) for end in found.ends] == [("completed", 2), ("unknown", 1)]


def test_tokens_go_to_agents_turns_and_the_results_between_them(tmp_path: Path) -> None:
    trace = Sdk()
    task, agent = trace.opening()
    for number, given in enumerate((100, 180, 300), 1):
        call = item("find_reader", {"n": number}, f"c{number}")
        turn = trace.custom(agent, "turn", turn=number, agent_name="Desk")
        usage = {"input_tokens": given, "output_tokens": 10}
        span: Json = {"input": [*trace.history], "output": [call], "model": "m", "usage": usage}
        trace.end(trace.span(turn, "generation", **span))
        trace.history.append(call)
        trace.ran(turn, call, "Ann")
        trace.end(turn)
    trace.end(agent, task)
    found = seen(lines(tmp_path / "t.jsonl", trace.rows))
    [spent] = found.agents
    assert (spent.name, spent.replies, spent.tokens_in, spent.tokens_out) == ("Desk", 3, 580, 30)
    assert [(row.name, row.tokens_in) for row in found.turns] == [
        ("1", 100),
        ("2", 180),
        ("3", 300),
    ]
    [use] = found.tools
    assert use.added_tokens == (180 - 100 - 10) + (300 - 180 - 10)


def test_equal_calls_loops_and_circles_are_named(tmp_path: Path) -> None:
    def called(*names: str) -> list[Json]:
        turns: list[Json] = [user("Go")]
        for number, name in enumerate(names):
            turns += [
                assistant(None, asked(name, {"q": 1}, f"c{number}")),
                result("-", f"c{number}"),
            ]
        return turns

    path = chat(tmp_path, called(*"aaab"), called(*"xyxyxy"), called(*"yxyxyx"))
    found = {(row.what, row.name): (row.most, row.runs) for row in seen(path).repeats}
    assert found["call", 'a({"q": 1})'] == (3, 1)
    assert found["loop", "x -> y"] == (3, 2)
    assert ("loop", "a -> a") not in found
    shared = seen(circle(tmp_path)).repeats
    assert [(row.what, row.name, row.most) for row in shared] == [("handoffs", "B -> A", 2)]


def circle(tmp_path: Path) -> Path:
    trace = Sdk()
    task, agent = trace.opening("A")
    for number, (one, other) in enumerate([("A", "B"), ("B", "A")] * 2, 1):
        turn = trace.turn(agent, number, item(f"transfer_to_{other}", "{}", f"c{number}"))
        trace.end(trace.span(turn, "handoff", from_agent=one, to_agent=other), turn, agent)
        agent = trace.span(task, "agent", name=other, handoffs=[], tools=[])
    trace.end(agent, task)
    return lines(tmp_path / "circle.jsonl", trace.rows)


LOOPS: list[tuple[str, list[tuple[int, int, int]]]] = [
    ("", []),
    ("aaaaaa", []),
    ("abab", []),
    ("ababab", [(0, 2, 3)]),
    ("zabcabcabcq", [(1, 3, 3)]),
    ("abababxcdcdcd", [(0, 2, 3), (7, 2, 3)]),
    ("aabaabaab", [(0, 3, 3)]),
    ("abcdabcdabcd", [(0, 4, 3)]),
]


@pytest.mark.parametrize(("steps", "found"), LOOPS)
def test_loops_are_found_whole_and_once(steps: str, found: list[tuple[int, int, int]]) -> None:
    assert list(loops([step.encode() for step in steps], 3)) == found


def test_what_the_runs_cannot_prove_is_listed(tmp_path: Path) -> None:
    texts = {(row.why, row.text) for row in seen(chat(tmp_path, LOAN)).open}
    assert (
        "not-carried",
        "No run carries times: how long anything took cannot be told.",
    ) in texts
    assert ("not-exercised", "No guardrail speaks up.") in texts
    assert not any("No run calls a tool" in text for _, text in texts)
    # What could not have been recorded is not said to have never happened.
    assert not any("hands over" in text for _, text in texts)
    mixed = seen(handing(tmp_path), chat(tmp_path, LOAN)).open
    assert any(row.text.startswith("1 of 2 runs lack token usage") for row in mixed)
    torn = seen(chat(tmp_path, [*LOAN, {"role": 7}], name="torn.jsonl")).open
    assert any(row.why == "not-read" for row in torn)


def test_tools_that_were_offered_and_never_called_are_named(tmp_path: Path) -> None:
    glance = Glance()
    for run in runs_of(chat(tmp_path, LOAN)):
        offered = replace(run.events[0], tools={"renew": {}, "bill": {}})
        glance.add(replace(run, events=(offered, *run.events[1:])))
    assert [row.name for row in glance.seen().uncalled] == ["bill"]


def test_memory_does_not_grow_with_the_runs_or_with_what_they_name(tmp_path: Path) -> None:
    def run(n: int) -> list[Json]:
        again = [
            m
            for k in range(3)
            for m in (assistant(None, asked(f"t{n}", {"n": n}, f"c{k}")), result("-", f"c{k}"))
        ]
        return [user(f"task {n} " + "x" * 500), *again, assistant("ok " * 200, name=f"agent {n}")]

    glance = Glance()
    runs = runs_of(chat(tmp_path, *(run(n) for n in range(MOST + 200))))
    for one in runs[: MOST + 20]:
        glance.add(one)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for one in runs[MOST + 20 :]:
        glance.add(one)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    # The runs of this test cache what is asked of them; that is no memory of the summary.
    assert grown < 4_000_000
    found = glance.seen()
    assert found.runs == MOST + 200
    assert len(found.tools) <= 40
    assert found.more["tools"] == MOST + 1 - 40
    assert sum(row.count for row in found.ends) == found.runs
    assert REST == "(all others)"


def test_a_run_without_events_has_a_timeline(tmp_path: Path) -> None:
    run = only_run(chat(tmp_path, LOAN))
    glance = Glance()
    glance.add(replace(run, events=()))
    [line] = glance.seen().timelines
    assert told(line.steps) == [("end", "unknown", "unclear")]


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, 1e308, 10**17, -5])
def test_numbers_that_cannot_be_are_no_numbers(tmp_path: Path, odd: float) -> None:
    run = only_run(handing(tmp_path))
    calls = [
        replace(e, ts=odd, duration=odd, cost=odd, input_tokens=10**17, output_tokens=-5)
        if isinstance(e, ModelCall)
        else replace(e, ts=odd)
        for e in run.events
    ]
    glance = Glance()
    glance.add(replace(run, events=tuple(calls)))
    found = glance.seen()
    assert found.amounts.tokens_out == 0
    assert found.amounts.cost is None or found.amounts.cost <= 10**18
    [line] = found.timelines
    assert drawing(line).marks
    assert all(step.at is None or step.at == 0 for step in line.steps)
    assert amounts(found.amounts)
