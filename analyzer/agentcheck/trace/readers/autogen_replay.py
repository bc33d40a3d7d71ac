"""Messages and events of AutoGen -> the events of a run.

A message tells of a request to a model where it has `models_usage`, or asks for calls; what else
an agent says (a summary of results, a person's words) does not. Of several handoffs in one reply
AgentChat carries out the first alone.
"""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import FieldGroup, Run, Source, ToolCall
from agentcheck.trace.readers.agents_sdk_spans import seconds
from agentcheck.trace.readers.langchain_message import Normal
from agentcheck.trace.readers.messages_replay import MessagesReplay
from agentcheck.trace.texts import text_of

KNOWN: tuple[FieldGroup, ...] = ("results", "content", "errors", "handoffs")
_SAID = frozenset(
    {
        "TextMessage", "MultiModalMessage", "StopMessage", "StructuredMessage", "ThoughtEvent",
        "UserMessage", "SystemMessage",
    }
)  # fmt: skip
_ASKED = frozenset({"ToolCallRequestEvent", "AssistantMessage", "ToolCallMessage"})
_ANSWERED = frozenset(
    {"ToolCallExecutionEvent", "FunctionExecutionResultMessage", "ToolCallResultMessage"}
)
_SILENT = frozenset(
    {
        "ToolCallSummaryMessage", "UserInputRequestedEvent", "MemoryQueryEvent",
        "ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent",
    }
)  # fmt: skip
TYPES = frozenset(
    {*_SAID, *_ASKED, *_ANSWERED, *_SILENT, "HandoffMessage", "CodeGenerationEvent",
     "CodeExecutionEvent"}
)  # fmt: skip
_PEOPLE = frozenset({"user", "human", "user_proxy", "userproxy"})
_TRANSFER = "transfer_to_"
_LIMIT = "maximum number of"


class AutoGenReplay(MessagesReplay):
    """The run that messages tell. The record of an event is its message's number."""

    __slots__ = ("_batch", "_handed", "_ids", "logged", "messages")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, KNOWN)
        self.messages = 0
        self.logged = 0
        self._ids: set[str] = set()
        self._handed: list[tuple[str, ToolCall]] = []
        self._batch: list[ToolCall] = []

    def feed(self, record: int, message: dict[str, Any], at: str = "") -> None:
        """The next message, unless it was told before; logs repeat them."""
        found = message.get("id")
        if isinstance(found, str):
            if found in self._ids:
                return
            self._ids.add(found)
        self.messages += 1
        kind = str(message["type"]).partition("[")[0]
        if kind in _ASKED:
            self._asks(record, message, at)
        elif kind in _ANSWERED:
            self._answers(record, message, at)
        elif kind == "HandoffMessage":
            self._hands_over(self.source(record, at), message)
        elif kind in _SAID:
            self._says(record, message, at, kind)
        elif kind not in _SILENT:
            self.unknown += 1

    def answered(
        self,
        source: Source,  # noqa: ARG002
        call: ToolCall | None,
        message: Normal,
    ) -> None:
        """A result, which a handoff may repeat word for word."""
        if call is not None:
            self._handed.append((text_of(message["content"]), call))

    def whole(self, form: str, stopped: Any = None) -> Run:
        """The run, at its end; `stopped` is why the team stopped."""
        self.unknown += self.logged if not self.messages else 0
        if isinstance(stopped, str) and stopped.lower().startswith(_LIMIT):
            self.end(self.events[-1].source, "max_turns")
        else:
            self.close()
        self.start(self.source(0))
        return self.finish(str(self.run), form)

    def _asks(self, record: int, message: dict[str, Any], at: str) -> None:
        content = message.get("content")
        calls = content if isinstance(content, list) else []
        said = message.get("thought") if calls else content
        before = len(self.events)
        self.tell(record, _reply(message, at, text_of(said), calls))
        self._batch = [e for e in self.events[before:] if isinstance(e, ToolCall)]
        self._handed = []

    def _answers(self, record: int, message: dict[str, Any], at: str) -> None:
        content = message.get("content")
        for number, result in enumerate(content if isinstance(content, list) else []):
            if not isinstance(result, dict):
                self.unknown += 1
                continue
            answer: Normal = {
                "@": f"{at}/content/{number}",
                "role": "tool",
                "tool_call_id": result.get("call_id"),
                "name": result.get("name"),
                "content": result.get("content"),
            }
            if isinstance(result.get("is_error"), bool):
                answer["failed"] = result["is_error"]
            self.tell(record, answer)

    def _says(self, record: int, message: dict[str, Any], at: str, kind: str) -> None:
        source = message.get("source")
        person = isinstance(source, str) and source.lower() in _PEOPLE
        if kind == "SystemMessage" or person or (kind == "UserMessage" and source is None):
            role = "system" if kind == "SystemMessage" else "user"
            content = message.get("content")
            self.tell(record, {"@": at, "role": role, "content": content})
            return
        asked = message.get("models_usage") is not None and kind != "ThoughtEvent"
        reply = _reply(message, at, text_of(message.get("content")), [])
        self.tell(record, reply | {"asked": asked})

    def _hands_over(self, source: Source, message: dict[str, Any]) -> None:
        target = message.get("target")
        if not isinstance(target, str):
            self.unknown += 1
            return
        text = text_of(message.get("content"))
        call = next((c for said, c in self._handed if said == text), None)
        self.agent = message["source"] if isinstance(message.get("source"), str) else self.agent
        self.handoff(source, target, call, accepted=True)
        for other in self._batch if call else []:
            if other is not call and other.name.startswith(_TRANSFER):
                self.handoff(source, other.name[len(_TRANSFER) :], other, accepted=False)
        self._batch = []


def _reply(message: dict[str, Any], at: str, text: str, calls: list[Any]) -> Normal:
    return {
        "@": at,
        "role": "assistant",
        "name": message.get("source"),
        "content": text,
        "tool_calls": [
            call | {"@": f"{at}/content/{number}"} if isinstance(call, dict) else call
            for number, call in enumerate(calls)
        ],
        "usage": message.get("models_usage"),
        "ts": seconds(message.get("created_at")),
    }
