"""Logs of actions and observations: `[{"action": "ls", "observation": "..", "thought": ".."}]`.

SWE-agent's trajectories have these; the action is a line of text for a shell or a tool. A step is
one model call with one tool call, named by the first word of the action; its record is the
step's index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import FieldGroup, ModelCall, Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.listed import fit_list, runs_of_lists
from agentcheck.trace.records import Records
from agentcheck.trace.replay import Asked, Replay
from agentcheck.trace.texts import text_of

NAME = "actions and observations"
KNOWN: tuple[FieldGroup, ...] = ("results", "content")


def read_steps(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of such steps."""
    return runs_of_lists(records, is_step, _play)


def is_step(value: Any) -> bool:
    """Whether a value is an action with its observation."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("action"), str)
        and isinstance(value.get("observation"), str)
    )


def _play(file: str, run: int, steps: list[Any]) -> Run:
    replay = Replay(file, run, KNOWN)
    for index, step in enumerate(steps):
        if is_step(step):
            play_step(replay, index, step)
        else:
            replay.unknown += 1
    return replay.finish(str(run), NAME)


def play_step(replay: Replay, index: int, step: dict[str, Any], *, observed: bool = True) -> None:
    """Tells a step: a reply, its thought, its action as a call, the observation as its result."""
    source = replay.source(index)
    replay.events.append(ModelCall(seq=len(replay.events), source=source))
    replay.message(source, "assistant", text_of(step.get("thought") or step.get("response")))
    action = step["action"].strip()
    if action:
        asked = Asked(action.split(None, 1)[0], {"action": action}, None)
        call = replay.call(replay.source(index, "/action"), str(index), asked, 0)
        if observed:
            place = replay.source(index, "/observation")
            replay.result(place, call.call_key, step["observation"])


def _fit(value: Any) -> Fit:
    return fit_list(value, is_step, "an `action` and an `observation`")


_MARKS = ("action", "observation", "thought")
STEPS = Format(NAME, _fit, read_steps, marks=_MARKS)
