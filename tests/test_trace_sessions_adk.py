"""Sessions of Google's Agent Development Kit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.run_checks import answers
from tests.trace_samples import Json, document, lines, only, only_run, split

from agentcheck.model.event import (
    Approval,
    Compaction,
    Handoff,
    Message,
    ModelCall,
    ToolCall,
    ToolResult,
)


def event(second: int, author: str, *parts: Json, **more: Any) -> Json:
    content = {"content": {"parts": [*parts], "role": "user" if author == "user" else "model"}}
    head = {"id": f"e{second}", "invocation_id": "i1", "author": author, "actions": {}}
    return head | {"timestamp": 1772000000.0 + second} | (content if parts else {}) | more


def text(said: str, **more: Any) -> Json:
    return {"text": said, **more}


def call(name: str, call_id: str | None = "c1", **args: Any) -> Json:
    return {"function_call": {"id": call_id, "name": name, "args": args}}


def response(name: str, given: Any, call_id: str | None = "c1") -> Json:
    return {"function_response": {"id": call_id, "name": name, "response": given}}


USAGE = {
    "prompt_token_count": 40,
    "candidates_token_count": 4,
    "cached_content_token_count": 12,
}
EVENTS = [
    event(1, "user", text("Renew Dune")),
    event(2, "desk", text("plan", thought=True), call("renew", book="Dune"))
    | {"usage_metadata": USAGE, "finish_reason": "STOP", "model_version": "g"},
    event(3, "desk", response("renew", {"result": "renewed"})),
    event(4, "desk", text("Do"), partial=True),
    event(4, "desk", text("Done.")) | {"usage_metadata": USAGE, "finish_reason": "MAX_TOKENS"},
    event(5, "desk", actions={"state_delta": {"seen": 1}}),
]


def session(*events: Any) -> Json:
    return {"id": "s1", "app_name": "library", "user_id": "u", "state": {}, "events": [*events]}


def camel(value: Any) -> Any:
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    words = {key: key.split("_") for key in value}
    return {
        head + "".join(map(str.capitalize, rest)): camel(value[key])
        for key, (head, *rest) in words.items()
    }


@pytest.mark.parametrize("shaped", [lambda value: value, camel], ids=["snake", "camel"])
def test_replies_calls_and_results_are_read_in_both_spellings(tmp_path: Path, shaped: Any) -> None:
    run = only_run(document(tmp_path / "s.json", shaped(session(*EVENTS))))
    first, second = run.all(ModelCall)
    assert (first.input_tokens, first.output_tokens, first.cache_read) == (40, 4, 12)
    assert (first.finish_reason, second.finish_reason) == ("stop", "length")
    assert (only(run, ToolCall).arguments, only(run, ToolCall).agent) == ({"book": "Dune"}, "desk")
    assert only(run, ToolResult).call_key == only(run, ToolCall).call_key
    assert [m.text for m in run.all(Message)] == ["Renew Dune", "Done."]
    assert (run.id, run.name, run.unknown_records) == ("s1", "library", 0)


def test_shuffled_events_are_told_in_the_order_of_their_times(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "s.json", session(*EVENTS[::-1])))
    assert {a.verdict for a in answers("unpaired-tool-call", run)} == {"met"}


def test_a_transfer_is_a_handoff_of_its_call(tmp_path: Path) -> None:
    rows = [
        event(1, "user", text("My card")),
        event(2, "desk", call("transfer_to_agent", agent_name="cards")),
        event(
            3, "desk", response("transfer_to_agent", None), actions={"transfer_to_agent": "cards"}
        ),
        event(4, "cards", text("Hello")),
    ]
    run = only_run(document(tmp_path / "s.json", session(*rows)))
    handoff = only(run, Handoff)
    assert (handoff.from_agent, handoff.to_agent) == ("desk", "cards")
    assert handoff.call_key == only(run, ToolCall).call_key


def confirmed(answer: Json) -> list[Json]:
    original = {"id": "c1", "name": "send_email", "args": {}}
    ask = call("adk_request_confirmation", "r1", originalFunctionCall=original)
    held = {"requested_tool_confirmations": {"c1": {"hint": "sure?"}}}
    late = {"result": "sent"} if "true" in str(answer).lower() else {"error": "rejected"}
    return [
        event(1, "user", text("Write")),
        event(2, "desk", call("send_email")),
        event(3, "desk", ask, long_running_tool_ids=["r1"]),
        event(4, "desk", response("send_email", {"error": "needs confirmation"}), actions=held),
        event(5, "user", response("adk_request_confirmation", answer, "r1")),
        event(6, "desk", response("send_email", late)),
        event(7, "desk", text("Over.")),
    ]


@pytest.mark.parametrize("answer", [{"confirmed": True}, {"response": '{"confirmed": true}'}])
def test_a_confirmed_call_was_approved(tmp_path: Path, answer: Json) -> None:
    run = only_run(document(tmp_path / "s.json", session(*confirmed(answer))))
    assert [a.state for a in run.all(Approval)] == ["requested", "granted"]
    assert {a.verdict for a in answers("unguarded-side-effect", run)} == {"met"}
    assert len(run.all(ModelCall)) == 2  # the framework asks for the confirmation, not a model


def test_a_call_that_was_refused_was_not_carried_out(tmp_path: Path) -> None:
    run = only_run(document(tmp_path / "s.json", session(*confirmed({"confirmed": False}))))
    assert [a.state for a in run.all(Approval)] == ["requested", "denied"]
    assert only(run, ToolResult).is_error is True
    assert not any(a.hit for a in answers("unguarded-side-effect", run))


def test_a_call_that_runs_on_is_not_a_lost_one(tmp_path: Path) -> None:
    rows = [
        event(1, "user", text("Order")),
        event(2, "desk", call("order_book"), long_running_tool_ids=["c1"]),
        event(3, "desk", text("Ordered.")),
        event(4, "user", text("Thanks")),
    ]
    run = only_run(document(tmp_path / "s.json", session(*rows)))
    assert not any(a.hit for a in answers("unpaired-tool-call", run))


def test_a_withheld_reply_is_one_without_content(tmp_path: Path) -> None:
    rows = [event(1, "user", text("Hi")), event(2, "desk", error_code="SAFETY")]
    run = only_run(document(tmp_path / "s.json", session(*rows)))
    assert only(run, ModelCall).finish_reason == "content_filter"


def test_events_alone_are_a_run_and_a_torn_one_is_counted(tmp_path: Path) -> None:
    compacted = event(6, "user", actions={"compaction": {"start_timestamp": 1.0}})
    path = lines(tmp_path / "e.jsonl", [*EVENTS, compacted, EVENTS[-1]])
    path.write_bytes(path.read_bytes()[:-9])
    [run], [skipped] = split(path)
    assert "line 8: cut off" in skipped.why
    assert only(run, Compaction).source.record == 6
    assert run.unknown_records == 1


def test_events_without_author_and_odd_parts_are_counted(tmp_path: Path) -> None:
    rows = [*EVENTS, event(6, "desk", {"hologram": 1}), {"timestamp": 1772000007.0}, 7]
    run = only_run(document(tmp_path / "s.json", session(*rows)))
    assert run.unknown_records == 3


def test_other_objects_with_events_are_not_taken_for_a_session(tmp_path: Path) -> None:
    _, [skipped] = split(document(tmp_path / "s.json", {"id": "x", "events": [{"kind": "a"}]}))
    assert "Google ADK session" in skipped.why
