"""Histories of pydantic-ai: `all_messages_json()`, a run each, or one message a line.

Requests and responses with parts, read in pydantic-ai 2.68 (`messages.py`) with the names that
its earlier releases used. A result that is an error is a `retry-prompt` part or, of late, a
`tool-return` whose outcome says so. A response names a finish reason only where the provider's did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import FieldGroup, Run, Source, ToolCall
from agentcheck.model.report import Skipped
from agentcheck.trace.arguments import encode_text
from agentcheck.trace.readers.agents_sdk_spans import seconds
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.langchain_message import Normal
from agentcheck.trace.readers.listed import fit_list, runs_of_lists
from agentcheck.trace.readers.messages_replay import MessagesReplay
from agentcheck.trace.records import Records
from agentcheck.trace.texts import text_of

NAME = "pydantic-ai messages"
KNOWN: tuple[FieldGroup, ...] = ("results", "content", "errors")
_KINDS = ("request", "response")
_SAID = {"system-prompt": "system", "user-prompt": "user", "retry-feedback": "user"}
_CALLS = ("tool-call", "builtin-tool-call")
_RESULTS = ("tool-return", "builtin-tool-return")
_SILENT = frozenset(
    {
        "thinking", "file", "speech", "compaction", "instruction", "instruction-delta",
        "instruction-digest", "instruction-baseline", "tool-availability-delta",
        "capability-load-delta", "model-settings-delta", *_CALLS,
    }
)  # fmt: skip


def read_pydantic_ai(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of such histories."""
    return runs_of_lists(records, _is_message, _play)


class PydanticReplay(MessagesReplay):
    """The run that a history tells. The record of an event is its message's index."""

    __slots__ = ("_instructions",)

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, KNOWN)
        self._instructions: Any = None

    def feed(self, index: int, message: dict[str, Any]) -> None:
        """A request or a response."""
        parts = message["parts"]
        if message["kind"] == "response":
            self.tell(index, _reply(message))
        elif message.get("instructions") not in (None, self._instructions):
            self._instructions = message["instructions"]
            said = {"@": "/instructions", "role": "system", "content": text_of(self._instructions)}
            self.tell(index, said)
        for number, part in enumerate(parts):
            self._part(index, f"/parts/{number}", part)

    def answered(self, source: Source, call: ToolCall | None, message: Normal) -> None:
        """A result, which may be that a person denied the call."""
        if message.get("outcome") == "denied":
            self.approval(source, call, "denied")

    def _part(self, index: int, at: str, part: Any) -> None:
        kind = _text(part.get("part_kind")) if isinstance(part, dict) else None
        if kind in _RESULTS:
            self.tell(index, _result(part, at, failed=_failed(part)))
        elif kind == "retry-prompt" and part.get("tool_name"):
            self.tell(index, _result(part, at, failed=True))
        elif kind == "retry-prompt" or kind in _SAID:
            role = _SAID.get(kind or "", "user")
            self.tell(index, {"@": at, "role": role, "content": part.get("content")})
        elif kind != "text" and kind not in _SILENT:
            self.unknown += 1


def _reply(message: dict[str, Any]) -> Normal:
    parts = [p if isinstance(p, dict) else {} for p in message["parts"]]
    texts = [text_of(p.get("content")) for p in parts if p.get("part_kind") == "text"]
    return {
        "@": "",
        "role": "assistant",
        "content": "\n".join(filter(None, texts)),
        "tool_calls": [
            {
                "@": f"/parts/{number}",
                "id": part.get("tool_call_id"),
                "name": part.get("tool_name"),
                "arguments": part.get("args"),
            }
            for number, part in enumerate(parts)
            if part.get("part_kind") in _CALLS
        ],
        "finish_reason": message.get("finish_reason"),
        "usage": message.get("usage"),
        "model": _text(message.get("model_name")),
        "provider": _text(message.get("provider_name")),
        "ts": seconds(message.get("timestamp")),
    }


def _result(part: dict[str, Any], at: str, *, failed: bool) -> Normal:
    return {
        "@": at,
        "role": "tool",
        "tool_call_id": part.get("tool_call_id"),
        "name": part.get("tool_name"),
        "content": _content(part.get("content")),
        "failed": failed,
        "outcome": part.get("outcome"),
    }


def _content(content: Any) -> str:
    """What a tool gave back, or what was wrong with its arguments, which is a list of objects."""
    return text_of(content) or ("" if content is None else encode_text(content))


def _failed(part: dict[str, Any]) -> bool:
    """Whether a result is an error; releases before outcomes returned only what succeeded."""
    return bool(part.get("outcome", "success") != "success")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _text(value.get("kind")) in _KINDS
        and isinstance(value.get("parts"), list)
    )


def _play(file: str, run: int, messages: list[Any]) -> Run:
    replay = PydanticReplay(file, run)
    for index, message in enumerate(messages):
        if _is_message(message):
            replay.feed(index, message)
        else:
            replay.unknown += 1
    replay.close()
    replay.start(replay.source(0))
    return replay.finish(str(run), NAME)


def _fit(value: Any) -> Fit:
    return fit_list(value, _is_message, "a `kind` of request or response with `parts`")


_MARKS = ("kind", "parts", "part_kind", "content", "tool_name")
PYDANTIC_AI = Format(NAME, _fit, read_pydantic_ai, marks=_MARKS)
