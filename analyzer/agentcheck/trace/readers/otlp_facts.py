"""What a model's span says of the request: why the reply ended, tokens, cost, provider."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.finish import finish_reason
from agentcheck.trace.readers.node import Node

_ODD = ("length", "content_filter", "error")


def finish_in(node: Node) -> str | None:
    """The reply's finish reason; of several, for several choices, the first abnormal one."""
    reasons = node.attributes.get("gen_ai.response.finish_reasons")
    found = reasons if isinstance(reasons, list) else [reasons]
    texts = [reason for reason in found if isinstance(reason, str) and reason]
    odd = (reason for reason in texts if finish_reason(reason) in _ODD)
    return next(odd, None) or next(iter(texts), None)


def usage_in(node: Node) -> dict[str, Any]:
    """Token counts under today's names and the ones before, and the cost in US dollars.

    OpenTelemetry has no name for the cost; pydantic-ai writes `operation.cost`.
    """
    found = {
        "input_tokens": node.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        "output_tokens": node.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        "cache_read": node.count("gen_ai.usage.cache_read.input_tokens"),
        "cache_creation": node.count("gen_ai.usage.cache_creation.input_tokens"),
    }
    counts: dict[str, Any] = {key: value for key, value in found.items() if value is not None}
    cost = node.amount("gen_ai.usage.cost", "operation.cost")
    return counts if cost is None else counts | {"cost": cost}


def provider(node: Node) -> str | None:
    """Who runs the model; `gen_ai.system` is the name of before."""
    return node.get("gen_ai.provider.name", "gen_ai.system")
