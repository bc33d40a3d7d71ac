"""Messages in the form that frameworks' messages are translated into -> the events of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from agentcheck.model.event import Approval, FieldGroup, ModelCall, Source, ToolCall
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.readers.chat_message import asked_call
from agentcheck.trace.readers.langchain_message import Normal
from agentcheck.trace.readers.otlp_parts import place_of
from agentcheck.trace.readers.usage import tokens
from agentcheck.trace.replay import OpenCalls, Replay
from agentcheck.trace.texts import text_of

KNOWN: tuple[FieldGroup, ...] = ("results", "content")


class MessagesReplay(Replay):
    """The run that translated messages tell. Results are sought in the last reply, then by id in
    those before, for several agents may speak in turn."""

    __slots__ = ("_before", "_last", "_replied", "_system", "_told")

    def __init__(self, file: str, run: int, known: Iterable[FieldGroup] = KNOWN) -> None:
        super().__init__(file, run, known)
        self._last = OpenCalls()
        self._before: dict[str, ToolCall] = {}
        self._system: str | None = None
        self._told = 0
        self._replied: Normal | None = None

    def tell(self, record: int | str, message: Normal) -> None:
        """The next message; `record` is the number of its record."""
        source = self.source(record, message["@"])
        role = message["role"]
        if role == "assistant":
            self._reply(source, message)
        elif role == "tool":
            self._result(source, message)
        else:
            self._said(source, message)
        self._told += 1

    def waiting(self) -> list[ToolCall]:
        """The calls without a result, of the last reply and of those before."""
        mine = self._last.waiting()
        return [*(c for c in self._before.values() if c not in mine), *mine]

    def approval(
        self,
        source: Source,
        call: ToolCall | None,
        state: Literal["requested", "granted", "denied"],
    ) -> None:
        """A person was asked about a call, or answered."""
        event = Approval(
            seq=len(self.events),
            source=source,
            agent=call.agent if call else self.agent,
            call_key=call.call_key if call else None,
            state=state,
        )
        self.events.append(event)

    def answered(self, source: Source, call: ToolCall | None, message: Normal) -> None:
        """A call gets its result now; what a format knows besides is told here."""

    def close(self, *, waits: bool = False, failed: bool = False) -> None:
        """How the run ended, by its last message: a reply without calls is its output."""
        last = self.events[-1].source
        self.agent = None
        said = text_of(self._replied["content"]) if self._replied else ""
        if waits or failed:
            self.end(last, "interrupted" if waits else "error")
        elif said and self._replied and not self._replied.get("tool_calls"):
            self.end(last, "completed", said)
        else:
            self.end(last, "unknown")

    def _reply(self, source: Source, message: Normal) -> None:
        self._replied = message
        self._name(message)
        if message.get("asked", True):
            self._model_call(source, message)
        self.message(source, "assistant", text_of(message.get("content")))
        calls = message.get("tool_calls")
        if calls:
            self._calls(source, calls)

    def _model_call(self, source: Source, message: Normal) -> None:
        self._last = OpenCalls()
        finish = message.get("finish_reason")
        facts: dict[str, Any] = dict(tokens(message.get("usage")))
        found = {"finish": finish, "usage": facts, "time": message.get("ts")}
        self.known.update(group for group, value in found.items() if value)  # type: ignore[misc]
        self.events.append(
            ModelCall(
                seq=len(self.events),
                source=source,
                ts=message.get("ts"),
                agent=self.agent,
                provider=message.get("provider"),
                response_model=message.get("model"),
                finish_reason=finish_reason(finish),
                finish_raw=finish if isinstance(finish, str) else None,
                context_messages=self._told,
                system_text=self._system,
                **facts,
            )
        )

    def _calls(self, source: Source, calls: Any) -> None:
        for batch, call in enumerate(calls if isinstance(calls, list) else [None]):
            asked = asked_call(call)
            if asked is None:
                self.unknown += 1
                continue
            pointer = place_of(call, f"{source.pointer}/tool_calls/{batch}")
            place = self.source(source.record, pointer)
            key = f"{source.record}{source.pointer}.{batch}:{asked.call_id or ''}"
            made = self.call(place, key, asked, batch)
            self._last.add(made)
            self._before[asked.call_id or key] = made

    def _result(self, source: Source, message: Normal) -> None:
        self._replied = None
        call_id = message.get("tool_call_id")
        call = self._last.answer(call_id, message.get("name"))
        if call is None and isinstance(call_id, str):
            call = self._before.get(call_id)
        if call is not None:
            self._before.pop(call.call_id or call.call_key, None)
        failed = message.get("failed")
        if failed is not None:
            self.known.add("errors")
        self.answered(source, call, message)
        key = call.call_key if call else None
        self.result(source, key, text_of(message.get("content")), is_error=failed)

    def _said(self, source: Source, message: Normal) -> None:
        self._replied = None
        text = text_of(message.get("content"))
        if message["role"] in ("system", "developer"):
            self._system = text
        before, self.agent = self.agent, message.get("name")
        self.message(source, message["role"], text)
        self.agent = before

    def _name(self, message: Normal) -> None:
        if isinstance(message.get("name"), str):
            self.agent = message["name"]
