"""The attributes of Traceloop's OpenLLMetry, and the GenAI conventions' own older names.

Read in opentelemetry-semantic-conventions-ai 0.5.1, opentelemetry-instrumentation-langchain and
-openai 0.62.4: newer releases write `gen_ai.input.messages`, older ones flattened names such as
`gen_ai.prompt.0.content`; both mark spans with `traceloop.span.kind`. A tool's input is an object
that wraps what the function was given: `args` and `kwargs`, or LangChain's `inputs`.
"""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import GRAPH, Node
from agentcheck.trace.readers.unflatten import listed, ordered
from agentcheck.trace.readers.wrapped import arguments_in, decoded, output_text

NAME = "OpenLLMetry"
KIND = "traceloop.span.kind"
REQUEST = "llm.request.type"
MESSAGES = ("gen_ai.prompt", "gen_ai.completion")
OURS = ("gen_ai.input.messages", "gen_ai.output.messages")
_OPERATIONS = {
    "workflow": "invoke_workflow",
    "agent": "invoke_agent",
    "tool": "execute_tool",
    "task": "execute_task",
}
_REQUESTS = {
    "chat": "chat",
    "completion": "text_completion",
    "embedding": "embeddings",
    "rerank": "rerank",
}
_SAME = {
    "gen_ai.usage.cache_read_input_tokens": "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "llm.usage.prompt_tokens": "gen_ai.usage.input_tokens",
    "llm.usage.completion_tokens": "gen_ai.usage.output_tokens",
    "llm.response.finish_reason": "gen_ai.response.finish_reasons",
    "gen_ai.response.finish_reason": "gen_ai.response.finish_reasons",
    "traceloop.association.properties.session_id": "gen_ai.conversation.id",
    "traceloop.association.properties.thread_id": "gen_ai.conversation.id",
    "traceloop.association.properties.langgraph_checkpoint_ns": GRAPH,
}
_ARGUMENTS = "gen_ai.tool.call.arguments"
_TOOLS = "llm.request.functions"


def translate(node: Node) -> None:
    """Puts what a span says in OpenLLMetry's words under the GenAI names."""
    node.dialect = NAME
    attributes = node.attributes
    operation = _operation(attributes)
    if operation:
        attributes.setdefault("gen_ai.operation.name", operation)
    for theirs, ours in _SAME.items():
        if theirs in attributes:
            attributes.setdefault(ours, attributes[theirs])
    entity = node.get("traceloop.entity.name")
    if operation == "execute_tool":
        _tool(node, entity or node.name)
    elif operation in ("invoke_agent", "invoke_workflow"):
        attributes.setdefault("gen_ai.agent.name", entity or node.get("traceloop.workflow.name"))
    translate_messages(node)
    tools = [item for _, item in listed(attributes, _TOOLS)]
    if tools:
        attributes.setdefault("gen_ai.tool.definitions", [_definition(tool) for tool in tools])


def translate_messages(node: Node) -> None:
    """Puts messages under the older GenAI names, flattened or JSON, where the newer have them."""
    attributes = node.attributes
    for theirs, ours in zip(MESSAGES, OURS, strict=True):
        found = _flattened(attributes, theirs) or _whole(attributes.get(theirs), ours)
        if found and ours not in attributes:
            attributes[ours] = found
            node.places[ours] = f"/attributes/{theirs}"
    if any(ours in node.places for ours in OURS):
        attributes.setdefault("gen_ai.operation.name", "chat")


def _operation(attributes: dict[str, Any]) -> str | None:
    kind, request = attributes.get(KIND), attributes.get(REQUEST)
    found = _OPERATIONS.get(kind) if isinstance(kind, str) else None
    return found or (_REQUESTS.get(request) if isinstance(request, str) else None)


def _flattened(attributes: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [
        item | {"@": f"/{index}", "content": _text(item), "tool_calls": ordered(item["tool_calls"])}
        if "tool_calls" in item
        else item | {"@": f"/{index}", "content": _text(item)}
        for index, item in listed(attributes, name)
        if isinstance(item, dict)
    ]


def _whole(value: Any, ours: str) -> list[Any]:
    """All messages in one attribute: JSON, or the bare text of one."""
    found = decoded(value)
    if isinstance(found, dict):
        found = [found]
    if isinstance(found, str) and found:
        role = "user" if "input" in ours else "assistant"
        return [{"role": role, "content": found}]
    return found if isinstance(found, list) else []


def _text(item: dict[str, Any]) -> Any:
    """What a message says; several parts are written as JSON."""
    content = item.get("content")
    found = decoded(content)
    return found if isinstance(found, list) else content


def _definition(tool: Any) -> dict[str, Any]:
    inner = tool if isinstance(tool, dict) else {}
    return inner | {"parameters": decoded(inner.get("parameters"))}


def _tool(node: Node, name: str) -> None:
    attributes = node.attributes
    attributes.setdefault("gen_ai.tool.name", name)
    given = attributes.get("traceloop.entity.input", attributes.pop(_ARGUMENTS, None))
    node.ran_with(given, arguments_in(given))
    wrapper = decoded(given)
    inner = wrapper.get("kwargs") if isinstance(wrapper, dict) else None
    if isinstance(inner, dict) and "input_str" in wrapper:
        attributes.setdefault("gen_ai.tool.call.id", inner.get("tool_call_id"))
    result = attributes.get("traceloop.entity.output")
    if result is not None:
        attributes["gen_ai.tool.call.result"] = output_text(result)
