"""Token counts under the names that SDKs and tracing services give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentcheck.trace.readers.chat_stored import usage_facts

_NAMES = {
    "input_tokens": (
        "input_tokens", "prompt_tokens", "promptTokens", "request_tokens", "input",
        "prompt_token_count",
    ),
    "output_tokens": (
        "output_tokens", "completion_tokens", "completionTokens", "response_tokens", "output",
        "candidates_token_count",
    ),
    "cache_read": (
        "cache_read_tokens", "cache_read_input_tokens", "input_cached_tokens",
        "input_cache_read", "input_cache_read_tokens",
    ),
    "cache_creation": (
        "cache_write_tokens", "cache_creation_input_tokens", "input_cache_creation",
    ),
}  # fmt: skip


def tokens(usage: Any) -> dict[str, int]:
    """Fields of a model call out of an object of counts; none for what is no such object.

    LangChain's `input_token_details` and OpenAI's `prompt_tokens_details` hold the cached ones.
    """
    if not isinstance(usage, dict):
        return {}
    found = {field: _first(usage, names) for field, names in _NAMES.items()}
    details = usage.get("input_token_details")
    if isinstance(details, dict):
        found["cache_read"] = details.get("cache_read", found["cache_read"])
        found["cache_creation"] = details.get("cache_creation", found["cache_creation"])
    counts = {field: value for field, value in found.items() if type(value) is int}
    return usage_facts(usage) | counts


def _first(usage: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((usage[name] for name in names if type(usage.get(name)) is int), None)
