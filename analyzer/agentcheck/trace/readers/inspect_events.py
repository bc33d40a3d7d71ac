"""What the events of an inspect_ai sample say beyond its messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from agentcheck.trace.readers.fields import as_amount, as_count, as_dict, as_list, as_text, when

_COUNTS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read": "input_tokens_cache_read",
    "cache_creation": "input_tokens_cache_write",
}
_SCORING = frozenset({"scorer", "scorers"})
State = Literal["requested", "granted", "denied"]
_DECISIONS: dict[str, State] = {
    "approve": "granted",
    "modify": "granted",
    "reject": "denied",
    "terminate": "denied",
    "escalate": "requested",
}


class Events:
    """Model calls by their reply's id, the tools they were given, and what approvers decided."""

    def __init__(self, events: list[Any], output: dict[str, Any]) -> None:
        self.tools: dict[str, Any] = {}
        self.approvals: list[tuple[str | None, State, str | None]] = []
        self._calls: dict[str, dict[str, Any]] = {}
        self._unnamed: list[dict[str, Any]] = []
        self._last = _facts(output)
        self._scoring: set[str] = set()
        for event in events:
            if isinstance(event, dict):
                self._event(str(event.get("event")), event)

    def of_messages(self, messages: list[Any]) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
        """What is known of the call that a message is the reply of; the last one's is `output`."""
        replies = [i for i, m in enumerate(messages) if as_dict(m).get("role") == "assistant"]

        def of(index: int, message: dict[str, Any]) -> dict[str, Any]:
            known = self._calls.get(as_text(message.get("id")) or "")
            if known is None and len(self._unnamed) == len(replies):
                known = self._unnamed[replies.index(index)]
            return known or (self._last if index == replies[-1] else {})

        return of

    def elsewhere(self, messages: list[Any]) -> int:
        """How many replies, those to scorers left out, are in no message of the conversation."""
        here = {as_text(as_dict(message).get("id")) for message in messages}
        return sum(known not in here for known in self._calls)

    def _event(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "span_begin":
            self._span(event)
        elif kind == "step":
            self._step(event)
        elif kind == "model" and str(event.get("span_id")) not in self._scoring:
            self._model(event)
        elif kind == "approval":
            state = _DECISIONS.get(str(event.get("decision")), "requested")
            call_id = as_text(as_dict(event.get("call")).get("id"))
            self.approvals.append((call_id, state, as_text(event.get("approver"))))

    def _span(self, event: dict[str, Any]) -> None:
        """Models may be asked for scores too, which is no part of the run."""
        parent, known = str(event.get("parent_id")), str(event.get("id"))
        if as_text(event.get("type")) in _SCORING or parent in self._scoring:
            self._scoring.add(known)

    def _step(self, event: dict[str, Any]) -> None:
        """Older logs nest by steps, and what is in them names no span."""
        if as_text(event.get("type")) in _SCORING:
            if event.get("action") == "begin":
                self._scoring.add("None")
            else:
                self._scoring.discard("None")

    def _model(self, event: dict[str, Any]) -> None:
        output = as_dict(event.get("output"))
        facts = _facts(output) | {"ts": when(event.get("timestamp"))}
        choices = as_list(output.get("choices"))
        known = as_text(as_dict(as_dict(choices[0]).get("message")).get("id")) if choices else None
        if known is None:
            self._unnamed.append(facts)
        else:
            self._calls[known] = facts
        for tool in as_list(event.get("tools")):
            name, schema = as_dict(tool).get("name"), as_dict(tool).get("parameters")
            if isinstance(name, str) and isinstance(schema, dict):
                self.tools[name] = schema


def _facts(output: dict[str, Any]) -> dict[str, Any]:
    usage, choices = as_dict(output.get("usage")), as_list(output.get("choices"))
    facts: dict[str, Any] = {name: as_count(usage.get(key)) for name, key in _COUNTS.items()}
    facts |= {"cost": as_amount(usage.get("total_cost")), "duration": as_amount(output.get("time"))}
    facts["response_model"] = as_text(output.get("model"))
    facts["finish"] = as_text(as_dict(choices[0]).get("stop_reason")) if choices else None
    return facts
