"""Spans of the OpenAI Agents SDK in their plainest shape, as decoded.

Plain are replies of the model with texts and calls, functions that carry out one of these calls,
and the agents, turns and tasks around them, none of them with an error. The types of the spans say
most of it, so that decoding refuses whatever an outline would not know how to tell; the run of
such a span is replayed. All that a replay decodes is decoded here too, so that what it refuses is
refused; only the history at the head of an input is not, which the input before it held as well.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from agentcheck.trace.readers.chat_plain import PlainCall
from agentcheck.trace.records import BROKEN, Buffer

_NOTHING = Raw(b"null")
SILENT = frozenset({"custom", "turn", "task"})
_Named = Annotated[str, Meta(min_length=1)]


class _Text(Struct, forbid_unknown_fields=True, gc=False):
    type: Literal["text", "input_text", "output_text"]
    text: str
    annotations: Any = None
    logprobs: Any = None


class Item(Struct, forbid_unknown_fields=True, gc=False):
    """A chat message or an item of the Responses API, in an input or an output."""

    type: str | None = None
    role: str | None = None
    content: str | list[_Text] | None = None
    tool_calls: list[PlainCall] | None = None
    tool_call_id: _Named | None = None
    call_id: _Named | None = None
    name: _Named | None = None
    arguments: str | None = None
    output: str | None = None
    id: Any = None
    status: Any = None
    refusal: Any = None
    annotations: Any = None
    audio: Any = None
    function_call: Any = None

    def text(self) -> str:
        """What it says."""
        content = self.content
        if not isinstance(content, list):
            return content or ""
        return "\n".join([part.text for part in content if part.text])


decode_items = msgspec.json.Decoder(list[Item]).decode


class Usage(Struct, forbid_unknown_fields=True, gc=False):
    """The tokens of a request."""

    input_tokens: int
    output_tokens: int
    requests: Any = None
    total_tokens: Any = None
    input_tokens_details: dict[str, Any] | None = None
    output_tokens_details: Any = None


class Generation(Struct, tag="generation", tag_field="type", forbid_unknown_fields=True, gc=False):
    """A request to a model."""

    input: Raw = _NOTHING
    output: list[Item] | None = None
    model: Any = None
    model_config: Any = None
    usage: Usage | None = None


class Function(Struct, tag="function", tag_field="type", forbid_unknown_fields=True, gc=False):
    """A tool that ran."""

    name: str
    input: str
    output: str
    mcp_data: Any = None


class Agent(Struct, tag="agent", tag_field="type", forbid_unknown_fields=True, gc=False):
    """An agent at work."""

    name: str | None = None
    handoffs: Any = None
    tools: Any = None
    output_type: Any = None


class Custom(Struct, tag="custom", tag_field="type", forbid_unknown_fields=True, gc=False):
    """A span of a user's own, or one of the SDK's turns and tasks."""

    name: Any = None
    data: dict[str, Any] = {}

    @property
    def kind(self) -> Any:
        """The type that the SDK gives its own."""
        return self.data.get("sdk_span_type", "custom")


class PlainObject(Struct, gc=False, rename={"raw": "raw record"}):
    """A trace or a span; the fields are those of `SdkObject`, and `raw` the record it is all of."""

    object: Literal["trace", "trace.span"]
    id: str
    trace_id: str | None = None
    parent_id: str | None = None
    started_at: str = ""
    ended_at: Any = None
    span_data: Generation | Function | Agent | Custom | None = None
    error: None = None
    workflow_name: Any = None
    data: Any = None
    raw: Raw | bytes = b""

    @property
    def trace(self) -> str | None:
        """The trace it belongs to."""
        return self.trace_id


_decode = msgspec.json.Decoder(PlainObject).decode


def plain_object(raw: Buffer) -> PlainObject | None:
    """The only object of a record, None where it is not plain or names no trace."""
    found = brief_object(bytes(raw))
    if found is not None:
        found.raw = raw
    return found


def brief_object(line: bytes) -> PlainObject | None:
    """The same without the record; its `trace_id` is the trace that it belongs to."""
    try:
        found = _decode(line)
    except BROKEN:
        return None
    if type(found.span_data) is Generation and line.count(b'"input"') > 1:
        return None  # of two inputs the first was skipped, and not looked into
    if found.object == "trace":
        found.trace_id = found.id
    return None if found.trace_id is None else found
