"""How each effect of a run that was carried out stands to what was said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from agentcheck.model.event import Approval, Run, ToolCall, ToolResult
from agentcheck.model.pattern import lazy_re
from agentcheck.trace.done import denials, same_call, seems_done
from agentcheck.whatif.policy.form import Does

Status = Literal[
    "approved", "equal", "again", "other", "denied", "unanswered", "late", "unasked", "unknown"
]
STATUSES: dict[Status, str] = {
    "approved": "approved before it was carried out",
    "equal": "an equal call was approved and not carried out itself",
    "again": "an equal call was approved, and this one is a further one",
    "other": "a call with other arguments was approved",
    "denied": "denied, and carried out",
    "unanswered": "asked about, and carried out without an answer",
    "late": "approved after it was carried out",
    "unasked": "nobody was asked",
    "unknown": "the record carries no approvals",
}
By = Literal["person", "program", "nobody named"]
# A rule stays one whoever it was made by or for: "auto (admin policy)".
_RULE = lazy_re(r"\b(?:auto\w*|polic(?:y|ies)|rules?|config\w*|allow ?list|script|default)\b")
_PERSON = lazy_re(r"\b(?:human|user|person|operator|reviewer|admin\w*|manager|owner)\b|@")
_PROGRAM = lazy_re(r"\b(?:system|bot|model|agent|llm|program|guard\w*)\b")
_FREE = frozenset({"reads", "handoff", "unknown"})


class Standing(Struct, frozen=True):
    """An effect that was carried out. `said` is the approval or denial that it is judged by."""

    call: ToolCall
    does: Does
    status: Status
    said: Approval | None = None


def standings(run: Run, judge: Callable[[str], Does]) -> Iterator[Standing]:
    """Every effect of a run that was carried out, in order. `judge` says what a tool does."""
    said = _Said(run)
    for call in run.all(ToolCall):
        does = judge(call.name)
        result = run.answers.get(call.call_key)
        if does in _FREE or call.call_key in run.handed or result is None:
            continue
        if not seems_done(call, result):
            continue
        if "approval" not in run.known:
            yield Standing(call, does, "unknown")
        else:
            status, approval = said.about(call, result)
            yield Standing(call, does, status, approval)


def answered_by(approval: Approval) -> By:
    """Who gave an answer, as far as the record names anybody."""
    name = (approval.by or "").lower().replace("_", " ")
    if _PERSON.search(name) and not _RULE.search(name):
        return "person"
    told = _RULE.search(name) or _PROGRAM.search(name)
    return "program" if told else "nobody named"


class _Said:
    """What was said in a run, and which approvals are used up."""

    def __init__(self, run: Run) -> None:
        self._by_key: dict[str, list[Approval]] = {}
        for approval in run.all(Approval):
            if approval.call_key is not None:
                self._by_key.setdefault(approval.call_key, []).append(approval)
        self._no = denials(run)
        self._calls = {call.call_key: call for call in run.all(ToolCall)}
        self._run = run
        self._used: set[str] = set()

    def about(self, call: ToolCall, result: ToolResult) -> tuple[Status, Approval | None]:
        """What was said about a call, at best."""
        key = call.call_key
        if key in self._no:
            return "denied", self._no[key]
        own = self._by_key.get(key, [])
        yes = [a for a in own if a.state == "granted"]
        if yes:
            self._used.add(key)
            return ("approved", yes[0]) if _in_time(yes[0], result) else ("late", yes[0])
        if own:
            return "unanswered", own[-1]
        return self._elsewhere(call)

    def _elsewhere(self, call: ToolCall) -> tuple[Status, Approval | None]:
        """What was said before about another call of the tool."""
        status: Status = "unasked"
        found: Approval | None = None
        for key, approvals in self._by_key.items():
            other = self._calls.get(key)
            yes = next((a for a in approvals if a.state == "granted" and a.seq < call.seq), None)
            if yes is None or other is None or other.name != call.name:
                continue
            same, free = same_call(other) == same_call(call), self._is_free(key)
            if same and free:
                self._used.add(key)
                return "equal", yes
            if same:
                status, found = "again", yes
            elif free and status == "unasked":
                status, found = "other", yes
        return status, found

    def _is_free(self, key: str) -> bool:
        """Whether what was approved has not been carried out itself."""
        result, call = self._run.answers.get(key), self._calls[key]
        return key not in self._used and (result is None or not seems_done(call, result))


def _in_time(yes: Approval, result: ToolResult) -> bool:
    """Whether a yes came before the result; one that is read off the result came before it."""
    return yes.seq < result.seq or yes.source.record == result.source.record
