"""Chat messages, one after the other -> the events of a run."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from agentcheck.model.event import FieldGroup, Message, ModelCall, Source
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.readers.chat_message import ROLES, ChatMessage, asked_call
from agentcheck.trace.records import BROKEN, value_of
from agentcheck.trace.replay import Asked, OpenCalls, Replay
from agentcheck.trace.texts import text_of

KNOWN: tuple[FieldGroup, ...] = ("results", "content")
LONGEST_HANDOFF = 400
"""Characters that the result of a handoff takes at most."""
_SILENT_ITEMS = frozenset({"reasoning", "item_reference", "compaction"})


class ChatReplay(Replay):
    """The run that a list of messages tells. The record of an event is its message's index."""

    __slots__ = ("_calls", "_system", "_turn", "facts", "messages")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, KNOWN)
        self.messages = 0
        self._calls = OpenCalls()
        self._system: str | None = None
        self._turn = False
        self.facts: dict[str, Any] = {}

    def feed(self, message: ChatMessage | None) -> None:
        """The next message; what is none is counted as unknown."""
        source = self.source(self.messages)
        self.messages += 1
        if message is None:
            self.unknown += 1
            return
        role = message.role
        if role == "assistant":
            self._assistant(source, message)
        elif role == "tool" or role == "function":
            self._result(source, message)
        elif isinstance(role, str):
            self._said(source, message, role)
        elif not self._item(source, message):
            self.unknown += 1

    def reply(self, source: Source, finish: Any = None) -> None:
        """The model was asked and answered; the calls of the last reply wait no longer.

        `facts` are further fields of the model call, where the record has them.
        """
        self._calls = OpenCalls()
        self._turn = True
        self.events.append(
            ModelCall(
                seq=len(self.events),
                source=source,
                agent=self.agent,
                finish_reason=finish_reason(finish),
                finish_raw=finish if isinstance(finish, str) else None,
                context_messages=self.messages - 1,
                system_text=self._system,
                **self.facts,
            )
        )

    def _assistant(self, source: Source, message: ChatMessage) -> None:
        if isinstance(message.sender, str):
            self.agent = message.sender
            self.known.add("handoffs")
        elif isinstance(message.name, str):
            self.agent = message.name
        finish = message.finish_reason
        if finish is not UNSET:
            self.known.add("finish")
        if message.type is None or not self._turn:
            self.reply(source, None if finish is UNSET else finish)
        self.message(source, "assistant", text_of(message.content))
        self._asked(source, message)

    def _asked(self, source: Source, message: ChatMessage) -> None:
        if message.tool_calls:
            self._each_call(source, "/tool_calls", message.tool_calls)
        if message.function_call:
            self._call(source, "/function_call", asked_call(message.function_call), 0)
        if isinstance(message.content, list):
            self._each_call(source, "/content", message.content, "tool_use")

    def _each_call(self, source: Source, pointer: str, calls: Any, only: str | None = None) -> None:
        if not isinstance(calls, list):
            self.unknown += 1
            return
        self.unknown += _strangers(calls) if only is not None else 0
        batch = 0
        for index, call in enumerate(calls):
            if only is None or (isinstance(call, dict) and call.get("type") == only):
                self._call(source, f"{pointer}/{index}", asked_call(call), batch)
                batch += 1

    def _call(self, source: Source, pointer: str, asked: Asked | None, batch: int) -> None:
        if asked is None:
            self.unknown += 1
            return
        key = f"{source.record}.{batch}:{asked.call_id or ''}"
        place = self.source(source.record, pointer)
        self._calls.add(self.call(place, key, asked, batch))

    def _result(self, source: Source, message: ChatMessage) -> None:
        call_id = message.tool_call_id
        if call_id is None and isinstance(message.tool_call_ids, list):
            call_id = next(iter(message.tool_call_ids), None)
        self._answer(source, call_id, message.name, message.content, failed=self._failed(message))

    def _failed(self, message: ChatMessage) -> bool | None:
        """Whether a result is an error, where the message has a field for it."""
        for field in (message.is_error, message.error):
            if field is not UNSET:
                self.known.add("errors")
                return bool(field)
        return True if message.status == "error" else None

    def _answer(
        self, source: Source, call_id: Any, name: Any, content: Any, *, failed: bool | None = None
    ) -> None:
        self._turn = False
        text = text_of(content)
        call = self._calls.answer(call_id, name)
        self.result(source, call.call_key if call else None, text, is_error=failed)
        target = handoff_target(text)
        if target is not None:
            self.known.add("handoffs")
            self.handoff(source, target, call)

    def _said(self, source: Source, message: ChatMessage, role: str) -> None:
        self._turn = False
        if role not in ROLES:
            self.unknown += 1
        if isinstance(message.tool, dict):
            self._early_call(source, message.tool)
        text = text_of(message.content)
        if role == "system" or role == "developer":
            self._system = text
        if isinstance(message.content, list):
            self._results_in_parts(source, message.content)
        if text:
            speaker = message.name if isinstance(message.name, str) else None
            self.events.append(
                Message(seq=len(self.events), source=source, role=role, text=text, agent=speaker)
            )

    def _results_in_parts(self, source: Source, parts: list[Any]) -> None:
        """Anthropic's messages carry results as parts of what the user says."""
        self.unknown += _strangers(parts)
        for index, part in enumerate(parts):
            if isinstance(part, dict) and part.get("type") == "tool_result":
                self.known.add("errors")
                failed = part.get("is_error") is True
                place = self.source(source.record, f"/content/{index}")
                self._answer(
                    place, part.get("tool_use_id"), None, part.get("content"), failed=failed
                )

    def _early_call(self, source: Source, tool: dict[str, Any]) -> None:
        """`{"tool": name, "args": {..}}`: a call of which no result is ever written."""
        self.known.discard("results")
        name = tool.get("tool")
        asked = Asked(name, tool.get("args"), None) if isinstance(name, str) else None
        self._call(source, "/tool", asked, 0)

    def _item(self, source: Source, message: ChatMessage) -> bool:
        """An item of the Responses API, which has a type and no role; False for anything else."""
        if message.type == "function_call":
            if not self._turn:
                self.reply(source)
            self._call(source, "", _asked_item(message), len(self._calls))
        elif message.type == "function_call_output":
            self._answer(source, message.call_id, None, message.output)
        else:
            return isinstance(message.type, str) and message.type in _SILENT_ITEMS
        return True


def _strangers(parts: list[Any]) -> int:
    """How many parts of a message are neither objects nor texts."""
    return sum(not isinstance(part, dict | str) for part in parts)


def _asked_item(item: ChatMessage) -> Asked | None:
    if not isinstance(item.name, str):
        return None
    call_id = item.call_id if isinstance(item.call_id, str) else None
    return Asked(item.name, item.arguments, call_id)


def handoff_target(text: str) -> str | None:
    """The agent's name in `{"assistant": name}`, which is how a handoff tool answers.

    openai/swarm and the OpenAI Agents SDK both write that and nothing else.
    """
    if len(text) > LONGEST_HANDOFF or '"assistant"' not in text:
        return None
    try:
        value = value_of(text)
    except BROKEN:
        return None
    name = value.get("assistant") if isinstance(value, dict) and len(value) == 1 else None
    return name if isinstance(name, str) else None
