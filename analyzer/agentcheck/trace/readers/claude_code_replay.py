"""The records of one session of Claude Code -> the events of a run."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Approval, Compaction, RunEnd, Source
from agentcheck.trace.readers.chat_stored import usage_facts
from agentcheck.trace.readers.claude_code_types import SILENT, ending
from agentcheck.trace.readers.fields import as_count, as_dict, as_text, first, no_objects, numbered
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.logs import Entry
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of

_LABELS = ("num_turns", "total_cost_usd", "duration_ms", "subtype", "terminal_reason")
_SAID = frozenset({"text", "thinking", "redacted_thinking", "image", "document"})
_SERVED = frozenset({"server_tool_use", "mcp_tool_use"})


class ClaudeReplay(LogReplay):
    """One session or one sub-agent.

    A reply of the API may be split over several records with one `message.id`: it is one model
    call, whose usage and stop reason are those of the last of them. Approvals that were granted
    leave no record, so the field group "approval" is not known.
    """

    __slots__ = ("_batch", "_by_id")

    def __init__(self, file: str, run: int, *, sub_agent: bool) -> None:
        super().__init__(file, run, ("results", "content", "errors"))
        self._by_id: dict[str, int] = {}
        self._batch: dict[int, int] = {}
        self.start(self.source(0), "sub-agent" if sub_agent else None)

    def play(self, entries: list[Entry]) -> None:
        """Tells the records in order."""
        if entries:
            self.start(self.source(entries[0].number), self._workflow())
        for number, value, at in entries:
            self.ts = at
            self._record(self.source(number), value)

    def _workflow(self) -> str | None:
        return getattr(self.events[0], "workflow", None)

    def _record(self, source: Source, value: dict[str, Any]) -> None:
        kind = value.get("type")
        if kind == "assistant" and isinstance(value.get("message"), dict):
            self._assistant(source, value["message"])
        elif kind == "user" and isinstance(value.get("message"), dict):
            self._user(source, value, value["message"].get("content"))
        elif kind == "system":
            self._system(source, value)
        elif kind == "result":
            self._result(source, value)
        elif not isinstance(kind, str) or kind not in SILENT:
            self.unknown += 1

    def _assistant(self, source: Source, message: dict[str, Any]) -> None:
        content = message.get("content")
        if message.get("model") == "<synthetic>":  # written by the program, not by a model
            self.message(source, "assistant", text_of(content))
            return
        reply = self._reply(source, message)
        if isinstance(content, str):
            self.message(source, "assistant", content)
        elif not isinstance(content, list):
            self.unknown += 1
        self.unknown += no_objects(content)
        for index, part in numbered(content):
            self._said(self.source(source.record, f"/message/content/{index}"), reply, part)

    def _reply(self, source: Source, message: dict[str, Any]) -> int:
        facts = usage_facts(as_dict(message.get("usage")))
        known, finish = as_text(message.get("id")), message.get("stop_reason")
        reply = self._by_id.get(known) if known else None
        if reply is None:
            model = as_text(message.get("model"))
            reply = self.reply(source, finish, response_model=model, **facts)
        else:
            self.tell_end(reply, finish, **facts)
        if known:
            self._by_id[known] = reply
        return reply

    def _said(self, source: Source, reply: int, part: dict[str, Any]) -> None:
        kind = as_text(part.get("type"))
        if kind == "text":
            self.message(source, "assistant", text_of(part.get("text")))
        elif kind == "tool_use" and isinstance(part.get("name"), str):
            batch = self._batch.get(reply, 0)
            self._batch[reply] = batch + 1
            self.ask(source, Asked(part["name"], part.get("input"), as_text(part.get("id"))), batch)
        elif kind is not None and kind.endswith("tool_result"):
            self._answered(source, part)
        elif kind in _SERVED and isinstance(part.get("name"), str):
            self.ask(source, Asked(part["name"], part.get("input"), as_text(part.get("id"))))
        elif kind not in _SAID:
            self.unknown += 1

    def _user(self, source: Source, value: dict[str, Any], content: Any) -> None:
        """What the user says, results of calls, and what the program says in the user's place."""
        put_in = value.get("isMeta") or value.get("isCompactSummary") or value.get("isSynthetic")
        for index, part in numbered(content):
            if part.get("type") == "tool_result":
                self._answered(self.source(source.record, f"/message/content/{index}"), part)
        if not isinstance(content, str | list):
            self.unknown += 1
            return
        self.unknown += no_objects(content)
        self.message(source, "system" if put_in else "user", text_of(content))

    def _answered(self, source: Source, part: dict[str, Any]) -> None:
        call = self.calls.take(part.get("tool_use_id"))
        failed = part.get("is_error") is True
        self.answer(source, call, text_of(part.get("content")), is_error=failed)

    def _system(self, source: Source, value: dict[str, Any]) -> None:
        if value.get("subtype") == "compact_boundary":
            told = as_dict(first(value, "compactMetadata", "compact_metadata"))
            before = as_count(first(told, "preTokens", "pre_tokens"))
            after = as_count(first(told, "postTokens", "post_tokens"))
            self.add(Compaction, source, before_tokens=before, after_tokens=after)

    def _result(self, source: Source, value: dict[str, Any]) -> None:
        for index, denial in numbered(value.get("permission_denials")):
            call = self.calls.find(denial.get("tool_use_id"), denial.get("tool_name"))
            place = self.source(source.record, f"/permission_denials/{index}")
            key = call.call_key if call else None
            self.add(Approval, place, call_key=key, state="denied")
        labels = {name: value[name] for name in _LABELS if value.get(name) is not None}
        output = as_text(value.get("result"))
        self.add(RunEnd, source, status=ending(value), output=output, labels=labels)
