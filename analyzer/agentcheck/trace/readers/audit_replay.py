"""The events of a hook bus -> the events of a run."""

from __future__ import annotations

from typing import Any, Literal

from agentcheck.model.event import Approval, Guardrail, RunEnd, RunStart, Source, ToolCall
from agentcheck.trace.readers.fields import as_amount, as_dict, as_text
from agentcheck.trace.readers.log_replay import LogReplay
from agentcheck.trace.readers.logs import Entry
from agentcheck.trace.replay import Asked, Status

EVENTS = frozenset(
    """pre_tool_call post_tool_call pre_agent_spawn post_agent_call pre_agent_call swarm_start
    swarm_complete security_block injection_detected hook_error""".split()
)
_SILENT = frozenset({"pre_agent_spawn", "pre_agent_call"})
_GOOD = frozenset({"ok", "success", "succeeded", "completed", "complete", "done", "allowed"})
_BAD = ("error", "fail", "exception", "timeout")
_GRANTED = ("grant", "approved", "allow", "accept")
_DENIED = ("den", "reject", "refus", "timeout", "timed_out", "expired", "block")
State = Literal["requested", "granted", "denied"]


def is_approval(event: str) -> bool:
    """Whether an event's name is that of an approval."""
    said = event.lower()
    return "approv" in said or "hitl" in said or "human_review" in said


class AuditReplay(LogReplay):
    """One run. What is known of it depends on which hooks wrote to the log."""

    __slots__ = ("_asked", "_waiting")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, ())
        self._waiting: dict[tuple[str | None, str], list[ToolCall]] = {}
        self._asked: dict[str, list[tuple[Source, State]]] = {}

    def play(self, entries: list[Entry]) -> None:
        """Tells the events in order."""
        for number, entry, at in entries:
            value = entry | as_dict(entry.get("data"))
            self.ts = at
            self.agent = as_text(value.get("agent_id"))
            self._event(self.source(number), str(entry.get("event")), value)

    def _event(self, source: Source, event: str, value: dict[str, Any]) -> None:
        if event == "pre_tool_call":
            self._called(source, value)
        elif event == "post_tool_call":
            self._returned(source, value)
        elif event == "post_agent_call":
            self.reply(source, cost=as_amount(value.get("cost_usd")), duration=_duration(value))
        elif event in ("swarm_start", "swarm_complete"):
            self._bound(source, event, value)
        elif event in ("injection_detected", "security_block", "hook_error"):
            self._guarded(source, event, value)
        elif is_approval(event):
            self._approved(source, event, value)
        elif event not in _SILENT:
            self.unknown += 1

    def _called(self, source: Source, value: dict[str, Any]) -> None:
        name = as_text(value.get("tool_name"))
        if name is None:
            self.unknown += 1
            return
        call = self.ask(source, Asked(name, None, None))
        self._waiting.setdefault((self.agent, name), []).append(call)
        for place, state in self._asked.pop(name, ()):
            self.add(Approval, place, call_key=call.call_key, state=state)

    def _returned(self, source: Source, value: dict[str, Any]) -> None:
        self.known.add("results")
        call = self._take(value, done=True)
        failed = None
        status = as_text(value.get("status"))
        if status is not None:
            self.known.add("errors")
            failed = status.lower() not in _GOOD and any(w in status.lower() for w in _BAD)
        self.answer(source, call, "", is_error=failed, duration=_duration(value))

    def _take(self, value: dict[str, Any], *, done: bool) -> ToolCall | None:
        """The first call of a tool by an agent that waits."""
        row = self._waiting.get((self.agent, as_text(value.get("tool_name")) or ""), [])
        return (row.pop(0) if done else row[0]) if row else None

    def _bound(self, source: Source, event: str, value: dict[str, Any]) -> None:
        if event == "swarm_start":
            if len(self.events) == 1:
                self.events[0] = RunStart(seq=0, source=source, ts=self.ts)
            return
        status = (as_text(value.get("status")) or "completed").lower()
        labels = {} if value.get("cost_usd") is None else {"cost": value["cost_usd"]}
        self.add(RunEnd, source, status=_ended(status), labels=labels)

    def _guarded(self, source: Source, event: str, value: dict[str, Any]) -> None:
        """A guard that spoke up, or a hook that crashed, which is no verdict of it.

        A block is a refusal of the call that waits: it is not carried out.
        """
        self.add(Guardrail, source, name=event, triggered=event != "hook_error")
        call = self._take(value, done=True) if event == "security_block" else None
        if call is not None:
            self.add(Approval, source, call_key=call.call_key, state="denied", by="policy")

    def _approved(self, source: Source, event: str, value: dict[str, Any]) -> None:
        """An approval of the call that waits, or of the next one of its tool."""
        self.known.add("approval")
        state = _state(event, as_text(value.get("status")) or "")
        call = self._take(value, done=state == "denied")
        name = as_text(value.get("tool_name"))
        if call is not None or name is None:
            key = call.call_key if call else None
            self.add(Approval, source, call_key=key, state=state)
        else:
            self._asked.setdefault(name, []).append((source, state))


def _state(event: str, status: str) -> State:
    for said in (status.lower(), event.lower()):
        if any(word in said for word in _DENIED) or "not_approved" in said:
            return "denied"
        if any(word in said for word in _GRANTED):
            return "granted"
    return "requested"


def _ended(status: str) -> Status:
    if status in _GOOD:
        return "completed"
    if any(word in status for word in _BAD):
        return "error"
    return "max_turns" if "max_turns" in status else "unknown"


def _duration(value: dict[str, Any]) -> float | None:
    took = as_amount(value.get("latency_ms"))
    return None if took is None else took / 1000
