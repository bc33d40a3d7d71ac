"""Transcripts of several agents: `[{"role": "Planner", "content": "..."}]`, the role a speaker.

AutoGen's Magentic-One logs look so. There are only texts: no tool calls, no results, no usage. The
record of an event is its message's index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import FieldGroup, Message, Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import Fit, Format
from agentcheck.trace.readers.chat_message import ROLES
from agentcheck.trace.readers.listed import fit_list, runs_of_lists
from agentcheck.trace.records import Records
from agentcheck.trace.replay import Replay

NAME = "transcript of agents"
KNOWN: tuple[FieldGroup, ...] = ("content",)
_PEOPLE = frozenset({"human", "user"})
_SPEAKER = ("role", "speaker", "sender")


def read_transcript(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of transcripts."""
    return runs_of_lists(records, _is_turn, _play)


def _speaker(value: dict[str, Any]) -> str | None:
    return next((value[k] for k in _SPEAKER if isinstance(value.get(k), str)), None)


def _is_turn(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        return False
    return _speaker(value) is not None and "tool_calls" not in value


def _play(file: str, run: int, turns: list[Any]) -> Run:
    replay = Replay(file, run, KNOWN)
    for index, turn in enumerate(turns):
        if _is_turn(turn):
            _said(replay, index, str(_speaker(turn)), turn["content"])
        else:
            replay.unknown += 1
    return replay.finish(str(run), NAME)


def _said(replay: Replay, index: int, speaker: str, text: str) -> None:
    person = speaker.lower() in _PEOPLE
    event = Message(
        seq=len(replay.events),
        source=replay.source(index),
        role="user" if person else speaker if speaker in ROLES else "assistant",
        text=text,
        agent=None if person else speaker,
    )
    replay.events.append(event)


def _fit(value: Any) -> Fit:
    return fit_list(value, _is_turn, "a speaker and a `content`")


_MARKS = ("speaker", "role", "content")
TRANSCRIPT = Format(NAME, _fit, read_transcript, marks=_MARKS)
