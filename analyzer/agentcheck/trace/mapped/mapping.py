"""What a user says of a log of his own: where things stand in a record, and what values mean."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

POINTERS: dict[str, str] = {
    "run": "The id of the run that a record belongs to; left out, a file is one run.",
    "kind": "What kind of record it is; its values are explained by `kinds`.",
    "role": "Who speaks, in a record of kind `message`; explained by `kinds` as well.",
    "agent": "The agent that speaks, asks or acts.",
    "time": "When it was: ISO 8601, or a number of seconds, milli-, micro- or nanoseconds.",
    "duration": "How long the model or the tool took, in `duration-unit`.",
    "text": "What was said.",
    "system": "The system prompt that a request was sent with.",
    "model": "The model.",
    "provider": "Who serves the model.",
    "finish": "Why a reply ended; providers' own words are known, others go in `finish-reasons`.",
    "input-tokens": "The tokens of a request.",
    "output-tokens": "The tokens of a reply.",
    "cached-tokens": "Those of the request's tokens that came from the provider's cache.",
    "cost": "What a reply cost, in US dollars.",
    "calls": "The list of tool calls in a reply; `tool` and the like then start at its items.",
    "tool": "The tool's name.",
    "call-id": "The id that a call and its result share.",
    "arguments": "What the tool was given: an object, or its JSON as a text.",
    "result": "What the tool gave back; may stand in the record of the call.",
    "error": "Whether a result is an error: by `error-values`, else by holding anything but "
    "false, zero or nothing.",
    "to-agent": "The agent that control passes to, in a record of kind `handoff`.",
    "approval": "What came of an approval, in a record of kind `approval`; see `approvals`.",
    "by": "Who approved or refused.",
    "guardrail": "The name of the guardrail.",
    "triggered": "Whether a guardrail spoke up: by `triggered-values`, else as `error`.",
    "tools": "The tools that the model was given, as a list of names with JSON schemas.",
    "workflow": "The name of what ran.",
    "task": "What the run was asked to do.",
    "answer": "What the run answered in the end.",
    "status": "How the run ended; see `statuses`.",
}
"""What a JSON pointer may be given for, and what it is for."""

KINDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "start": (),
    "user": (("text",),),
    "system": (("text",),),
    "assistant": (("text",),),
    "message": (("role",), ("text",)),
    "model-call": (),
    "tool-call": (("tool",),),
    "tool-result": (("result", "error"),),
    "handoff": (("to-agent",),),
    "approval": (("approval",),),
    "approval-requested": (),
    "approval-granted": (),
    "approval-denied": (),
    "guardrail": (("triggered",),),
    "guardrail-triggered": (),
    "compaction": (),
    "end": (),
    "end-completed": (),
    "end-max-turns": (),
    "end-error": (),
    "end-interrupted": (),
    "ignore": (),
}
"""What a record may be, with the pointers it needs, one of each group."""

SPEAKERS = frozenset({"user", "system", "assistant"})
STATES = ("requested", "granted", "denied")
STATUSES = ("completed", "max_turns", "error", "interrupted")


class Mapping(Struct, frozen=True, kw_only=True):
    """A log of a user's own form.

    `at` holds parsed JSON pointers by the keys of POINTERS, of which the first that leads to
    something counts. `steps` leads to the list of steps in an object that is a whole run; None
    where each record is one event. `kinds` and the other tables say what values mean, in the words
    of KINDS, STATES, STATUSES and `model.event.FinishReason`. `seconds` is the unit of durations.
    """

    name: str
    at: dict[str, tuple[tuple[str, ...], ...]]
    steps: tuple[str, ...] | None = None
    kinds: dict[str, str] = {}
    finish_reasons: dict[str, str] = {}
    statuses: dict[str, str] = {}
    approvals: dict[str, str] = {}
    error_values: tuple[Any, ...] = ()
    triggered_values: tuple[Any, ...] = ()
    seconds: float = 1.0

    def needs(self, kind: str) -> str | None:
        """The key of a pointer that a kind of record needs and the mapping lacks, if one."""
        lacking = (any_of for any_of in KINDS[kind] if not any(key in self.at for key in any_of))
        return next((any_of[0] for any_of in lacking), None)
