"""Calls that were carried out against what was said of them."""

from __future__ import annotations

import pytest
from tests.run_checks import answers

from agentcheck.model.event import (
    Approval,
    Event,
    Message,
    ModelCall,
    Run,
    RunStart,
    Source,
    ToolCall,
    ToolResult,
)

SAME = {"card": 7}


class Told:
    """A run in the making: each method adds one event."""

    def __init__(self) -> None:
        self.events: list[Event] = [RunStart(seq=0, source=Source("r.jsonl", 0, 0))]

    def _place(self, record: int | None = None) -> dict[str, object]:
        seq = len(self.events)
        return {"seq": seq, "source": Source("r.jsonl", 0, seq if record is None else record)}

    def asks(self, *keys: str) -> Told:
        self.events.append(ModelCall(**self._place()))  # type: ignore[arg-type]
        for key in keys:
            call = ToolCall(
                **self._place(),  # type: ignore[arg-type]
                call_key=key,
                call_id=key,
                name="cancel_card",
                arguments_raw='{"card": 7}',
                arguments=SAME,
            )
            self.events.append(call)
        return self

    def approval(self, key: str, state: str, record: int | None = None) -> Told:
        place = self._place(record)
        self.events.append(Approval(**place, call_key=key, state=state))  # type: ignore[arg-type]
        return self

    def result(self, key: str, content: str = "cancelled 7", error: bool | None = None) -> Told:
        place = self._place()
        self.events.append(
            ToolResult(**place, call_key=key, content=content, is_error=error)  # type: ignore[arg-type]
        )
        return self

    def says(self, text: str) -> Told:
        place = self._place()
        self.events.append(Message(**place, role="user", text=text))  # type: ignore[arg-type]
        return self

    def messages(self, topic: str = "denied-yet-executed") -> list[str]:
        run = Run(
            id="r",
            file="r.jsonl",
            index=0,
            format="made",
            known=frozenset({"approval", "results", "content"}),
            events=tuple(self.events),
        )
        return [a.hit.message for a in answers(topic, run) if a.hit]


def denied(answer: str = "Denied by the desk.") -> Told:
    return Told().asks("1").approval("1", "requested").approval("1", "denied").result("1", answer)


def test_a_denied_call_that_ran_is_told_by_one_check_alone() -> None:
    told = denied("cancelled 7")
    assert told.messages() == ["cancel_card was carried out although the call was denied."]
    assert told.messages("unguarded-side-effect") == []


@pytest.mark.parametrize(
    "answer", ["Denied by the desk.", "The user doesn't want that.", "Not approved.", ""]
)
def test_the_answer_to_a_denial_is_no_effect(answer: str) -> None:
    assert denied(answer).messages() == []
    assert denied(answer).messages("unguarded-side-effect") == []


def test_a_denied_call_that_is_made_again_must_be_asked_about_again() -> None:
    again = denied().asks("2").result("2")
    assert len(again.messages()) == 1
    assert "by a second call" in again.messages()[0]
    assert again.messages("unguarded-side-effect") == []


def test_a_yes_or_a_word_of_the_user_in_between_is_another_matter() -> None:
    yes = denied().asks("2").approval("2", "requested").approval("2", "granted").result("2")
    assert yes.messages() == []
    assert denied().says("Do it after all.").asks("2").result("2").messages() == []


def test_a_call_must_wait_for_its_approval() -> None:
    early = Told().asks("1").approval("1", "requested").result("1").approval("1", "granted")
    assert early.messages() == [
        "cancel_card was carried out before the approval that was asked for it."
    ]
    in_order = Told().asks("1").approval("1", "requested").approval("1", "granted").result("1")
    assert in_order.messages() == []


def test_a_yes_that_is_read_off_the_result_came_before_it() -> None:
    told = Told().asks("1").approval("1", "requested").result("1")
    assert told.approval("1", "granted", record=told.events[-1].source.record).messages() == []  # type: ignore[arg-type]


def test_one_yes_is_for_one_time() -> None:
    once = Told().asks("1").approval("1", "requested").approval("1", "granted").result("1")
    [message] = once.result("1").messages()
    assert message.startswith("cancel_card was carried out twice on one approval")


def test_two_equal_calls_of_one_reply_with_a_yes_each_are_two() -> None:
    both = Told().asks("1", "2")
    both = both.approval("1", "requested").approval("2", "requested")
    both = both.approval("1", "granted").approval("2", "granted")
    assert both.result("1").result("2").messages() == []
