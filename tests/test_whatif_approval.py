"""Which effects of runs were approved before, by whom, and what resuming would repeat."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Here
from tests.policy_samples import ATTACKED, BENIGN, write_runs

from agentcheck.model.event import (
    Approval,
    Event,
    FieldGroup,
    ModelCall,
    Run,
    RunStart,
    Source,
    ToolCall,
    ToolResult,
)
from agentcheck.model.whatif import Answer, Figure
from agentcheck.whatif.approval.answer import Approvals
from agentcheck.whatif.approval.standing import STATUSES, answered_by

ALL: frozenset[FieldGroup] = frozenset({"approval", "results", "content", "usage", "time"})


class Made:
    """A run in the making: each method adds events, one second apart."""

    def __init__(self) -> None:
        self.events: list[Event] = [RunStart(seq=0, source=Source("r.jsonl", 0, 0))]

    def _place(self) -> dict[str, Any]:
        seq = len(self.events)
        return {"seq": seq, "source": Source("r.jsonl", 0, seq), "ts": float(seq)}

    def asks(self, **calls: dict[str, Any]) -> Made:
        """A reply that calls `refund` once for each key."""
        self.events.append(ModelCall(**self._place(), input_tokens=100, output_tokens=20))
        for key, arguments in calls.items():
            raw = json.dumps(arguments)
            self.events.append(
                ToolCall(
                    **self._place(),
                    call_key=key,
                    call_id=key,
                    name="refund",
                    arguments_raw=raw,
                    arguments=arguments,
                )
            )
        return self

    def said(self, key: str, state: Any, by: str | None = None) -> Made:
        self.events.append(Approval(**self._place(), call_key=key, state=state, by=by))
        return self

    def done(self, key: str, content: str = "refunded") -> Made:
        self.events.append(ToolResult(**self._place(), call_key=key, content=content))
        return self

    def run(self, known: Iterable[FieldGroup] = ALL) -> Run:
        return Run(
            id="r",
            file="r.jsonl",
            index=0,
            format="made",
            known=frozenset(known),
            events=tuple(self.events),
        )


def answer(*runs: Run) -> Answer:
    asks = Approvals()
    for run in runs:
        asks.add(run)
    return asks.answer()


def figure(made: Answer, name: str) -> Figure:
    return next(f for f in made.figures if f.name == name)


def statuses(made: Made) -> dict[str, int]:
    """How many effects have each standing, those without any left out."""
    told = answer(made.run())
    counts = {s: figure(told, words).value for s, words in STATUSES.items() if s != "unknown"}
    return {status: int(count) for status, count in counts.items() if count}


ORDER = {"order": 7, "amount": 20}


def test_an_approval_before_the_result_binds_the_call_it_names() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "granted").done("a")
    assert statuses(made) == {"approved": 1}
    told = answer(made.run())
    assert figure(told, "share approved before").value == 1.0
    assert [s.record for s in figure(told, STATUSES["approved"]).of] == [2]


def test_an_approval_after_the_effect_came_too_late() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").done("a").said("a", "granted")
    assert statuses(made) == {"late": 1}


def test_a_call_with_other_arguments_than_the_approved_one_is_not_covered() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "granted")
    made.asks(b={**ORDER, "amount": 2000}).done("b")
    assert statuses(made) == {"other": 1}


def test_an_equal_call_is_covered_once_where_the_approved_one_was_not_carried_out() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "granted")
    made.asks(b={"amount": 20, "order": 7}).done("b").asks(c=ORDER).done("c")
    assert statuses(made) == {"equal": 1, "again": 1}


def test_one_approval_does_not_cover_a_second_effect() -> None:
    made = Made().asks(a=ORDER).said("a", "granted").done("a").asks(b=ORDER).done("b")
    assert statuses(made) == {"approved": 1, "again": 1}


def test_denied_unanswered_and_unasked_effects_are_told_apart() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "denied").done("a")
    made.asks(b={"order": 8}).said("b", "requested").done("b").asks(c={"order": 9}).done("c")
    assert statuses(made) == {"denied": 1, "unanswered": 1, "unasked": 1}


def test_the_answer_to_a_denial_is_no_effect() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "denied")
    assert statuses(made.done("a", "The user denied this call.")) == {}


def test_data_with_a_no_in_it_is_a_result_all_the_same() -> None:
    made = Made().asks(a=ORDER).said("a", "granted").done("a", '{"order": 7, "insurance": "no"}')
    assert statuses(made) == {"approved": 1}
    failed = Made().asks(a=ORDER).done("a", '{"error": "no such order"}')
    assert statuses(failed) == {}


def test_who_answered_is_told_as_far_as_the_record_names_anybody() -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "granted", by="auto-approver")
    made.asks(b=ORDER).said("b", "requested").said("b", "denied", by="human")
    made.asks(c=ORDER).said("c", "granted")
    told = answer(made.run())
    for who in ("by a program", "by a person", "by nobody named"):
        assert figure(told, f"answers {who}").value == 1


def test_the_wait_for_an_answer_is_measured_and_quick_ones_are_marked() -> None:
    made = Made().asks(a=ORDER).said("a", "requested")
    quick = Approval(seq=4, source=Source("r.jsonl", 0, 4), ts=3.5, call_key="a", state="granted")
    made.events.append(quick)
    told = answer(made.run())
    assert figure(told, "median wait for an answer").value == 0.5
    assert figure(told, "answers faster than a person reads").value == 1


def test_what_resuming_could_repeat_is_the_reply_and_what_it_did_before_the_pause() -> None:
    made = Made().asks(a={"order": 1}, b={"order": 2}).done("a").said("b", "requested")
    made.said("b", "granted").done("b")
    told = answer(made.run())
    assert figure(told, "tokens that resuming could pay again").value == 120
    twice = figure(told, "effects that resuming could do again")
    assert (twice.value, [s.record for s in twice.of]) == (1, [2])
    assert figure(told, "calls that were repeated on resuming").value == 0


def test_a_call_that_the_record_shows_repeated_on_resuming_is_named() -> None:
    made = Made().asks(a={"order": 1}, b={"order": 2}).done("a").said("b", "requested")
    made.said("b", "granted")
    again = made.events[2]
    assert isinstance(again, ToolCall)
    made.events.append(
        ToolCall(
            seq=len(made.events),
            source=Source("r.jsonl", 0, len(made.events)),
            call_key="a2",
            call_id="a2",
            name=again.name,
            arguments_raw=again.arguments_raw,
            arguments=again.arguments,
        )
    )
    made.done("a2").done("b")
    repeated = figure(answer(made.run()), "calls that were repeated on resuming")
    assert (repeated.value, repeated.of[0].record) == (1, 7)


def test_a_format_without_approvals_cannot_tell_and_says_so() -> None:
    told = answer(Made().asks(a=ORDER).done("a").run(ALL - {"approval"}))
    assert figure(told, "effects carried out").value == 1
    assert figure(told, "share approved before").value is None
    assert "cannot be told" in told.open[0].text


CODE = '''
from langchain_core.tools import tool
from langgraph.graph import StateGraph
from langgraph.types import interrupt


@tool
def refund(order: int, amount: float) -> str:
    """Refund an order."""
    return stripe.Refund.create(order=order, amount=amount)


@tool
def send_mail(to: str, body: str) -> str:
    """Send a mail."""
    smtplib.SMTP("localhost").send_message(body)


def worker(state):
    reply = llm.invoke(state["messages"])
    smtplib.SMTP("localhost").send_message("started")
    answer = interrupt({"call": reply.tool_calls})
    return {"messages": [answer]}


graph = StateGraph(dict)
graph.add_node("worker", worker)
'''


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


def test_the_code_says_what_asks_and_what_a_pause_repeats(here: Here, tmp_path: Path) -> None:
    (tmp_path / "desk.py").write_text(CODE, "utf-8")
    runs = write_runs(tmp_path / "runs.jsonl", ATTACKED, BENIGN)
    done = here(
        "what-if", "approval", runs, "--code", tmp_path, "--isolated", "--output-format", "json"
    )
    assert done.code == 0, done.err
    made = json.loads(done.out)["answers"][0]
    tables = {table["title"]: table["rows"] for table in made["tables"]}
    assert [row["cells"][-1] for row in tables["Effects by tool"]] == [
        "nothing asks in the code"
    ] * 2
    (pause,) = tables["Pauses in the code"]
    assert pause["cells"][:2] == ["desk.py:22", "worker"]
    assert "it sends mail (line 21)" in pause["cells"][2]


def test_the_command_answers_in_every_format(here: Here, tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs.jsonl", BENIGN)
    for form in ("full", "json", "markdown", "html"):
        done = here("what-if", "approval", runs, "--output-format", form)
        assert done.code == 0
        assert "effects carried out" in done.out


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("human", "person"),
        ("anna@shop.example", "person"),
        ("support_manager", "person"),
        ("auto (user settings)", "program"),
        ("admin_policy", "program"),
        ("allow_list of the owner", "program"),
        ("gpt model", "program"),
        ("Anna", "nobody named"),
        (None, "nobody named"),
    ],
)
def test_a_rule_that_a_person_made_is_no_person(name: str | None, who: str) -> None:
    made = Made().asks(a=ORDER).said("a", "requested").said("a", "granted", by=name)
    (approval,) = (said for said in made.run().all(Approval) if said.state == "granted")
    assert answered_by(approval) == who
