"""One simulation of tau2-bench -> a run.

The simulated user may have tools too: calls and results whose `requestor` is "user" are none of
the agent's. Results are messages `{"role": "tool", "id": the call's id, "error": bool}`, several
of them in one `{"role": "tool", "tool_messages": [..]}`.
"""

from __future__ import annotations

from typing import Any

from agentcheck.model.event import Run
from agentcheck.trace.readers.chat_message import as_message
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_run import End, concluded
from agentcheck.trace.readers.chat_stored import usage_facts
from agentcheck.trace.readers.fields import as_amount, as_dict, as_list, as_text, when
from agentcheck.trace.replay import Status

_ENDS: dict[str, Status] = {
    "user_stop": "completed",
    "agent_stop": "completed",
    "max_steps": "max_turns",
    "timeout": "interrupted",
}
_LABELS = ("task_id", "trial", "termination_reason", "agent_cost", "user_cost")


def is_simulation(value: Any) -> bool:
    """Whether a value is one simulation; those of voices have `ticks` in place of messages."""
    if not isinstance(value, dict) or "task_id" not in value:
        return False
    told = isinstance(value.get("messages"), list) or isinstance(value.get("ticks"), list)
    return told and ("termination_reason" in value or "reward_info" in value)


def play_simulation(replay: ChatReplay, simulation: dict[str, Any], form: str) -> Run:
    """The run of a simulation."""
    messages = as_list(simulation.get("messages"))
    replay.unknown += len(as_list(simulation.get("ticks"))) if not messages else 0
    for message in messages:
        _message(replay, message)
    labels = {key: simulation[key] for key in _LABELS if simulation.get(key) is not None}
    reward = as_dict(simulation.get("reward_info")).get("reward")
    labels |= {"reward": reward} if as_amount(reward) is not None else {}
    why = as_text(simulation.get("termination_reason"))
    status: Status = _ENDS.get(why, "error") if why else "unknown"
    return concluded(replay, str(simulation.get("id", replay.run)), form, End(status, labels))


def _message(replay: ChatReplay, message: Any) -> None:
    inner = message.get("tool_messages") if isinstance(message, dict) else None
    if not isinstance(inner, list):
        _feed(replay, message)
        return
    index = replay.messages
    for each in inner:
        replay.messages = index
        _feed(replay, each)
    replay.messages = index + 1


def _feed(replay: ChatReplay, message: Any) -> None:
    if not isinstance(message, dict):
        replay.feed(None)
        return
    if message.get("requestor") == "user":
        replay.messages += 1
        return
    if message.get("role") == "tool":
        message = message | {"tool_call_id": message.get("id")}
    replay.facts = _facts(message)
    replay.feed(as_message(message))


def _facts(message: dict[str, Any]) -> dict[str, Any]:
    facts = usage_facts(as_dict(message.get("usage")))
    cost = as_amount(message.get("cost"))
    return facts | {"cost": cost, "ts": when(message.get("timestamp"))}
