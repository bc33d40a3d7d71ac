"""What happened in a recorded run: ten kinds of event under OpenTelemetry's GenAI names."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

FieldGroup = Literal[
    "usage", "finish", "time", "results", "approval", "handoffs", "schema", "content", "errors"
]
FinishReason = Literal["stop", "length", "content_filter", "tool_call", "error", "unknown"]


class Source(Struct, frozen=True, gc=False):
    """Where an event was read: the evidence line of a trace.

    `run` is the index of the run in its file; `record` is the message index of a message list,
    else the span or event id; `pointer` is a JSON pointer inside that record.
    """

    file: str
    run: int
    record: int | str
    pointer: str = ""


class _Event(Struct, frozen=True, kw_only=True, gc=False):
    seq: int
    source: Source
    ts: float | None = None
    span_id: str | None = None
    parent_id: str | None = None
    agent: str | None = None


class RunStart(_Event, frozen=True, kw_only=True, tag="run_start"):
    """The head of a run. `tools` maps a tool's name to its JSON schema of parameters, if known."""

    workflow: str | None = None
    tools: dict[str, Any] = {}


class Message(_Event, frozen=True, kw_only=True, tag="message"):
    """A message of the conversation, without its tool calls."""

    role: str
    text: str


class ModelCall(_Event, frozen=True, kw_only=True, tag="model_call"):
    """One request to a model and its reply. Tokens are counts, `cost` US dollars.

    `loop` is the id of the span of the agent loop that made the request; None where the format
    nests no loops or the call stands in none.
    """

    provider: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    finish_reason: FinishReason | None = None
    finish_raw: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_creation: int | None = None
    cost: float | None = None
    duration: float | None = None
    context_messages: int | None = None
    system_text: str | None = None
    loop: str | None = None


class ToolCall(_Event, frozen=True, kw_only=True, tag="tool_call"):
    """A call the model asked for.

    `call_key` is the provider's call id joined to the message it came in, for ids repeat within
    a run. `arguments` is the object, None where `arguments_raw` is no JSON object (then
    `parse_error` says why). `batch` is the index among the calls of one reply.
    """

    call_key: str
    call_id: str | None
    name: str
    arguments_raw: str
    arguments: dict[str, Any] | None
    batch: int = 0
    parse_error: str | None = None


class ToolResult(_Event, frozen=True, kw_only=True, tag="tool_result"):
    """The answer to a call; `call_key` is None when no call of the run is answered by it."""

    call_key: str | None
    content: str
    is_error: bool | None = None
    duration: float | None = None


class Handoff(_Event, frozen=True, kw_only=True, tag="handoff"):
    """Control passes; `accepted` is False when the framework refused it."""

    from_agent: str | None
    to_agent: str
    call_key: str | None = None
    batch: int = 0
    accepted: bool | None = None


class Approval(_Event, frozen=True, kw_only=True, tag="approval"):
    """A person or policy was asked about a call, or answered."""

    call_key: str | None
    state: Literal["requested", "granted", "denied"]
    by: str | None = None


class Guardrail(_Event, frozen=True, kw_only=True, tag="guardrail"):
    """A check ran."""

    name: str
    triggered: bool
    stage: str | None = None


class Compaction(_Event, frozen=True, kw_only=True, tag="compaction"):
    """History was shortened; sizes in tokens."""

    before_tokens: int | None = None
    after_tokens: int | None = None


class RunEnd(_Event, frozen=True, kw_only=True, tag="run_end"):
    """How the run ended, with whatever labels its source gave."""

    status: Literal["completed", "max_turns", "error", "interrupted", "unknown"]
    output: str | None = None
    labels: dict[str, Any] = {}


Event: TypeAlias = (
    RunStart
    | Message
    | ModelCall
    | ToolCall
    | ToolResult
    | Handoff
    | Approval
    | Guardrail
    | Compaction
    | RunEnd
)


_E = TypeVar("_E")


class Run(Struct, frozen=True, kw_only=True, dict=True):
    """One run, replayed: its events in order, and what its format could carry.

    A check whose field group is not in `known` answers "cannot-tell", never "met". The groups:
    usage, finish (why a reply ended), time, results (of tool calls), approval, handoffs, schema
    (of tools), content (texts and arguments), errors (which results are errors, as a field).
    `unknown_records` counts what belongs to the run and could not be read.
    """

    id: str
    file: str
    index: int
    format: str
    known: frozenset[FieldGroup]
    events: tuple[Event, ...]
    unknown_records: int = 0

    @cached_property
    def _kinds(self) -> dict[type[Any], list[Any]]:
        kinds: dict[type[Any], list[Any]] = {}
        for event in self.events:
            kinds.setdefault(type(event), []).append(event)
        return kinds

    def all(self, kind: type[_E]) -> list[_E]:
        """The run's events of one kind, in order."""
        return self._kinds.get(kind, [])

    @cached_property
    def name(self) -> str:
        """What to call the run as a subject: its workflow, else "run"."""
        return next((start.workflow for start in self.all(RunStart) if start.workflow), "run")

    @cached_property
    def answers(self) -> dict[str, ToolResult]:
        """The first result of each call, by `call_key`."""
        found: dict[str, ToolResult] = {}
        for result in self.all(ToolResult):
            if result.call_key is not None:
                found.setdefault(result.call_key, result)
        return found

    @cached_property
    def handed(self) -> frozenset[str]:
        """The `call_key` of every call that asked for a handoff."""
        return frozenset(h.call_key for h in self.all(Handoff) if h.call_key is not None)
