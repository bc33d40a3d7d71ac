"""Chat histories of AutoGen 0.2 (and its fork AG2): every message has the `name` of its speaker.

The role says only from whose side the history was kept: "user" is what was received, "assistant"
what was sent, also where a person wrote it. So speakers are told apart by what they do: who asks
for calls is a model; who answers them, or runs code, is not; who opens the chat is a person,
unless it asks for calls. Several results of one turn stand in `tool_responses`. Read in
autogen-agentchat
0.2.40 (`conversable_agent.py`, `chat.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format
from agentcheck.trace.readers.langchain_message import Normal
from agentcheck.trace.readers.listed import best_list, runs_of_lists
from agentcheck.trace.readers.messages_replay import MessagesReplay
from agentcheck.trace.records import Records

NAME = "AutoGen 0.2 chat history"
_ROLES = ("user", "assistant", "tool", "function")
_PEOPLE = frozenset({"user", "human", "user_proxy", "userproxy", "admin"})
_RAN_CODE = "exitcode:"


def read_autogen_chat(records: Records) -> Iterator[Run | Skipped]:
    """The runs of a file of such histories."""
    return runs_of_lists(records, _is_message, _play)


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in _ROLES or "content" not in value:
        return False
    return isinstance(value.get("name"), str) or _responses(value) != []


def _responses(message: dict[str, Any]) -> list[Any]:
    found = message.get("tool_responses")
    return found if isinstance(found, list) else []


def _calls(message: dict[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        return calls
    called = message.get("function_call")
    return [called | {"@": "/function_call"}] if isinstance(called, dict) and called else []


def _models(messages: list[Any]) -> set[str]:
    """The names of the speakers that are models."""
    heard = [m for m in messages if _is_message(m) and isinstance(m.get("name"), str)]
    asking = {m["name"] for m in heard if _calls(m)}
    others = {m["name"] for m in heard if _ran(m)} | {m["name"] for m in heard[:1]}
    people = {m["name"] for m in heard if m["name"].lower() in _PEOPLE}
    return asking | ({m["name"] for m in heard} - others - people)


def _ran(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return (
        bool(_responses(message))
        or message["role"] in ("tool", "function")
        or (isinstance(content, str) and content.startswith(_RAN_CODE))
    )


def _play(file: str, run: int, messages: list[Any]) -> Run:
    replay = MessagesReplay(file, run)
    models = _models(messages)
    for index, message in enumerate(messages):
        if _is_message(message):
            for told in _told(message, models):
                replay.tell(index, told)
        else:
            replay.unknown += 1
    replay.close()
    replay.start(replay.source(0))
    return replay.finish(str(run), NAME)


def _told(message: dict[str, Any], models: set[str]) -> Iterator[Normal]:
    answers = _responses(message)
    for number, answer in enumerate(answers):
        if isinstance(answer, dict):
            yield answer | {"@": f"/tool_responses/{number}", "role": "tool", "name": None,
                            "content": answer.get("content"), "failed": None}  # fmt: skip
    name = message.get("name")
    if message["role"] in ("tool", "function"):
        if not answers:
            yield message | {"@": "", "role": "tool", "failed": None}
    elif name in models:
        yield {"@": "", "role": "assistant", "name": name, "content": message["content"],
               "tool_calls": _calls(message)}  # fmt: skip
    elif message["content"]:
        yield {"@": "", "role": "user", "content": message["content"]}


def _fit(value: Any) -> Fit:
    """Only a history that no other chat format writes: names throughout, or `tool_responses`."""
    if not isinstance(value, (dict, list)):
        return NOT_AT_ALL
    items = best_list(value, _is_message)
    if not items:
        return Fit(0.05, "no messages with a `name` each")
    if any(isinstance(item, dict) and _responses(item) for item in items):
        return FITS
    if isinstance(value, dict) and "chat_history" in value:
        return FITS
    return Fit(0.5, "messages with names, but neither `chat_history` nor `tool_responses`")


_MARKS = ("chat_history", "name", "role", "content", "tool_responses")
AUTOGEN_CHAT = Format(NAME, _fit, read_autogen_chat, marks=_MARKS)
