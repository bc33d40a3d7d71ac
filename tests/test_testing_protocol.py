"""What a provider refuses, the scripted model refuses, in every wire format, naming the offence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scripted_clients import SCHEMA

from agentcheck.testing import (
    Call,
    ProtocolError,
    ScriptedModel,
    always,
    asks,
    done,
    ping_pong,
    says,
    sequence,
)
from agentcheck.testing.model import Sent

HELLO = {"role": "user", "content": "Hello."}
PATHS = {
    "chat": "https://api.openai.com/v1/chat/completions",
    "responses": "https://api.openai.com/v1/responses",
    "anthropic": "https://api.anthropic.com/v1/messages",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
}


def send(model: ScriptedModel, wire: str, /, **body: Any) -> tuple[int, Any]:
    """The status and the body of the answer to a request."""
    answer = model.answer(Sent("POST", PATHS.get(wire, wire), {}, json.dumps(body).encode()))
    return answer.status, json.loads(b"".join(answer.pieces))


def chat(*messages: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "chat", {"model": "m", "messages": [HELLO, *messages], **more}


def responses(*items: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "responses", {"model": "m", "input": [HELLO, *items], **more}


def anthropic(*messages: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "anthropic", {"model": "m", "max_tokens": 9, "messages": [HELLO, *messages], **more}


def gemini(*contents: dict[str, Any], **more: Any) -> tuple[str, dict[str, Any]]:
    return "gemini", {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}, *contents], **more}


def calls(*ids: str) -> dict[str, Any]:
    made = [
        {"id": i, "type": "function", "function": {"name": "look", "arguments": "{}"}} for i in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def told(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "seen"}


def item(call_id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}"}


def output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "seen"}


def uses(*ids: str) -> dict[str, Any]:
    made = [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids]
    return {"role": "assistant", "content": made}


def results(*blocks: Any) -> dict[str, Any]:
    made = [
        {"type": "tool_result", "tool_use_id": b, "content": "seen"} if isinstance(b, str) else b
        for b in blocks
    ]
    return {"role": "user", "content": made}


def model_turn(*names: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": n, "args": {}}} for n in names]}


def answers(*names: str) -> dict[str, Any]:
    parts = [{"functionResponse": {"name": n, "response": {"result": "seen"}}} for n in names]
    return {"role": "user", "parts": parts}


WORDS = {"type": "text", "text": "And now?"}
IN_ORDER = [
    chat(calls("a", "b"), told("b"), told("a"), HELLO),
    chat({"role": "developer", "content": "Be kind."}, {"role": "assistant", "content": "Yes."}),
    chat(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "seen"},
    ),
    responses(item("a"), item("b"), output("a"), output("b"), {"type": "reasoning", "id": "r"}),
    anthropic(uses("a", "b"), results("b", "a", WORDS)),
    gemini(model_turn("look", "look"), answers("look", "look")),
    ("gemini", {"contents": [{"parts": [{"text": "Hi."}]}], "generation_config": {}}),
]


@pytest.mark.parametrize("request_", IN_ORDER)
def test_a_request_in_order_is_answered(request_: tuple[str, dict[str, Any]]) -> None:
    model = ScriptedModel(done())
    wire, body = request_
    assert send(model, wire, **body)[0] == 200
    model.verify(fields=True)


REFUSED = [
    (chat(calls("a", "b"), told("a")), "tool call 'b' is never answered"),
    (chat(calls("a"), HELLO), "message 2 (user) comes before an answer to 'a'"),
    (chat(calls("a"), told("a"), told("a")), "message 3 answers 'a', a call that waits for no"),
    (chat(calls("a"), told("b")), "message 2 answers 'b'"),
    (chat({"role": "bot", "content": "x"}), "message 1 has the unknown role 'bot'"),
    (("chat", {"messages": []}), "no messages"),
    (chat(history=[]), "unknown field history"),
    (responses(item("a")), "tool call 'a' is never answered"),
    (responses(output("a")), "message 1 answers 'a', a call that waits for no answer"),
    (responses({**item("a"), "sender": "x"}, output("a")), "unknown field input[1].sender"),
    (responses(previous_response_id="resp_none"), "previous response 'resp_none' is not found"),
    (anthropic(uses("a", "b"), results("a")), "tool call 'b' is never answered"),
    (anthropic(uses("a"), results(WORDS, "a")), "comes before an answer to 'a'"),
    (anthropic(results("a")), "answers 'a', a call that waits for no answer"),
    (anthropic({"role": "tool", "content": "x"}), "unknown role 'tool'"),
    (anthropic({**HELLO, "name": "x"}), "unknown field messages[1].name"),
    (anthropic(results({**WORDS, "text": ""})), "message 1 has an empty text"),
    (anthropic({"role": "user", "content": ""}, HELLO), "message 1 (user) has no content"),
    (("anthropic", {"messages": [HELLO]}), "no max_tokens"),
    (("anthropic", {"max_tokens": 1, "messages": [uses("a")]}), "message 0 is the assistant's"),
    (gemini(model_turn("look", "look"), answers("look")), "tool call 'look 1' is never answered"),
    (gemini(answers("look")), "answers 'look', a call that waits for no answer"),
    (gemini({"role": "assistant", "parts": [{"text": "x"}]}), "unknown role 'assistant'"),
    (gemini({"role": "user", "parts": []}), "content 1 has no parts"),
    (gemini({"role": "user", "parts": [{"told": "x"}]}), "unknown field contents[1].parts[0].told"),
    (gemini(messages=[]), "unknown field messages"),
]


@pytest.mark.parametrize(("request_", "fault"), REFUSED)
def test_a_request_out_of_order_is_refused_and_remembered(
    request_: tuple[str, dict[str, Any]], fault: str
) -> None:
    model = ScriptedModel(done())
    wire, body = request_
    status, refusal = send(model, wire, **body)
    assert status == 400
    assert fault in refusal["error"]["message"]
    assert any(fault in found for found in model.requests[0].faults)
    with pytest.raises(ProtocolError) as raised:
        model.verify()
    assert fault in str(raised.value)


def test_openai_passes_over_unknown_fields_of_messages_and_others_do_not() -> None:
    wire, body = chat({"role": "assistant", "content": "Hi.", "sender": "Agent"}, HELLO)
    lenient = ScriptedModel(done())
    assert send(lenient, wire, **body)[0] == 200
    assert lenient.unknown_fields == ["messages[1].sender (request 1)"]
    lenient.verify()
    with pytest.raises(ProtocolError, match="unknown field messages"):
        lenient.verify(fields=True)
    strict = ScriptedModel(done(), refuse_unknown_fields=True)
    assert send(strict, wire, **body)[0] == 400


def test_a_field_that_another_provider_of_the_format_may_have_is_no_fault_there() -> None:
    model = ScriptedModel(done())
    _, body = chat(top_k=3)
    assert send(model, "https://openrouter.ai/api/v1/chat/completions", **body)[0] == 200
    assert send(model, "chat", **body)[0] == 400


def test_a_response_goes_on_from_the_one_before() -> None:
    model = ScriptedModel(sequence(asks(Call("look", {})), says("Found.")))
    tools = [{"type": "function", "name": "look", "parameters": {}, "strict": False}]
    wire, body = responses(tools=tools)
    _, first = send(model, wire, **body)
    call = first["output"][0]
    _, body = responses(output(call["call_id"]), previous_response_id=first["id"])
    _, last = send(model, wire, **body)
    assert last["output"][0]["content"][0]["text"] == "Found."
    roles = [message.role for message in model.requests[1].messages]
    assert roles == ["user", "assistant", "user", "tool"]
    assert model.unanswered == []
    model.verify()


def test_a_call_that_is_answered_with_nothing_counts_as_unanswered() -> None:
    model = ScriptedModel(sequence(asks(Call("look", {})), says("Found.")))
    wire, body = chat(tools=[{"type": "function", "function": {"name": "look"}}])
    _, first = send(model, wire, **body)
    message = first["choices"][0]["message"]
    call_id = message["tool_calls"][0]["id"]
    assert model.unanswered == [call_id]
    send(model, wire, messages=[HELLO, message, {**told(call_id), "content": ""}])
    assert model.unanswered == [call_id]
    send(model, wire, messages=[HELLO, message, told(call_id)])
    assert model.unanswered == []
    assert model.requests[2].answers == {call_id: "seen"}


def test_gemini_calls_without_ids_are_known_by_what_they_say() -> None:
    two = asks(Call("look", {"at": 1}), Call("look", {"at": 2}))
    model = ScriptedModel(sequence(two, says("Found.")))
    declared = [{"functionDeclarations": [{"name": "look"}]}]
    wire, body = gemini(tools=declared)
    _, first = send(model, wire, **body)
    turn = first["candidates"][0]["content"]
    for part in turn["parts"]:
        del part["functionCall"]["id"]
    wire, body = gemini(turn, answers("look", "look"), tools=declared)
    assert send(model, wire, **body)[0] == 200
    assert list(model.requests[1].answers) == model.asked[0] == ["call_1_0", "call_1_1"]
    assert model.unanswered == []


def test_a_gemini_call_with_broken_arguments_waits_for_no_answer() -> None:
    model = ScriptedModel(sequence(asks(Call("look", "{"))))
    wire, body = gemini(tools=[{"functionDeclarations": [{"name": "look"}]}])
    assert (
        send(model, wire, **body)[1]["candidates"][0]["finishReason"] == "MALFORMED_FUNCTION_CALL"
    )
    assert (model.asked, model.unanswered) == ([[]], [])


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[1]", b"{", b"\xff", b"[" * 99999, b'{"messages": 3}']
)
def test_any_bytes_get_an_answer(body: bytes) -> None:
    model = ScriptedModel(done())
    for url in PATHS.values():
        assert model.answer(Sent("POST", url, {}, body)).status == 400


TOOLS = {
    "chat": [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}],
    "responses": [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}],
    "anthropic": [{"name": "look", "input_schema": SCHEMA}],
    "gemini": [{"functionDeclarations": [{"name": "look", "parameters": SCHEMA}]}],
}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, -1.5, True, "", "look", [], {}, [[]], [{}], {"a": []}, ["look"]]
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside one."""
    keys: Any = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [at, *(place for key in keys for place in places(value[key], (*at, key)))]


def changed(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    copy = value.copy()
    copy[at[0]] = changed(value[at[0]], at[1:], new)
    return copy


@pytest.mark.parametrize("request_", IN_ORDER)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_a_request_gets_an_answer(
    request_: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    wire, body = request_
    body = {**body, "tools": TOOLS[wire]}
    for _ in range(data.draw(st.integers(1, 3))):
        body = changed(body, data.draw(st.sampled_from(places(body)[1:])), data.draw(ODD))
    script = data.draw(st.sampled_from([done(), always("look"), ping_pong()]))
    assert send(ScriptedModel(script), wire, **body)[0] in (200, 400)
