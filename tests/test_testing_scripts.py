"""Scripts: what the model answers to which request, by rule and from a record."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.plain_client import names, post, serving, tool
from tests.scripted_clients import SCHEMA

from agentcheck.testing import (
    Call,
    Failure,
    Reply,
    Request,
    always,
    asks,
    calling,
    done,
    growing_usage,
    ping_pong,
    recorded,
    replay,
    says,
    sequence,
    two_handoffs,
    unknown_tool,
)


@pytest.fixture
def serve() -> Iterator[Any]:
    yield from serving()


def test_a_tool_is_asked_for_as_long_as_it_is_offered(serve: Any) -> None:
    model = serve(always("look"))
    assert [names(model, "other", "look") for _ in range(3)] == [["look"]] * 3
    assert names(model, "other") == []


def test_a_script_for_a_tool_that_never_reached_the_model_is_a_fault(serve: Any) -> None:
    model = serve(always("look"))
    with pytest.raises(urllib.error.HTTPError) as refused:
        post(model, "other")
    assert refused.value.code == 400
    assert "calls ['look'], the request offers the tools ['other']" in refused.value.read().decode()
    with pytest.raises(AssertionError, match="request 1: the script calls"):
        model.verify()


def test_agents_hand_over_to_and_fro(serve: Any) -> None:
    model = serve(ping_pong())
    seen = [names(model, "look", f"transfer_to_{agent}") for agent in ("b", "a", "b")]
    assert seen == [["transfer_to_b"], ["transfer_to_a"], ["transfer_to_b"]]
    named = serve(ping_pong("to_left", "to_right"))
    assert [names(named, "to_right"), names(named, "to_left")] == [["to_right"], ["to_left"]]


def test_two_handoffs_come_in_one_reply(serve: Any) -> None:
    model = serve(two_handoffs("to_a", "to_b"))
    assert names(model, "to_a", "to_b") == ["to_a", "to_b"]
    assert names(model, "to_a", "to_b") == []


def test_a_reply_has_one_call_where_the_request_wants_no_more(serve: Any) -> None:
    model = serve(calling("look", "look"))
    message = post(model, "look", parallel_tool_calls=False)["choices"][0]["message"]
    assert [call["id"] for call in message["tool_calls"]] == model.asked[0]
    assert len(model.asked[0]) == 1


def test_a_request_that_wants_no_call_gets_none(serve: Any) -> None:
    choice = post(serve(always("look")), "look", tool_choice="none")["choices"][0]
    assert (choice["finish_reason"], choice["message"].get("tool_calls")) == ("stop", None)


def test_a_tool_that_does_not_exist_is_called_once(serve: Any) -> None:
    model = serve(unknown_tool())
    assert names(model, "look") == ["no_such_tool"]
    assert names(model, "look") == []


def test_the_end_of_a_run_has_the_form_that_the_request_demands(serve: Any) -> None:
    model = serve(done())
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}
    content = post(model, response_format=form)["choices"][0]["message"]["content"]
    assert json.loads(content) == {"at": 1}
    demanded = post(model, "look", "answer", tool_choice="required")["choices"][0]["message"]
    assert demanded["tool_calls"][0]["function"]["name"] == "answer"
    assert post(model, "look")["choices"][0]["message"]["content"] == "Done."


def test_usage_grows_from_reply_to_reply(serve: Any) -> None:
    model = serve(growing_usage("look", first=100, factor=3))
    used = [post(model, "look")["usage"]["prompt_tokens"] for _ in range(3)]
    assert used == [100, 300, 900]


def test_a_script_may_look_at_the_request(serve: Any) -> None:
    def mirror(request: Request) -> Reply:
        return says(f"{request.number}: {request.messages[-1].text}")

    model = serve(sequence(says("First."), then=mirror))
    said = [post(model)["choices"][0]["message"]["content"] for _ in range(2)]
    assert said == ["First.", "2: Hello."]


RECORDED: list[Reply | Failure] = [
    Reply("Looking.", (Call("look", {"at": 3}),), usage=(11, 4)),
    Failure(429, 1.0, "Later."),
    Reply("Found.", finish="length"),
]


def test_a_recorded_run_is_given_again_reply_by_reply(tmp_path: Path, serve: Any) -> None:
    lines = tmp_path / "run.jsonl"
    lines.write_text("\n".join(json.dumps(recorded(step)) for step in RECORDED) + "\n")
    model = serve(replay(lines))
    first = post(model, "look")
    assert first["usage"]["prompt_tokens"] == 11
    assert first["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"at": 3}'
    with pytest.raises(urllib.error.HTTPError, match="429"):
        post(model, "look")
    last = post(model, "look")["choices"][0]
    assert (last["message"]["content"], last["finish_reason"]) == ("Found.", "length")
    assert post(model, "look")["choices"][0]["message"]["content"] == "Done."


def test_completions_and_conversations_are_records_too(tmp_path: Path, serve: Any) -> None:
    model = serve(asks(Call("look", {"at": 1})))
    completion = post(model, "look")
    talk = [
        {"role": "user", "content": "Hello."},
        completion["choices"][0]["message"],
        {"role": "tool", "tool_call_id": "call_1_0", "content": "seen"},
        {"role": "assistant", "content": "It is there."},
    ]
    for record in ([completion], talk, [{"messages": talk}]):
        file = tmp_path / "run.json"
        file.write_text(json.dumps(record))
        again = serve(replay(file))
        assert names(again, "look") == ["look"]


def test_a_record_without_replies_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text('[{"role": "user", "content": "Hello."}]')
    with pytest.raises(ValueError, match=r"run\.json has no replies"):
        replay(file)


def test_what_is_asked_beside_the_model_is_answered(serve: Any) -> None:
    model = serve(done())
    vectors = post(model, path="/v1/embeddings", input=["a", "b"])["data"]
    assert [len(item["embedding"]) for item in vectors] == [8, 8]
    assert post(model, path="/v1/messages/count_tokens")["input_tokens"] > 0
    assert post(model, path="/v1/moderations", input="a")["results"][0]["flagged"] is False
    with pytest.raises(urllib.error.HTTPError, match="404"):
        post(model, path="/v1/traces/ingest")
    assert [stray.rpartition("/")[2] for stray in model.strays] == ["ingest"]
    assert model.requests == []


@pytest.mark.parametrize(
    ("schema", "fitting"),
    [
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x", "y"]}}},
            {"a": "x"},
        ),
        (
            {
                "type": "object",
                "required": ["p"],
                "properties": {"p": {"$ref": "#/$defs/P"}, "unasked": {"type": "string"}},
                "$defs": {
                    "P": {
                        "type": "object",
                        "required": ["n", "s", "l", "o"],
                        "properties": {
                            "n": {"type": "integer", "minimum": 5},
                            "s": {"type": "string", "format": "date"},
                            "l": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
                            "o": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                        },
                    }
                },
            },
            {"p": {"n": 5, "s": "2025-01-01", "l": [False, False], "o": 1}},
        ),
    ],
)
def test_made_up_arguments_fit_the_schema(serve: Any, schema: Any, fitting: Any) -> None:
    message = post(serve(always("look")), tool("look", schema))["choices"][0]["message"]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == fitting
