"""The messages of mini-swe-agent -> the events of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Source, ToolCall
from agentcheck.model.pattern import lazy_re
from agentcheck.trace.readers.chat_message import asked_call
from agentcheck.trace.readers.chat_stored import usage_facts
from agentcheck.trace.readers.fields import (
    as_amount,
    as_dict,
    as_list,
    as_text,
    no_objects,
    numbered,
    when,
)
from agentcheck.trace.readers.items import calls_in, texts_in
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of

_FENCED = lazy_re(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)


class MiniReplay(LogReplay):
    """One run. `exited` is what the message with the role "exit" says of the end."""

    __slots__ = ("_said", "exited", "messages")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ("results", "content"))
        self.exited: dict[str, Any] = {}
        self.messages = 0
        self._said: list[ToolCall] = []

    def feed(self, message: Any) -> None:
        """The next message; what is none is counted as unknown."""
        source = self.source(self.messages)
        self.messages += 1
        if not isinstance(message, dict):
            self.unknown += 1
            return
        extra = as_dict(message.get("extra"))
        self.ts = when(extra.get("timestamp"))
        role = message.get("role")
        if role == "assistant" or message.get("object") == "response":
            self._reply(source, message, extra)
        elif role == "tool" or message.get("type") == "function_call_output":
            self._observed(source, message, extra)
        elif role == "exit":
            self._exit(source, message, extra)
        elif isinstance(role, str):
            self._other(source, role, message, extra)
        else:
            self.unknown += 1

    def _exit(self, source: Source, message: dict[str, Any], extra: dict[str, Any]) -> None:
        """The end, which is also what came of the command that submitted."""
        self.exited = extra
        call = self.calls.take(None, "bash")
        if call is not None and extra.get("exit_status") == "Submitted":
            self.answer(source, call, text_of(message.get("content")))

    def _reply(self, source: Source, message: dict[str, Any], extra: dict[str, Any]) -> None:
        response = as_dict(extra.get("response")) or message
        choice = as_dict(next(iter(as_list(response.get("choices"))), None))
        facts = usage_facts(as_dict(response.get("usage")))
        self.reply(
            source,
            choice.get("finish_reason"),
            response_model=as_text(response.get("model")),
            cost=as_amount(extra.get("cost")),
            **facts,
        )
        output = message.get("output")
        self.message(source, "assistant", text_of(message.get("content")) or texts_in(output))
        calls = [*self._asked(message, extra)]
        self._said = []
        for batch, (pointer, asked) in enumerate(calls):
            call = self.ask(self.source(source.record, pointer), asked, batch)
            self._said += [call] if asked.call_id is None else []

    def _asked(self, message: dict[str, Any], extra: dict[str, Any]) -> Iterator[tuple[str, Asked]]:
        """The calls of a reply: of its tools, else its actions, else the block in its text."""
        self.unknown += no_objects(message.get("tool_calls") or extra.get("actions"))
        if message.get("tool_calls"):
            for index, call in numbered(message["tool_calls"]):
                asked = asked_call(call)
                if asked is not None:
                    yield f"/tool_calls/{index}", asked
                else:
                    self.unknown += 1
        elif isinstance(message.get("output"), list):
            for pointer, asked in calls_in(message["output"]):
                yield f"/output{pointer}", asked
        elif isinstance(extra.get("actions"), list):
            for index, action in numbered(extra["actions"]):
                given = {"command": action.get("command")}
                call_id = as_text(action.get("tool_call_id"))
                yield f"/extra/actions/{index}", Asked("bash", given, call_id)
        else:
            found = _FENCED.findall(text_of(message.get("content")))
            if len(found) == 1:  # with more or none the program refuses the reply
                yield "/content", Asked("bash", {"command": found[0].strip()}, None)

    def _other(
        self, source: Source, role: str, message: dict[str, Any], extra: dict[str, Any]
    ) -> None:
        """What a person or the program says; the message after a command that was parsed out of a
        text is what came of it."""
        if role == "user" and self._said and "interrupt_type" not in extra:
            self._result(source, self._said.pop(0), message, extra)
        else:
            self.message(source, role, text_of(message.get("content")))

    def _observed(self, source: Source, message: dict[str, Any], extra: dict[str, Any]) -> None:
        call_id = message.get("tool_call_id") or message.get("call_id")
        self._result(source, self.calls.take(call_id, "bash"), message, extra)

    def _result(
        self,
        source: Source,
        call: ToolCall | None,
        message: dict[str, Any],
        extra: dict[str, Any],
    ) -> None:
        failed = None
        if "exception_info" in extra:
            self.known.add("errors")
            failed = bool(extra["exception_info"])
        said = message.get("content") if "content" in message else message.get("output")
        self.answer(source, call, text_of(said), is_error=failed)
