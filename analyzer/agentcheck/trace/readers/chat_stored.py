"""Stored completions: the reply, its finish reason, its model and its usage."""

from __future__ import annotations

from typing import Any

import msgspec

from agentcheck.trace.readers.chat_message import as_message
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.records import BROKEN


def reply_of(replay: ChatReplay, fields: dict[str, msgspec.Raw]) -> None:
    """Adds the first choice of a completion to a run; further choices count as unknown."""
    choices = _value(fields, "choices")
    choices = choices if isinstance(choices, list) else []
    choice = next(iter(choices), None)
    message = as_message(choice.get("message")) if isinstance(choice, dict) else None
    if message is None or not isinstance(choice, dict):
        replay.unknown += 1
        return
    replay.unknown += len(choices) - 1
    if "finish_reason" in choice:
        message.finish_reason = choice["finish_reason"]
    replay.facts = _facts(fields, replay)
    replay.feed(message)


def _facts(fields: dict[str, msgspec.Raw], replay: ChatReplay) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    model, created = _value(fields, "model"), _value(fields, "created")
    if isinstance(model, str):
        facts["response_model"] = model
    if isinstance(created, (int, float)) and not isinstance(created, bool):
        facts["ts"] = float(created)
        replay.known.add("time")
    usage = _value(fields, "usage")
    if isinstance(usage, dict):
        facts |= usage_facts(usage)
        replay.known.add("usage")
    return facts


def usage_facts(usage: dict[str, Any]) -> dict[str, Any]:
    """Token counts under the names of OpenAI's two APIs and Anthropic's -> fields of a model call.

    Counts that are no whole numbers are left out.
    """
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    found = {
        "input_tokens": usage.get("input_tokens", usage.get("prompt_tokens")),
        "output_tokens": usage.get("output_tokens", usage.get("completion_tokens")),
        "cache_read": usage.get("cache_read_input_tokens", cached),
        "cache_creation": usage.get("cache_creation_input_tokens"),
    }
    return {key: value for key, value in found.items() if type(value) is int}


def _value(fields: dict[str, msgspec.Raw], key: str) -> Any:
    if key not in fields:
        return None
    try:
        return msgspec.json.decode(fields[key])
    except BROKEN:
        return None
