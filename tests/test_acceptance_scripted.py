"""The scripted model answers in a provider's shapes and refuses what a provider would."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentcheck.acceptance import shapes
from agentcheck.acceptance.compare import alike, differences
from agentcheck.acceptance.harness import LIMIT, Outcome, drive, make
from agentcheck.acceptance.scripted import (
    Call,
    ProtocolError,
    Reply,
    Runaway,
    ScriptedModel,
    asks,
    either,
    says,
)

ASK: list[dict[str, Any]] = [{"role": "user", "content": "Hello."}]


def tools(*names: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": name, "parameters": {}}} for name in names]


def ask(model: ScriptedModel, *messages: dict[str, Any], **params: Any) -> Any:
    said = [*ASK, *messages]
    return model.chat.completions.create(model="m", messages=said, **params)


def calling(*ids: str) -> dict[str, Any]:
    calls = [{"id": i, "function": {"name": "look", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def told(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "seen"}


@pytest.fixture(params=["with the SDK", "without the SDK"])
def sdk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether replies are of the SDK's own types; that half skips where it is not installed."""
    if request.param == "with the SDK":
        pytest.importorskip("openai")
        return True
    monkeypatch.setattr(shapes, "_sdk_type", lambda _: None)
    return False


def test_a_reply_has_the_shape_of_a_completion(sdk: bool) -> None:
    model = ScriptedModel(asks(Call("look", '{"at": 1}')), Reply("Hi", (), "length", 7, 2))
    first = ask(model, tools=tools("look"))
    assert first.choices[0].finish_reason == "tool_calls"
    [call] = first.choices[0].message.tool_calls
    assert (call.type, call.function.name, call.function.arguments) == (
        "function",
        "look",
        '{"at": 1}',
    )
    assert model.asked == [[call.id]]
    message = first.choices[0].message
    message.sender = "anyone"
    assert json.loads(message.model_dump_json())["sender"] == "anyone"
    assert message.model_dump()["content"] is None
    assert "content" not in message.model_dump(exclude_none=True)
    again = ask(model)
    assert (again.choices[0].message.content, again.choices[0].finish_reason) == ("Hi", "length")
    assert again.choices[0].message.tool_calls is None
    assert (again.usage.prompt_tokens, again.usage.total_tokens) == (7, 9)
    assert ask(model).choices[0].message.content == "Done."


@pytest.mark.filterwarnings("ignore:The `json` method is deprecated")
def test_a_stream_comes_in_pieces_and_its_usage_last_and_only_when_asked_for(sdk: bool) -> None:
    model = ScriptedModel(then=asks(Call("look", '{"at": 1}'), "look"))
    params: dict[str, Any] = {"tools": tools("look"), "stream": True}
    plain = list(ask(model, **params))
    assert all(chunk.choices and chunk.usage is None for chunk in plain)
    with ask(model, **params, stream_options={"include_usage": True}) as stream:
        *chunks, last = stream
    assert (last.choices, last.usage.total_tokens) == ([], 15)
    deltas = [json.loads(chunk.choices[0].delta.json()) for chunk in chunks]
    assert deltas[0]["role"] == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks[-2:]] == [None, "tool_calls"]
    pieces = [piece for delta in deltas for piece in delta["tool_calls"] or []]
    assert [piece["index"] for piece in pieces] == sorted(piece["index"] for piece in pieces)
    assert [piece["id"] for piece in pieces if piece["id"]] == model.asked[1]
    arguments = "".join(p["function"]["arguments"] for p in pieces if p["index"] == 0)
    assert arguments == '{"at": 1}'


def test_streamed_words_join_to_the_reply(sdk: bool) -> None:
    chunks = ask(ScriptedModel(says("All is well.", "content_filter")), stream=True)
    choices = [chunk.choices[0] for chunk in chunks]
    assert "".join(choice.delta.content or "" for choice in choices) == "All is well."
    assert choices[-1].finish_reason == "content_filter"


def test_an_asynchronous_model_is_awaited(sdk: bool) -> None:
    model = ScriptedModel(then=says("Hi there"))
    model.asynchronous = True

    async def both() -> tuple[str, str]:
        whole = await ask(model)
        async with await ask(model, stream=True) as stream:
            pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
        return whole.choices[0].message.content, "".join(pieces)

    assert asyncio.run(both()) == ("Hi there", "Hi there")


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([calling("a", "b"), told("a")], "tool call 'b' is never answered"),
        ([calling("a"), {"role": "user"}], "message 2 (user) comes before an answer to 'a'"),
        ([calling("a"), told("a"), told("a")], "message 3 answers 'a', a call that waits for no"),
        ([told("a")], "message 1 answers 'a', a call that waits for no answer"),
        ([calling("a"), told("b")], "message 2 answers 'b'"),
        ([{"role": "bot", "content": "x"}], "message 1 has the unknown role 'bot'"),
    ],
)
def test_a_request_that_a_provider_refuses_is_refused_and_remembered(
    messages: list[dict[str, Any]], fault: str
) -> None:
    model = ScriptedModel()
    with pytest.raises(ProtocolError) as raised:
        ask(model, *messages)
    assert fault in str(raised.value)
    with pytest.raises(ProtocolError):
        model.verify()


