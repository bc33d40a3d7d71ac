"""Why a reply ended, in one vocabulary."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import FinishReason

_WORDS: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "complete": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "tool_calls": "tool_call",
    "tool_call": "tool_call",
    "tool_use": "tool_call",
    "function_call": "tool_call",
    "error": "error",
    "malformed_function_call": "error",
}


def finish_reason(raw: Any) -> FinishReason | None:
    """A provider's word (OpenAI, Anthropic, Google, Bedrock, Mistral) as the common one.

    None for an absent reason, "unknown" for a word that is not in the vocabulary.
    """
    if not isinstance(raw, str) or not raw:
        return None
    return _WORDS.get(raw) or _WORDS.get(raw.lower().replace("-", "_"), "unknown")
