"""What a LangSmith run says of its model, tools, tokens and place in a graph."""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import GRAPH
from agentcheck.trace.readers.usage import tokens

Facts = dict[str, Any]
_GENERIC = frozenset({"LangGraph", "RunnableSequence", "AgentExecutor", "RunnableLambda"})


def facts_of(row: Facts) -> Facts:
    """Attributes that any run may have: who acts, the tool call it carries out, its graph."""
    extra = _dict(row.get("extra"))
    metadata = _dict(extra.get("metadata"))
    name = row.get("name")
    root = not row.get("parent_run_id") and isinstance(name, str) and name not in _GENERIC
    return {
        "gen_ai.agent.name": metadata.get("lc_agent_name") or (name if root else None),
        "gen_ai.tool.call.id": extra.get("tool_call_id"),
        GRAPH: metadata.get(GRAPH),
    }


def model_of(row: Facts, said: list[Any]) -> Facts:
    """Attributes of a request to a model; `said` are the messages of its reply."""
    extra, outputs = _dict(row.get("extra")), _dict(row.get("outputs"))
    asked, metadata = _dict(extra.get("invocation_params")), _dict(extra.get("metadata"))
    model = metadata.get("ls_model_name") or asked.get("model") or asked.get("model_name")
    reply = _dict(said[-1]) if said else {}
    tools = asked.get("tools") or _dict(row.get("inputs")).get("tools")
    return {
        "gen_ai.request.model": model,
        "gen_ai.response.model": reply.get("model") or outputs.get("model"),
        "gen_ai.provider.name": metadata.get("ls_provider"),
        "gen_ai.tool.definitions": tools if isinstance(tools, list) else None,
        "gen_ai.usage.cost": number(row.get("total_cost")),
    } | _counts(row, outputs, reply)


def number(value: Any) -> float | None:
    """An amount of money, which may be written as text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) else None


def _counts(row: Facts, outputs: Facts, reply: Facts) -> Facts:
    llm = _dict(outputs.get("llm_output"))
    held = (reply.get("usage"), outputs.get("usage_metadata"), llm.get("token_usage"))
    found = next(filter(None, map(tokens, (*held, outputs.get("usage"), _own(row)))), {})
    return {
        "gen_ai.usage.input_tokens": found.get("input_tokens"),
        "gen_ai.usage.output_tokens": found.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": found.get("cache_read"),
        "gen_ai.usage.cache_creation.input_tokens": found.get("cache_creation"),
    }


def _own(row: Facts) -> Facts:
    """The counts of the run itself, which are zero where the service knew none."""
    return row if row.get("prompt_tokens") or row.get("completion_tokens") else {}


def _dict(value: Any) -> Facts:
    return value if isinstance(value, dict) else {}