def test_messages_in_order_are_taken_as_mappings_and_as_sdk_objects(sdk: bool) -> None:
    model = ScriptedModel(asks("look", "look"))
    message = ask(model, tools=tools("look")).choices[0].message
    first, second = model.asked[0]
    ask(model, message, told(second), told(first))
    model.verify()
    assert model.requests[1].answers == {first: "seen", second: "seen"}
    assert model.unanswered == []


def test_a_call_that_is_answered_with_nothing_counts_as_unanswered() -> None:
    model = ScriptedModel(asks("look"))
    message = ask(model, tools=tools("look")).choices[0].message
    assert model.unanswered == model.asked[0]
    ask(model, message, {**told(model.asked[0][0]), "content": ""})
    assert model.unanswered == model.asked[0]


def test_a_request_is_kept_as_it_was_sent() -> None:
    model = ScriptedModel()
    talk = [{"role": "user", "content": "first"}]
    model.chat.completions.create(model="m", messages=talk)
    talk[0]["content"] = "changed"
    talk.append({"role": "user", "content": "more"})
    model.chat.completions.create(model="m", messages=talk)
    sent = [[message["content"] for message in request.messages] for request in model.requests]
    assert sent == [["first"], ["changed", "more"]]


def test_a_script_whose_tool_never_reached_the_model_is_an_error_at_once() -> None:
    with pytest.raises(ProtocolError, match=r"calls \['look'\], the request offers the tools \[\]"):
        ask(ScriptedModel(asks("look")))


def test_later_the_model_calls_only_what_is_offered() -> None:
    model = ScriptedModel(then=either("left", "right"))
    names = [
        [call.function.name for call in ask(model, tools=tools(tool)).choices[0].message.tool_calls]
        for tool in ("left", "right")
    ]
    assert names == [["left"], ["right"]]
    assert ask(model).choices[0].message.content == "Done."


def test_without_parallel_calls_a_reply_has_one() -> None:
    model = ScriptedModel(asks("look", "look"))
    reply = ask(model, tools=tools("look"), parallel_tool_calls=False)
    assert len(reply.choices[0].message.tool_calls) == 1


def test_the_safety_stop_ends_a_run_that_catches_every_exception() -> None:
    model = ScriptedModel(safety_stop=3)

    def stubborn() -> None:
        while True:
            try:
                ask(model)
            except Exception:  # noqa: BLE001, S112 - the code under test does this
                continue

    assert drive(model, stubborn) == Outcome(runaway=True)
    assert len(model.requests) == 3
    with pytest.raises(Runaway):
        ask(model)


def test_driving_keeps_what_a_stream_yields_and_what_a_run_raises() -> None:
    def stream() -> Any:
        yield from ("a", "b")

    def fail() -> None:
        raise RuntimeError("the step limit was reached")

    assert drive(ScriptedModel(), stream) == Outcome(["a", "b"])
    assert drive(ScriptedModel(), fail).raised(LIMIT)
    assert not Outcome(error=TypeError("limit() takes no arguments")).raised(LIMIT)
    assert not Outcome(error=RuntimeError("nothing was returned")).raised(LIMIT)


def test_a_fault_that_the_run_swallowed_is_raised_after_it() -> None:
    model = ScriptedModel()

    def swallow() -> str:
        try:
            ask(model, told("a"))
        except Exception:  # noqa: BLE001 - the code under test does this
            return "fine"
        return "never"

    with pytest.raises(ProtocolError):
        drive(model, swallow)


def test_an_agent_is_made_of_the_keywords_its_class_takes() -> None:
    def narrow(functions: list[str]) -> list[str]:
        return functions

    def wide(**keywords: str) -> dict[str, str]:
        return keywords

    assert make(narrow, functions=["a"], name="left out") == ["a"]
    assert make(wide, name="kept")["name"] == "kept"


class Result:
    def __init__(self, reason: str, number: int) -> None:
        self.made = number
        self._reason = reason

    @property
    def stop_reason(self) -> str:
        return self._reason


def test_results_differ_only_where_their_normal_runs_agree() -> None:
    normal, again = {"r": [Result("stop", 1)]}, {"r": [Result("stop", 2)]}
    assert differences({"r": [Result("stop", 3)]}, normal, again) == []
    cut = differences({"r": [Result("length", 3)]}, normal, again)
    assert cut == ["['r'][0]._reason", "['r'][0].stop_reason"]
    assert differences({"r": [Result("stop", 1)], "cut": True}, normal, again) == ["['cut']"]
    loop: list[Any] = []
    loop.append(loop)
    assert differences(loop, loop) == []


def test_answers_are_alike_but_for_numbers() -> None:
    assert alike("Now speaking: A (call_1_0)", "Now speaking: A (call_2_1)")
    assert not alike("Now speaking: A", "Not taken: A")


def test_the_scripted_model_needs_the_standard_library_alone() -> None:
    analyzer = Path(__file__).parents[1] / "analyzer"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "import agentcheck.acceptance.harness, agentcheck.acceptance.compare\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - sys.stdlib_module_names))"
    )
    command = [sys.executable, "-c", script, str(analyzer)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['agentcheck']"
