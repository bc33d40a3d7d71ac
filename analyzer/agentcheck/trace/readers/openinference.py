"""The attributes of OpenInference, as Arize Phoenix and its instrumentations write them.

Read in openinference-semantic-conventions 0.1.42 and in the spans that
openinference-instrumentation-langchain 0.1.80 emits. Lists are flattened into names with an index.
A tool's `tool.parameters` describes what it takes; what it was given is `input.value`, which the
LangChain instrumentation reduces to the bare value where there is only one.
"""

from __future__ import annotations

from typing import Any

from agentcheck.trace.readers.node import GRAPH, Node
from agentcheck.trace.readers.unflatten import listed, ordered
from agentcheck.trace.readers.wrapped import arguments_in, decoded, output_text
from agentcheck.trace.records import BROKEN, value_of

NAME = "OpenInference"
KIND = "openinference.span.kind"
_OPERATIONS = {
    "LLM": "chat",
    "TOOL": "execute_tool",
    "AGENT": "invoke_agent",
    "RETRIEVER": "retrieval",
    "EMBEDDING": "embeddings",
    "RERANKER": "rerank",
}
SILENT = "chain"
"""The operation of spans that hold others and tell nothing themselves."""
_SAME = {
    "llm.token_count.prompt": "gen_ai.usage.input_tokens",
    "llm.token_count.completion": "gen_ai.usage.output_tokens",
    "llm.token_count.prompt_details.cache_read": "gen_ai.usage.cache_read.input_tokens",
    "llm.token_count.prompt_details.cache_write": "gen_ai.usage.cache_creation.input_tokens",
    "llm.cost.total": "gen_ai.usage.cost",
    "llm.provider": "gen_ai.provider.name",
    "llm.system": "gen_ai.provider.name",
    "llm.request.model_name": "gen_ai.request.model",
    "llm.response.model_name": "gen_ai.response.model",
    "llm.model_name": "gen_ai.response.model",
    "llm.finish_reason": "gen_ai.response.finish_reasons",
    "agent.name": "gen_ai.agent.name",
    "session.id": "gen_ai.conversation.id",
    "tool.name": "gen_ai.tool.name",
    "tool.id": "gen_ai.tool.call.id",
    "tool_call.id": "gen_ai.tool.call.id",
}
_MESSAGES = {
    "llm.input_messages": "gen_ai.input.messages",
    "llm.output_messages": "gen_ai.output.messages",
}


def translate(node: Node) -> None:
    """Puts what a span says in OpenInference's words under the GenAI names."""
    node.dialect = NAME
    attributes = node.attributes
    kind = attributes.get(KIND)
    operation = _OPERATIONS.get(kind.upper(), SILENT) if isinstance(kind, str) else SILENT
    attributes.setdefault("gen_ai.operation.name", operation)
    for theirs, ours in _SAME.items():
        if theirs in attributes:
            attributes.setdefault(ours, attributes[theirs])
    metadata = decoded(attributes.get("metadata"))
    if isinstance(metadata, dict):
        attributes[GRAPH] = metadata.get(GRAPH)
    if operation == "chat":
        _messages(node)
        _tools(attributes)
    elif operation == "execute_tool":
        _tool(node)
    elif operation == "invoke_agent":
        attributes.setdefault("gen_ai.agent.name", node.name)


def _messages(node: Node) -> None:
    for theirs, ours in _MESSAGES.items():
        found = [_message(index, item) for index, item in listed(node.attributes, theirs)]
        if found:
            node.attributes.setdefault(ours, found)
            node.places.setdefault(ours, f"/attributes/{theirs}")


def _message(index: str, item: Any) -> dict[str, Any]:
    inner = item.get("message") if isinstance(item, dict) else None
    inner = inner if isinstance(inner, dict) else {}
    at = f"/{index}/message"
    message: dict[str, Any] = {
        "@": at,
        "role": inner.get("role"),
        "content": inner["content"] if "content" in inner else _contents(inner.get("contents")),
        "tool_calls": [_call(at, n, c) for n, c in enumerate(ordered(inner.get("tool_calls")))],
    }
    if isinstance(inner.get("function_call_name"), str):
        given = inner.get("function_call_arguments_json")
        message["tool_calls"].append({"name": inner["function_call_name"], "arguments": given})
    if isinstance(inner.get("tool_call_id"), str):
        message["tool_call_id"] = inner["tool_call_id"]
    return message


def _contents(parts: Any) -> str:
    inner = (part.get("message_content") for part in ordered(parts) if isinstance(part, dict))
    texts = (part.get("text") for part in inner if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _call(at: str, number: int, call: Any) -> dict[str, Any]:
    inner = call.get("tool_call") if isinstance(call, dict) else None
    place = {"@": f"{at}/tool_calls/{number}/tool_call"}
    return inner | place if isinstance(inner, dict) else place


def _tools(attributes: dict[str, Any]) -> None:
    found = []
    for _, item in listed(attributes, "llm.tools"):
        inner = item.get("tool") if isinstance(item, dict) else None
        schema = inner.get("json_schema") if isinstance(inner, dict) else None
        try:
            found.append(value_of(schema) if isinstance(schema, str) else schema)
        except BROKEN:
            continue
    if found:
        attributes.setdefault("gen_ai.tool.definitions", found)


def _tool(node: Node) -> None:
    attributes = node.attributes
    attributes.setdefault("gen_ai.tool.name", node.name)
    node.ran_with(attributes.get("input.value"), arguments_in(attributes.get("input.value")))
    if "output.value" in attributes:
        attributes.setdefault("gen_ai.tool.call.result", output_text(attributes["output.value"]))
