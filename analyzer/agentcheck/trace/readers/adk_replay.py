"""The events of an ADK session -> the events of a run."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Approval, Compaction, Handoff, Source, ToolCall
from agentcheck.trace.arguments import encode_text
from agentcheck.trace.finish import finish_reason
from agentcheck.trace.readers.fields import as_count, as_dict, as_text, no_objects, numbered
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.logs import Entry
from agentcheck.trace.records import BROKEN, value_of
from agentcheck.trace.replay import Asked

_CONFIRM = "adk_request_confirmation"
_CLIENT = frozenset({_CONFIRM, "adk_request_credential", "adk_request_input"})
"""Calls that the framework makes of the client, and no model."""
_COUNTS = {
    "input_tokens": "prompt_token_count",
    "output_tokens": "candidates_token_count",
    "cache_read": "cached_content_token_count",
}
_SEEN = frozenset(
    """text thought thought_signature inline_data file_data executable_code code_execution_result
    video_metadata media_resolution""".split()
)


def get(value: dict[str, Any], key: str) -> Any:
    """A value by its key in snake case or in camel case."""
    head, *rest = key.split("_")
    found = value.get(key)
    return found if found is not None else value.get(head + "".join(map(str.capitalize, rest)))


class AdkReplay(LogReplay):
    """One session. A fragment of a streamed reply (`partial`) is told again by the whole one.

    Approvals are known where the session asks for any: a call of `adk_request_confirmation` holds
    the call that waits, its answer by the user whether it may be made. A call that was refused
    still gets a result, which is then an error.
    """

    __slots__ = ("_confirms", "_denied", "_held")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ("results", "content", "handoffs"))
        self._confirms: dict[str, str | None] = {}
        self._denied: set[str] = set()
        self._held: set[str] = set()

    def play(self, entries: list[Entry]) -> None:
        """Tells the events in order."""
        for number, event, at in entries:
            self.ts = at
            if event.get("partial") is not True:
                self._event(number, event)

    def _event(self, number: int, event: dict[str, Any]) -> None:
        author = as_text(event.get("author"))
        content, actions = as_dict(event.get("content")), as_dict(event.get("actions"))
        if author is None:
            self.unknown += 1
            return
        self.agent = None if author == "user" else author
        self._held = set(as_dict(get(actions, "requested_tool_confirmations")))
        parts = list(numbered(content.get("parts")))
        self.unknown += no_objects(content.get("parts"))
        self._replied(self.source(number), event, parts)
        for batch, (index, part) in enumerate(parts):
            self._part(self.source(number, f"/content/parts/{index}"), part, batch)
        self._acted(self.source(number, "/actions"), actions)
        self._pending(self.source(number), event)

    def _replied(self, source: Source, event: dict[str, Any], parts: list[Any]) -> None:
        """A reply of the model, which an event of results alone is not."""
        if self.agent is None:
            return
        said = [part for _, part in parts if _by_model(part)]
        finish = get(event, "finish_reason") or get(event, "error_code")
        if not said and finish_reason(finish) in (None, "unknown"):
            return
        usage = as_dict(get(event, "usage_metadata"))
        facts: dict[str, Any] = {k: as_count(get(usage, name)) for k, name in _COUNTS.items()}
        model = as_text(get(event, "model_version"))
        self.reply(source, finish, response_model=model, **facts)

    def _part(self, source: Source, part: dict[str, Any], batch: int) -> None:
        call, response = get(part, "function_call"), get(part, "function_response")
        if isinstance(call, dict):
            self._call(source, call, batch)
        elif isinstance(response, dict):
            self._response(source, response)
        elif isinstance(part.get("text"), str):
            role = "user" if self.agent is None else "assistant"
            self.message(source, role, "" if part.get("thought") is True else part["text"])
        elif not any(get(part, key) is not None for key in _SEEN):
            self.unknown += 1

    def _call(self, source: Source, call: dict[str, Any], batch: int) -> None:
        name, call_id = as_text(call.get("name")), as_text(call.get("id"))
        given = as_dict(call.get("args"))
        if name is None:
            self.unknown += 1
        elif name == _CONFIRM:
            self.known.add("approval")
            original = as_dict(get(given, "original_function_call")).get("id")
            found = self.calls.find(original)
            self._confirms[call_id or ""] = found.call_key if found else None
            self._waits(source, original)
        elif name in _CLIENT:
            self._waits(source, get(given, "function_call_id"))
        else:
            self.ask(source, Asked(name, call.get("args"), call_id), batch)

    def _waits(self, source: Source, call_id: Any) -> None:
        """A call waits for what is outside, and not for the loop."""
        call = self.calls.find(call_id) if isinstance(call_id, str) else None
        if call is not None:
            self.add(Approval, source, call_key=call.call_key, state="requested")

    def _response(self, source: Source, response: dict[str, Any]) -> None:
        """A result; one of a call that is held for a confirmation only says that it is held."""
        given, name = response.get("response"), as_text(response.get("name"))
        call_id = as_text(response.get("id"))
        if name == _CONFIRM:
            self._confirmed(source, str(call_id), _told(given))
        elif name not in _CLIENT and call_id not in self._held:
            call = self.calls.take(call_id, name)
            refused = True if call is not None and call.call_key in self._denied else None
            text = given if isinstance(given, str) else encode_text(given)
            self.answer(source, call, text, is_error=refused)

    def _confirmed(self, source: Source, confirm: str, told: dict[str, Any]) -> None:
        granted, key = told.get("confirmed"), self._confirms.get(confirm)
        if isinstance(granted, bool):
            state = "granted" if granted else "denied"
            self.add(Approval, source, call_key=key, state=state, by=self.agent or "user")
            if not granted and key is not None:
                self._denied.add(key)

    def _acted(self, source: Source, actions: dict[str, Any]) -> None:
        to = as_text(get(actions, "transfer_to_agent"))
        if to is not None:
            call = self._transfer(to)
            key, batch = (call.call_key, call.batch) if call else (None, 0)
            self.add(Handoff, source, from_agent=self.agent, to_agent=to, call_key=key, batch=batch)
        if isinstance(actions.get("compaction"), dict):
            self.add(Compaction, source)

    def _transfer(self, to: str) -> ToolCall | None:
        """The call that asked for a handoff: the last one which names the agent."""
        found = (event for event in reversed(self.events) if isinstance(event, ToolCall))
        return next((call for call in found if to in as_dict(call.arguments).values()), None)

    def _pending(self, source: Source, event: dict[str, Any]) -> None:
        """Calls that run on after the reply."""
        waiting = get(event, "long_running_tool_ids")
        for call_id in waiting if isinstance(waiting, list) else ():
            self._waits(source, call_id)


def _by_model(part: dict[str, Any]) -> bool:
    """Whether a part is a model's: no result, and no call that the framework makes."""
    call = as_dict(get(part, "function_call"))
    return get(part, "function_response") is None and as_text(call.get("name")) not in _CLIENT


def _told(given: Any) -> dict[str, Any]:
    """What a client answered, which may be wrapped as text under `response`."""
    told = as_dict(given)
    if list(told) == ["response"] and isinstance(told["response"], str):
        try:
            return as_dict(value_of(told["response"]))
        except BROKEN:
            return {}
    return told
