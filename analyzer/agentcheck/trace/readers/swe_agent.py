"""Trajectories of SWE-agent: `{"environment", "trajectory": [steps], "history": [messages],
"info": {"exit_status", "submission", "model_stats"}}` (read from sweagent/types.py).

Where the model calls tools, `history` has `tool_calls` and `tool_call_ids`, and the record of an
event is its index there. Where actions were parsed out of text they stand in `trajectory`, and the
record is the step's index; a file without steps has them in the `action` of its history's
messages, each answered by the next message. Messages marked `is_demo` are an example that was
given, and no part of the run. Usage is known for the whole run alone: it is among the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.chat_message import as_message
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_run import Fields, runs_of_objects, value
from agentcheck.trace.readers.fields import as_dict, as_list, as_text, first
from agentcheck.trace.readers.steps import is_step, play_step
from agentcheck.trace.records import ForeignError, Records
from agentcheck.trace.replay import Replay, Status
from agentcheck.trace.texts import text_of

NAME = "SWE-agent trajectory"
_STATS = {
    "model_calls": ("api_calls",),
    "input_tokens": ("tokens_sent",),
    "output_tokens": ("tokens_received",),
    "cost": ("instance_cost", "total_cost"),
}
_ENDS: tuple[tuple[str, Status], ...] = (
    ("exit_cost", "max_turns"),
    ("limitsexceeded", "max_turns"),
    ("exit_context", "error"),
    ("early_exit", "interrupted"),
    ("exit_total_execution_time", "interrupted"),
    ("timeexceeded", "interrupted"),
    ("submitted", "completed"),
    ("exit_forfeit", "completed"),
)
"""Words of an exit status, the first that occurs decides: "submitted (exit_cost)" hit a limit."""


def read_swe_agent(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file, one an object."""
    return runs_of_objects(records, _play)


def _play(name: str, number: int, fields: Fields) -> Iterator[Run]:
    steps, history = as_list(value(fields, "trajectory")), as_list(value(fields, "history"))
    if any(isinstance(m, dict) and m.get("tool_calls") for m in history):
        replay: Replay = _called(ChatReplay(name, number), history)
    elif steps:
        replay = _stepped(Replay(name, number, ("results", "content")), steps)
    elif history:
        replay = _acted(Replay(name, number, ("results", "content")), history)
    else:
        raise ForeignError("neither steps nor messages")
    tell_end(replay, as_dict(value(fields, "info")))
    yield replay.finish(as_text(value(fields, "environment")) or str(number), NAME)


def tell_end(replay: Replay, info: dict[str, Any]) -> None:
    """The end of a run of SWE-agent or mini-swe-agent."""
    exit_status = as_text(info.get("exit_status"))
    stats = as_dict(info.get("model_stats"))
    labels = {name: first(stats, *keys) for name, keys in _STATS.items()}
    labels = {name: count for name, count in labels.items() if count is not None}
    if exit_status is not None:
        labels["exit_status"] = exit_status
    record = replay.events[-1].source.record
    replay.end(
        replay.source(record), status_of(exit_status), as_text(info.get("submission")), **labels
    )


def status_of(exit_status: str | None) -> Status:
    """The status that an exit status stands for; one that is not known is an error's name."""
    if exit_status is None:
        return "unknown"
    said = exit_status.lower()
    return next((status for word, status in _ENDS if word in said), "error")


def _called(replay: ChatReplay, history: list[Any]) -> ChatReplay:
    for message in history:
        if isinstance(message, dict) and message.get("is_demo"):
            replay.messages += 1
        else:
            replay.feed(as_message(message))
    return replay


def _stepped(replay: Replay, steps: list[Any]) -> Replay:
    for index, step in enumerate(steps):
        if is_step(step):
            play_step(replay, index, step)
        else:
            replay.unknown += 1
    return replay


def _acted(replay: Replay, history: list[Any]) -> Replay:
    """Messages with an action, and the message after each as what came of it."""
    waiting: int | None = None
    for index, message in enumerate(history):
        if not isinstance(message, dict):
            replay.unknown += 1
        elif message.get("is_demo"):
            continue
        elif message.get("role") == "assistant":
            waiting = _action(replay, index, message)
        elif waiting is not None:
            _observed(replay, index, message, str(waiting))
            waiting = None
        else:
            role = as_text(message.get("role")) or "user"
            replay.message(replay.source(index), role, text_of(message.get("content")))
    return replay


def _action(replay: Replay, index: int, message: dict[str, Any]) -> int | None:
    thought = message.get("thought") or message.get("content")
    step = {"action": message.get("action") or "", "observation": "", "thought": thought}
    if not isinstance(step["action"], str):
        replay.unknown += 1
        return None
    play_step(replay, index, step, observed=False)
    return index if step["action"].strip() else None


def _observed(replay: Replay, index: int, message: dict[str, Any], key: str) -> None:
    replay.result(replay.source(index, "/content"), key, text_of(message.get("content")))


def _fit(record: Any) -> Fit:
    if not isinstance(record, dict):
        return NOT_AT_ALL
    steps, history = as_list(record.get("trajectory")), as_list(record.get("history"))
    if "info" not in record or not (steps or history):
        return Fit(0.1, "no `trajectory` or `history` beside `info`")
    if any(map(is_step, steps)) or any(map(_is_turn, history)):
        return FITS
    return Fit(0.4, "neither steps with `action` and `observation` nor messages of SWE-agent")


def _is_turn(message: Any) -> bool:
    return isinstance(message, dict) and "role" in message and "agent" in message


_MARKS = ("trajectory", "history", "info", "action", "observation")
SWE_AGENT = Format(NAME, _fit, read_swe_agent, marks=_MARKS)
