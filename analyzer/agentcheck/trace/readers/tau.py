"""Results of tau-bench and tau2-bench: conversations with a reward.

tau-bench writes a list of `{"task_id", "reward", "info", "traj": [chat messages], "trial"}`; a run
that ended in an exception has its text in `info.error`. tau2-bench writes `{"info", "tasks",
"simulations": [..]}` or one simulation a file: `{"id", "task_id", "messages",
"termination_reason", "reward_info", "agent_cost"}`, whose messages carry usage, cost and times
(read from tau2/data_model/simulation.py and message.py). The record of an event is its message's
index. A reward of 1 says that the task was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from agentcheck.model.event import Run, ToolCall
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Recorded
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Apart, Fit, Format, NotApartError
from agentcheck.trace.readers.chat_fit import is_list
from agentcheck.trace.readers.chat_plain import plain_decoder
from agentcheck.trace.readers.chat_replay import ChatReplay
from agentcheck.trace.readers.chat_run import (
    End,
    Fields,
    concluded,
    feed_raw,
    fields_of,
    outlines_of_objects,
    runs_of_objects,
    value,
)
from agentcheck.trace.readers.fields import as_dict
from agentcheck.trace.readers.tau2 import is_simulation, play_simulation
from agentcheck.trace.records import BROKEN, ForeignError, Record, Records
from agentcheck.trace.replay import Status

NAME = "tau-bench results"
_STOP = "###STOP###"
"""What the simulated user says to end the conversation."""
_LAST_TOOLS = frozenset({"transfer_to_human_agents"})
_LABELS = ("task_id", "trial", "reward")
_PLAIN = plain_decoder("traj", ("simulations",), (*_LABELS, "info"))


class _Tau:
    """Plays records; simulations of one record are runs of their own, so runs are counted."""

    def __init__(self) -> None:
        self.runs = 0

    def play(self, name: str, number: int, fields: Fields) -> Iterator[Run]:
        if "simulations" in fields and is_list(fields["simulations"]):
            for each in msgspec.json.decode(fields["simulations"]):
                yield self._simulation(name, self._next(), each)
        elif "traj" in fields and is_list(fields["traj"]):
            self.runs += 1
            yield _trajectory(name, number, fields)
        else:
            simulation = {key: value(fields, key) for key in fields}
            if not is_simulation(simulation):
                raise ForeignError("neither `traj` nor `simulations`")
            yield self._simulation(name, self._next(), simulation)

    def _next(self) -> int:
        self.runs += 1
        return self.runs - 1

    def _simulation(self, name: str, number: int, each: Any) -> Run:
        return play_simulation(ChatReplay(name, number), as_dict(each), NAME)


def read_tau(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of results."""
    return runs_of_objects(records, _Tau().play)


def outlines_of_tau(records: Records) -> Iterator[Recorded | Skipped]:
    """The outlines of the runs; a plain trajectory is not played for it."""
    tau, given = _Tau(), 0
    for found in outlines_of_objects(records, _PLAIN, tau.play):
        given += isinstance(found, Recorded)
        yield found
        tau.runs = given  # whether or not it was played, or how often


def _learn(records: list[Record]) -> str | None:
    """Trajectories are runs of their own; simulations are numbered through the file."""
    try:
        fields = [fields_of(record.raw) for record in records]
    except BROKEN:
        return None
    return "traj" if all("traj" in each and is_list(each["traj"]) for each in fields) else None


def _outlines_apart(records: Records, _key: str) -> Iterator[Recorded | Skipped]:
    return outlines_of_objects(records, _PLAIN, _trajectories)


def _trajectories(name: str, number: int, fields: Fields) -> Iterator[Run]:
    if "simulations" in fields or "traj" not in fields or not is_list(fields["traj"]):
        raise NotApartError
    yield _trajectory(name, number, fields)


def _trajectory(name: str, number: int, fields: Fields) -> Run:
    replay = ChatReplay(name, number)
    feed_raw(replay, fields["traj"])
    labels = {key: value(fields, key) for key in _LABELS if key in fields}
    failed = as_dict(value(fields, "info")).get("error")
    status: Status = "error" if failed else _ended(replay)
    return concluded(replay, str(number), NAME, End(status, labels))


def _ended(replay: ChatReplay) -> Status:
    """The environment stops when the user says so, or after a tool that hands over to people."""
    last = replay.events[-1]
    if _STOP in getattr(last, "text", ""):
        return "completed"
    calls = replay.events[-4:]
    done = any(isinstance(call, ToolCall) and call.name in _LAST_TOOLS for call in calls)
    return "completed" if done else "unknown"


def _fit(record: Any) -> Fit:
    if not isinstance(record, dict):
        return NOT_AT_ALL
    if isinstance(record.get("traj"), list):
        known = any(key in record for key in ("reward", "task_id"))
        return FITS if known else Fit(0.5, "`traj` without `task_id` or `reward`")
    found = record.get("simulations")
    if isinstance(found, list):
        fits = not found or is_simulation(found[0])
        return FITS if fits else Fit(0.5, "`simulations` without `task_id` and `messages`")
    return FITS if is_simulation(record) else Fit(0.1, "neither `traj` nor `simulations`")


_MARKS = ("task_id", "traj", "reward", "trial", "simulations")
TAU = Format(NAME, _fit, read_tau, outlines_of_tau, Apart(_learn, _outlines_apart), marks=_MARKS)
