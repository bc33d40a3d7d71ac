"""The records of one thread of LangGraph -> the events of a run.

A graph that asks a person stops with an interrupt; it goes on only when somebody answers. So a
call that waited at an interrupt and has a result afterwards was granted, unless the result is an
error or the answer says no. The record of an event is the id of the checkpoint in which its
message was first, or of the message itself where there are no checkpoints.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentcheck.model.event import Compaction, FieldGroup, Source, ToolCall
from agentcheck.trace.arguments import canonical
from agentcheck.trace.readers.freeform import messages_of
from agentcheck.trace.readers.langchain_message import Normal, is_removal, message_id
from agentcheck.trace.readers.langchain_replay import LangChainReplay
from agentcheck.trace.readers.langgraph_entries import Entry

KNOWN: tuple[FieldGroup, ...] = ("content",)
_NO = ("reject", "deny", "denied", "no", "cancel", "ignore", "abort", "decline")
_ANSWERS = ("decisions", "type", "action", "approved")
_SHORT = 40
"""Characters past which an answer is a text and no decision."""
_DEEPEST = 4
Key = tuple[str, int]


class LangGraphReplay(LangChainReplay):
    """The run that a thread's records tell."""

    __slots__ = ("_asked", "_denied", "_held", "_last_keys", "_seen", "_waits")

    def __init__(self, file: str, run: int) -> None:
        super().__init__(file, run, KNOWN)
        self._seen: set[Key] = set()
        self._last_keys: list[Key] = []
        self._asked: set[str] = set()
        self._held: dict[str, ToolCall] = {}
        self._denied = False
        self._waits = False

    def play(self, entries: list[Entry]) -> None:
        """All records, from the oldest to the newest."""
        entries = _in_order(entries)
        for entry in entries:
            self._entry(entry)
        self.known |= _known(entries, asked=bool(self._asked))
        last = entries[-1] if entries else None
        waits = self._waits and bool(last and last.next != [])
        self.close(waits=waits, failed=bool(last and last.failed))
        self.start(self.source(0))

    def answered(self, source: Source, call: ToolCall | None, message: Normal) -> None:
        """A result: of a handoff, or of a call that a person was asked about."""
        super().answered(source, call, message)
        if call is not None and self._held.pop(call.call_key, None) is not None:
            denied = self._denied or message.get("failed") is True
            self.approval(source, call, "denied" if denied else "granted")

    def _entry(self, entry: Entry) -> None:
        for place, items in entry.messages:
            self._messages(entry, place, items)
        if entry.whole or any(items for _, items in entry.messages):
            self._waits = False
        for asked in entry.interrupts:
            self._interrupt(asked)
        self._denied = any(_says_no(resume) for resume in entry.resumes)

    def _messages(self, entry: Entry, place: str, items: list[Any]) -> None:
        times = Counter[str]()
        keys: list[Key] = []
        for index, item in enumerate(items):
            key = _key(item, times)
            keys.append(key)
            if key not in self._seen:
                self._seen.add(key)
                self._item(item, f"{place}/{index}", entry.id)
        if entry.whole:
            if keys and set(self._last_keys) - set(keys):
                self._shortened()
            self._last_keys = keys

    def _item(self, item: Any, at: str, checkpoint: str | None) -> None:
        """A message that no record before held; its record is the checkpoint, else its own id."""
        if is_removal(item):
            self._shortened()
            return
        found = messages_of(item, at)
        self.unknown += not found
        named = message_id(item) if isinstance(item, dict) else None
        for message in found:
            self.tell(checkpoint or named or self._told, message)

    def _shortened(self) -> None:
        """Messages that the state had are gone from it."""
        source = self.events[-1].source
        self.events.append(Compaction(seq=len(self.events), source=source, agent=self.agent))

    def _interrupt(self, asked: Any) -> None:
        """The graph asks a person; of calls that wait, those it names, else all."""
        self._waits = True
        key = _asked_key(asked)
        if key in self._asked:
            return
        self._asked.add(key)
        waiting = self.waiting()
        text = canonical(asked)
        named = [call for call in waiting if f'"{call.name}"' in text]
        source = self.events[-1].source
        for call in named or waiting:
            if call.call_key not in self._held:
                self._held[call.call_key] = call
                self.approval(source, call, "requested")
        if not waiting:
            self.approval(source, None, "requested")


def _in_order(entries: list[Entry]) -> list[Entry]:
    """From the oldest: by time and step, else turned round where the state shrinks."""
    if all(entry.at is not None for entry in entries):
        return sorted(entries, key=lambda entry: (entry.at or 0, entry.step))
    sizes = [sum(len(items) for _, items in entry.messages) for entry in entries if entry.whole]
    newest_first = len(sizes) == len(entries) and sizes[0] > sizes[-1]
    return entries[::-1] if newest_first else entries


def _known(entries: list[Entry], *, asked: bool) -> set[FieldGroup]:
    """What a thread's records show: results where messages are, approvals in whole histories."""
    found: set[FieldGroup] = {"results"}
    if asked or _is_whole(entries):
        found.add("approval")
    return found


def _is_whole(entries: list[Entry]) -> bool:
    """Whether there are all checkpoints of a thread, each with what it asked a person."""
    ids = {entry.id for entry in entries}
    return (
        len(entries) > 1
        and all(entry.asks and entry.id for entry in entries)
        and all(entry.parent is None or entry.parent in ids for entry in entries)
    )


def _key(item: Any, times: Counter[str]) -> Key:
    found = message_id(item) if isinstance(item, dict) else None
    if found is not None:
        return found, 0
    text = canonical(item)
    times[text] += 1
    return text, times[text]


def _asked_key(asked: Any) -> str:
    found = asked.get("id") if isinstance(asked, dict) else None
    return found if isinstance(found, str) else canonical(asked)


def _says_no(answer: Any, depth: int = 0) -> bool:
    """Whether an answer to an interrupt turns it down; the words of LangChain's and the usual."""
    if isinstance(answer, (list, dict)) and depth <= _DEEPEST:
        inner = answer if isinstance(answer, list) else [answer.get(key) for key in _ANSWERS]
        return any(_says_no(each, depth + 1) for each in inner)
    if isinstance(answer, str):
        return answer.strip().lower().startswith(_NO) and len(answer) < _SHORT
    return answer is False
