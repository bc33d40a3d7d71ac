"""The records of a Codex rollout -> the events of a run."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Approval, Compaction, Guardrail, Run, RunEnd, Source
from agentcheck.trace.readers.codex_usage import Spent
from agentcheck.trace.readers.fields import as_dict, as_text
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.logs import Entry
from agentcheck.trace.replay import Asked, Status
from agentcheck.trace.texts import text_of

CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
SILENT_ITEMS = frozenset(
    """reasoning ghost_snapshot web_search_call tool_search_call tool_search_output item_reference
    image_generation_call compaction compaction_summary context_compaction other""".split()
)
"""Items without a call of the program's own: those that the provider runs have no result here."""
ITEMS = CALLS | RESULTS | SILENT_ITEMS | {"message"}
_REPEATED = frozenset(
    """user_message agent_message agent_message_delta agent_reasoning agent_reasoning_delta
    agent_reasoning_raw_content agent_reasoning_section_break task_started turn_started
    exec_command_begin exec_command_end exec_command_output_delta patch_apply_begin patch_apply_end
    mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end view_image_tool_call
    turn_diff plan_update background_event stream_error warning session_configured undo_started
    undo_completed context_compacted entered_review_mode exited_review_mode item_started
    item_completed raw_response_item shutdown_complete thread_name_updated thread_rolled_back
    dynamic_tool_call_request dynamic_tool_call_response""".split()
)
"""Events that say again what an item says, or nothing that is asked about."""
_ENDS: dict[str, Status] = {
    "task_complete": "completed",
    "turn_complete": "completed",
    "turn_aborted": "interrupted",
    "error": "error",
}


class CodexReplay(LogReplay):
    """One session. Why replies ended and what a person approved is in no record."""

    __slots__ = ("_batch", "_end", "_id", "_model", "_reply", "_spent")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ("results", "content"))
        self._id: str | None = None
        self._model: str | None = None
        self._reply: int | None = None
        self._batch = 0
        self._spent = Spent()
        self._end: tuple[Source, Status, str | None] | None = None

    def play(self, entries: list[Entry]) -> None:
        """Tells the records in order."""
        for number, value, at in entries:
            self.ts = at
            source = self.source(number)
            payload = value.get("payload")
            if isinstance(payload, dict):
                self._record(self.source(number, "/payload"), value.get("type"), payload)
            elif value.get("type") is not None:
                self._item(source, value)
            elif value.get("record_type") != "state":
                self._head(value)

    def close(self, form: str) -> Run:
        """The run, with its end told last."""
        self.ts = None
        if self._end is not None:
            source, status, output = self._end
            self.add(RunEnd, source, status=status, output=output)
        return self.ended(self._id or str(self.run), form)

    def _record(self, source: Source, kind: Any, payload: dict[str, Any]) -> None:
        if kind == "response_item":
            self._item(source, payload)
        elif kind == "event_msg":
            self._event(source, payload)
        elif kind == "session_meta":
            self._head(payload)
        elif kind == "turn_context":
            self._model = as_text(payload.get("model")) or self._model
        elif kind == "compacted":
            self._reply = None
            self.add(Compaction, source)
        else:
            self.unknown += 1

    def _head(self, meta: dict[str, Any]) -> None:
        """A session that continues another has the heads of both; its own is the first."""
        known = as_text(meta.get("id"))
        if known is None:
            self.unknown += 1
        self._id = self._id or known

    def _item(self, source: Source, item: dict[str, Any]) -> None:
        kind = as_text(item.get("type"))
        if kind == "message":
            self._message(source, item)
        elif kind in CALLS:
            self._asked(source)
            self._call(source, str(kind), item)
        elif kind in RESULTS:
            self._result(source, item)
        elif kind == "reasoning":
            self._asked(source)
        elif kind not in SILENT_ITEMS:
            self.unknown += 1

    def _asked(self, source: Source) -> None:
        """The reply that an item of the model belongs to begins, if none has begun."""
        if self._reply is None:
            self._batch = 0
            self._reply = self.reply(source, request_model=self._model)

    def _message(self, source: Source, item: dict[str, Any]) -> None:
        role = as_text(item.get("role")) or "user"
        if role == "assistant":
            self._asked(source)
        else:
            self._reply = None
        self.message(source, role, text_of(item.get("content")))

    def _call(self, source: Source, kind: str, item: dict[str, Any]) -> None:
        name, given = item.get("name"), item.get("arguments")
        if kind == "custom_tool_call":
            given = {"input": item.get("input")}
        elif kind == "local_shell_call":
            name, given = "local_shell", as_dict(item.get("action"))
        if not isinstance(name, str):
            self.unknown += 1
            return
        self.ask(source, Asked(name, given, as_text(item.get("call_id"))), self._batch)
        self._batch += 1

    def _result(self, source: Source, item: dict[str, Any]) -> None:
        self._reply = None
        output = item.get("output")
        failed: bool | None = None
        if isinstance(output, dict) and isinstance(output.get("success"), bool):
            failed = not output["success"]
            self.known.add("errors")
        said = output.get("content") if isinstance(output, dict) else output
        call = self.calls.take(item.get("call_id"))
        self.answer(source, call, text_of(said), is_error=failed)

    def _event(self, source: Source, payload: dict[str, Any]) -> None:
        kind = as_text(payload.get("type"))
        if kind == "token_count":
            self._spend(as_dict(payload.get("info")))
        elif kind in _ENDS:
            said = as_text(payload.get("last_agent_message")) or as_text(payload.get("message"))
            self._end = (source, _ENDS[str(kind)], said)
        elif kind is not None and kind.endswith("_approval_request"):
            call = self.calls.find(payload.get("call_id"))
            key = call.call_key if call else None
            self.add(Approval, source, call_key=key, state="requested")
        elif kind == "guardian_assessment":
            refused = payload.get("status") in ("denied", "rejected")
            self.add(Guardrail, source, name="guardian", triggered=refused)
        elif kind not in _REPEATED:
            self.unknown += 1

    def _spend(self, info: dict[str, Any]) -> None:
        """Adds tokens to what the last reply used."""
        grown, last = self._spent.grown(info), self.last_reply
        if grown and last is not None:
            facts = {name: (getattr(last, name) or 0) + count for name, count in grown.items()}
            self.tell(-1, **facts)
