"""The events of one CrewAI kickoff -> the events of a run."""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Compaction, Guardrail, RunEnd, Source, ToolCall
from agentcheck.trace.arguments import canonical
from agentcheck.trace.readers.chat_stored import usage_facts
from agentcheck.trace.readers.fields import as_dict, as_text, numbered
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.logs import Entry
from agentcheck.trace.replay import Asked
from agentcheck.trace.texts import text_of

_FAILURES = frozenset(
    """tool_usage_error tool_execution_error tool_validate_input_error
    tool_selection_error""".split()
)
_STARTS = frozenset({"agent_execution_started", "lite_agent_execution_started"})
_GIVES_UP = frozenset(
    """agent_execution_error lite_agent_execution_error task_failed
    crew_kickoff_failed""".split()
)
TOLD = (
    frozenset(
        """crew_kickoff_started crew_kickoff_completed tool_usage_started tool_usage_finished
        llm_call_completed llm_call_failed llm_guardrail_completed
        context_window_summarization_completed""".split()
    )
    | _FAILURES
    | _STARTS
    | _GIVES_UP
)
_SILENT = frozenset(
    """llm_call_started llm_stream_chunk llm_thinking_chunk llm_guardrail_started
    agent_execution_completed lite_agent_execution_completed tool_failure_detected
    task_started task_completed task_evaluation hook_dispatched goal_achieved_early
    context_window_summarization_started context_window_summarization_failed
    human_feedback_requested human_feedback_received""".split()
)
_SILENT_FAMILIES = (
    """agent_evaluation_ agent_logs_ agent_reasoning_ a2a_ checkpoint_ conversation_ crew_test_
    crew_train_ flow_ knowledge_ mcp_ memory_ method_execution_ plan_ skill_ step_observation_"""
).split()


def is_silent(kind: str) -> bool:
    """Whether events of a type hold neither replies nor calls nor results of their own."""
    return kind in _SILENT or kind.startswith(tuple(_SILENT_FAMILIES))


class CrewReplay(LogReplay):
    """One kickoff. A coworker that is asked through a tool answers it, which is no handoff."""

    __slots__ = ("_begun", "_open")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ("results", "content", "errors"))
        self._begun: dict[str, ToolCall] = {}
        self._open: list[ToolCall] = []

    def play(self, entries: list[Entry]) -> None:
        """Tells the events in order."""
        self.start(self.source(entries[0].number if entries else 0), _crew(entries))
        for number, value, at in entries:
            self.ts = at
            role = value.get("agent_role") or as_dict(value.get("agent")).get("role")
            self.agent = as_text(role)
            self._event(self.source(number), str(value.get("type")), value)

    def _event(self, source: Source, kind: str, value: dict[str, Any]) -> None:
        if kind in ("llm_call_completed", "llm_call_failed"):
            self._replied(source, kind, value)
        elif kind == "tool_usage_started":
            self._called(source, value)
        elif kind == "tool_usage_finished":
            failed = value.get("failure") is not None
            self._returned(self.source(source.record, "/output"), value, "output", failed=failed)
        elif kind in _FAILURES:
            self._returned(self.source(source.record, "/error"), value, "error", failed=True)
        elif kind in _STARTS:
            said = text_of(value.get("task_prompt") or value.get("messages"))
            self.message(source, "user", said)
        else:
            self._other(source, kind, value)

    def _other(self, source: Source, kind: str, value: dict[str, Any]) -> None:
        if kind == "llm_guardrail_completed":
            name = as_text(value.get("guardrail_name")) or "guardrail"
            self.add(Guardrail, source, name=name, triggered=value.get("success") is False)
        elif kind == "context_window_summarization_completed":
            self.add(Compaction, source)
        elif kind == "crew_kickoff_completed":
            output = text_of(as_dict(value.get("output")).get("raw") or value.get("output"))
            self.add(RunEnd, source, status="completed", output=output or None)
        elif kind in _GIVES_UP:
            self.add(RunEnd, source, status="error", output=as_text(value.get("error")))
        elif kind != "crew_kickoff_started" and not is_silent(kind):
            self.unknown += 1

    def _replied(self, source: Source, kind: str, value: dict[str, Any]) -> None:
        """A reply; the tools it asks for have events of their own."""
        finish = "error" if kind == "llm_call_failed" else value.get("finish_reason")
        facts = usage_facts(as_dict(value.get("usage")))
        self.reply(source, finish, request_model=as_text(value.get("model")), **facts)
        response = value.get("response")
        if isinstance(response, str):
            self.message(self.source(source.record, "/response"), "assistant", response)
        elif isinstance(response, list):
            said = [text_of(item.get("content")) for _, item in numbered(response)]
            self.message(source, "assistant", "\n".join(filter(None, said)))

    def _called(self, source: Source, value: dict[str, Any]) -> ToolCall | None:
        name = as_text(value.get("tool_name"))
        if name is None:
            self.unknown += 1
            return None
        call = self.ask(source, Asked(name, value.get("tool_args"), None))
        self._open.append(call)
        known = as_text(value.get("event_id"))
        if known is not None:
            self._begun[known] = call
        return call

    def _returned(self, source: Source, value: dict[str, Any], key: str, *, failed: bool) -> None:
        """A result; where the call has no event of its own, this one tells it."""
        call = self._call_of(value)
        if call is None:
            call = self._called(self.source(source.record), value)
        if call is not None:
            if call in self._open:
                self._open.remove(call)
            self.answer(source, call, text_of(value.get(key)), is_error=failed)

    def _call_of(self, value: dict[str, Any]) -> ToolCall | None:
        """The call by the event that began it, else the one that waits with these arguments."""
        begun = self._begun.get(as_text(value.get("started_event_id")) or "")
        if begun is not None:
            return begun
        name, given = value.get("tool_name"), value.get("tool_args")
        named = [call for call in self._open if call.name == name]
        same = (call for call in named if canonical(call.arguments) == canonical(given))
        return next(same, None) or next(iter(named), None)


def _crew(entries: list[Entry]) -> str | None:
    names = (as_text(value.get("crew_name")) for _, value, _ in entries)
    return next(filter(None, names), None)
