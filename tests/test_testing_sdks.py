"""The SDKs of the providers take every answer of the scripted model for one of their provider."""

from __future__ import annotations

import json

import pytest
from tests.scripted_clients import WAYS, Way, ask

from agentcheck.testing import (
    Call,
    Reply,
    ScriptedModel,
    always,
    asks,
    broken_arguments,
    cut_off,
    done,
    empty_last_chunk,
    filtered,
    refusal,
    says,
    sequence,
)

pytestmark = pytest.mark.slow

CALLS = {
    "openai-chat": "tool_calls",
    "openai-responses": "completed",
    "anthropic": "tool_use",
    "gemini": "STOP",
}
ENDS = {
    "openai-chat": "stop",
    "openai-responses": "completed",
    "anthropic": "end_turn",
    "gemini": "STOP",
}
CUT = {
    "openai-chat": "length",
    "openai-responses": "max_output_tokens",
    "anthropic": "max_tokens",
    "gemini": "MAX_TOKENS",
}
FILTERED = {
    "openai-chat": "content_filter",
    "openai-responses": "content_filter",
    "anthropic": "refusal",
    "gemini": "SAFETY",
}
REFUSED = {
    "openai-chat": "stop",
    "openai-responses": "completed",
    "anthropic": "refusal",
    "gemini": "PROHIBITED_CONTENT",
}
TWO = Reply(
    "I will look.", (Call("look", {"at": 1}), Call("look", {"at": 2, "why": "ö"})), usage=(7, 3)
)


@pytest.mark.parametrize("way", WAYS)
def test_words_and_calls_arrive_in_process(way: Way) -> None:
    with ScriptedModel(sequence(TWO, says("All is well."))).install() as model:
        said = ask(way, "look")
        assert ask(way).text == "All is well."
    assert said.text == "I will look."
    assert [name for _, name, _ in said.calls] == ["look", "look"]
    assert [json.loads(given) for *_, given in said.calls] == [{"at": 1}, {"at": 2, "why": "ö"}]
    assert [call_id for call_id, *_ in said.calls] == model.asked[0]
    assert (said.finish, said.usage) == (CALLS[way.sdk], (7, 3))
    first, second = model.requests
    assert (first.provider, first.model, first.tool_names) == (way.sdk, "m", ["look"])
    assert (first.stream, second.tools) == (way.streamed, ())
    assert [(message.role, message.text) for message in first.messages] == [("user", "Hello.")]
    assert 0 < second.tokens < first.tokens < 300
    model.verify(fields=True)


@pytest.mark.parametrize("way", WAYS)
def test_words_and_calls_arrive_from_the_server(way: Way) -> None:
    with ScriptedModel(sequence(TWO, says("All is well."))).serve() as model:
        said = ask(way, "look")
        assert ask(way).text == "All is well."
    assert said.text == "I will look."
    assert [json.loads(given) for *_, given in said.calls] == [{"at": 1}, {"at": 2, "why": "ö"}]
    assert (said.finish, said.usage) == (CALLS[way.sdk], (7, 3))
    assert [request.provider for request in model.requests] == [way.sdk] * 2
    model.verify(fields=True)


@pytest.mark.parametrize("way", WAYS)
def test_a_reply_ends_for_the_reason_in_the_script(way: Way) -> None:
    scripts = [done(), cut_off("The answer is"), filtered(), refusal("No.")]
    with ScriptedModel(sequence(*scripts)).install():
        ends, cut, hidden, refused = [ask(way) for _ in scripts]
    assert (ends.text, ends.finish) == ("Done.", ENDS[way.sdk])
    assert (cut.text, cut.finish) == ("The answer is", CUT[way.sdk])
    assert (hidden.text, hidden.finish) == ("", FILTERED[way.sdk])
    assert refused.finish == REFUSED[way.sdk]
    assert refused.text == ("" if way.sdk == "gemini" else "No.")


@pytest.mark.parametrize("way", WAYS)
def test_an_empty_last_chunk_changes_nothing_for_who_skips_it(way: Way) -> None:
    with ScriptedModel(empty_last_chunk("The end.")).install():
        assert ask(way).text == "The end."


@pytest.mark.parametrize("way", WAYS)
def test_arguments_that_are_not_given_fit_the_tool(way: Way) -> None:
    with ScriptedModel(always("look")).install():
        [(_, name, given)] = ask(way, "other", "look").calls
    assert (name, json.loads(given)) == ("look", {"at": 1})


@pytest.mark.parametrize("way", WAYS)
def test_broken_arguments_come_as_the_provider_lets_them(way: Way) -> None:
    if way.sdk == "anthropic" and way.streamed:
        pytest.skip("the SDK itself raises on them, see the test of its raw stream")
    with ScriptedModel(broken_arguments("look", '{"at": 1')).install() as model:
        said = ask(way, "look")
        assert ask(way).text == "Done."
    if way.sdk == "gemini":
        assert (said.calls, said.finish) == ([], "MALFORMED_FUNCTION_CALL")
    elif way.sdk == "anthropic":
        assert [given for *_, given in said.calls] == ["{}"]
    else:
        assert [given for *_, given in said.calls] == ['{"at": 1']
    assert [call.arguments for call in getattr(model.replies[0], "calls", ())] == ['{"at": 1']


def test_broken_arguments_of_anthropic_arrive_piece_by_piece() -> None:
    anthropic = pytest.importorskip("anthropic")
    with ScriptedModel(asks(Call("look", '{"at": 1'))).install():
        stream = anthropic.Anthropic().messages.create(
            model="m",
            max_tokens=9,
            messages=[{"role": "user", "content": "Hello."}],
            tools=[{"name": "look", "input_schema": {"type": "object"}}],
            stream=True,
        )
        deltas = [event.delta for event in stream if event.type == "content_block_delta"]
    assert "".join(delta.partial_json for delta in deltas) == '{"at": 1'


@pytest.mark.parametrize("way", WAYS)
def test_of_a_reply_that_is_cut_the_last_call_is_cut(way: Way) -> None:
    if way.sdk == "anthropic" and way.streamed:
        pytest.skip("the SDK itself raises on half of the JSON")
    with ScriptedModel(cut_off("", calls=(Call("look", {"at": 12345}),))).install():
        said = ask(way, "look")
    assert said.finish == CUT[way.sdk]
    assert all(given in ('{"at":', "{}") for *_, given in said.calls)
