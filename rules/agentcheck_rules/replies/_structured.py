"""What a request says of the form of its answer."""

from __future__ import annotations

from typing import Literal

from agentcheck.rule import AgentGraph, E, Reply, argument, has_spread

_KEYWORDS = (
    "response_format", "text_format", "output_format", "response_model", "format", "text",
    "tool_choice", "extra_body", "model_kwargs", "guided_json", "output_config", "json_output",
    "output_type", "output_schema", "response_schema", "json_schema", "json_mode",
)  # fmt: skip
_CONFIGS = ("config", "generation_config")
_WORDS = (
    "response_mime_type", "response_schema", "response_format", "with_structured_output",
    "json_mode", "response_json_schema", "json_schema", "guided_json",
)  # fmt: skip
Form = Literal["asked", "unknown", "free"]


def form_of(graph: AgentGraph, reply: Reply) -> Form:
    """Whether a request asks for JSON by more than words, or may; "free" when it does not.

    A file that names one of the switches anywhere is taken to use it where that cannot be told.
    """
    call, fn = reply.call.call, reply.call.site.fn
    for keyword in _KEYWORDS:
        given = argument(call, keyword)
        if given is not None and not _is_none(graph, given, reply):
            return "asked"
    if has_spread(call):
        return "unknown"
    named = any(word in line for line in fn.file.lines for word in _WORDS)
    configured = any(argument(call, keyword) is not None for keyword in _CONFIGS)
    if named and (configured or reply.call.framework not in ("openai", "anthropic", "litellm")):
        return "unknown"
    return "free"


def _is_none(graph: AgentGraph, given: E.Expr, reply: Reply) -> bool:
    found = graph.tracer.of(given, reply.call.site.fn)
    return bool(found) and all(isinstance(o.expr, E.Const) and o.expr.value is None for o in found)
