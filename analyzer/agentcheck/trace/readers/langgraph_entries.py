"""One record of LangGraph, whatever shape it has: messages, what it waits for, what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from agentcheck.trace.readers.base import Fit
from agentcheck.trace.readers.chat_fit import is_message
from agentcheck.trace.readers.clock import nanoseconds
from agentcheck.trace.readers.langchain_message import is_langchain
from agentcheck.trace.readers.langgraph_fields import (
    State,
    asked_in,
    checkpoint_of,
    is_write,
    lists_in,
    of_task,
    step_of,
    thread_of,
)

INTERRUPT = "__interrupt__"
RESUME = "__resume__"
_FIELDS = (
    "values", "next", "config", "metadata", "created_at", "parent_config", "tasks", "interrupts",
)  # fmt: skip
_MODES = frozenset({"updates", "values", "debug", "checkpoints", "tasks", "messages", "custom"})


class Entry(Struct, kw_only=True):
    """A snapshot (`whole`) or an update of a thread's state.

    `messages` are lists of messages with the JSON pointer to each. `interrupts` are the values
    that the graph asks with, `resumes` what was answered. `next` are the nodes still to run, None
    where the record does not say. `at` is what it is ordered by, `step` after that.
    """

    thread: str
    whole: bool
    messages: list[tuple[str, list[Any]]]
    interrupts: list[Any] = []
    resumes: list[Any] = []
    next: list[Any] | None = None
    asks: bool = False
    parent: str | None = None
    id: str | None = None
    failed: bool = False
    at: int | None = None
    step: int = 0


def entry_of(value: Any) -> Entry | None:
    """A record as what it tells; None for none of LangGraph's."""
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("channel_values"), dict):
        return _checkpoint(value, {}, "")
    inner = value.get("checkpoint")
    if isinstance(inner, dict) and isinstance(inner.get("channel_values"), dict):
        return _checkpoint(inner, value, "/checkpoint")
    if isinstance(value.get("values"), dict) and ("next" in value or "config" in value):
        return _snapshot(value, "")
    mode = value.get("type")
    if isinstance(mode, str) and mode in _MODES and "data" in value:
        return _streamed(mode, value["data"], "/data", value.get("interrupts"))
    if isinstance(value.get("payload"), dict) and "step" in value:
        return _debug(value)
    return _update(value, "")


def is_history(entry: Entry) -> bool:
    """Whether a record is LangGraph's beyond doubt: it holds messages or asks a person."""
    items = [item for _, held in entry.messages for item in held]
    return (
        bool(entry.interrupts)
        or any(map(is_langchain, items))
        or (entry.next is not None and any(map(is_message, items)))
    )


def near_miss(value: Any) -> Fit:
    """Why a record is none of LangGraph's, or none that can be told."""
    entry = entry_of(value)
    if entry is not None and entry.messages:
        return Fit(0.8, "a graph's state whose messages are none of LangChain's")
    if _is_part(value) and not (entry is not None and entry.whole):
        return Fit(0.7, "a graph's stream of a mode that holds no state")
    if entry is not None and entry.whole:
        return Fit(0.7, "a graph's state without messages")
    if isinstance(value, dict) and "channel_versions" in value:
        return Fit(0.6, "a checkpoint whose `channel_values` are not JSON")
    return Fit(0.05, "no state, checkpoint or update of a graph")


def _is_part(value: Any) -> bool:
    """Whether a record is a part of a stream that names its mode."""
    return isinstance(value, dict) and "data" in value and "ns" in value


def _of_list(items: list[Any]) -> Entry | None:
    """A snapshot written as a list, or a streamed pair (mode, data) or triple with a path."""
    if len(items) in (2, 3) and isinstance(items[-2], str) and items[-2] in _MODES:
        return _streamed(items[-2], items[-1], f"/{len(items) - 1}")
    if len(items) >= 6 and isinstance(items[0], dict) and thread_of(items[2]):
        named = dict(zip(_FIELDS, items, strict=False))
        return _snapshot(named, "", values_at="/0")
    return None


def _streamed(mode: str, data: Any, at: str, asked: Any = None) -> Entry | None:
    if not isinstance(data, dict):
        return None
    if mode == "values":
        return Entry(
            thread="",
            whole=True,
            messages=list(lists_in(data, at)),
            interrupts=asked_in(data.get(INTERRUPT)) or asked_in(asked),
        )
    if mode in ("debug", "checkpoints"):
        return _checkpointed(data, at)
    if mode != "updates":
        return Entry(thread="", whole=False, messages=[])
    return _update(data, at) or Entry(thread="", whole=False, messages=[])


def _checkpointed(data: State, at: str) -> Entry:
    if "payload" in data:
        return _debug(data)
    if isinstance(data.get("values"), dict):
        return _snapshot(data, at)
    return Entry(thread="", whole=False, messages=[])


def _debug(value: State) -> Entry:
    inner = value["payload"] if isinstance(value.get("payload"), dict) else {}
    if isinstance(inner.get("values"), dict):
        found = _snapshot(inner | {"created_at": value.get("timestamp")}, "/payload")
        found.step = step_of(value.get("step"))
        found.thread = ""  # of the records of tasks nothing says whose they are
        return found
    return Entry(
        thread="",
        whole=False,
        messages=[],
        interrupts=asked_in(inner.get("interrupts")),
        at=nanoseconds(value.get("timestamp")),
        step=step_of(value.get("step")),
    )


def _snapshot(value: State, at: str, values_at: str = "/values") -> Entry:
    tasks = value.get("tasks") if isinstance(value.get("tasks"), list) else None
    config = value.get("config") or value.get("checkpoint")
    asked = [v for task in tasks or [] for v in asked_in(of_task(task, "interrupts", 4))]
    metadata = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    return Entry(
        thread=thread_of(config),
        whole=True,
        messages=list(lists_in(value["values"], at + values_at)),
        interrupts=asked or asked_in(value.get("interrupts")),
        next=value.get("next") if isinstance(value.get("next"), list) else None,
        asks=tasks is not None,
        parent=checkpoint_of(value.get("parent_config") or value.get("parent_checkpoint")),
        id=checkpoint_of(config),
        failed=any(isinstance(of_task(task, "error", 3), str) for task in tasks or []),
        at=nanoseconds(value.get("created_at")),
        step=step_of((metadata or {}).get("step")),
    )


def _checkpoint(value: State, around: State, at: str) -> Entry:
    writes = around.get("pending_writes")
    pending = [w for w in writes if is_write(w)] if isinstance(writes, list) else []
    metadata = around.get("metadata") if isinstance(around.get("metadata"), dict) else {}
    return Entry(
        thread=thread_of(around.get("config")),
        whole=True,
        messages=list(lists_in(value["channel_values"], f"{at}/channel_values")),
        interrupts=[v for w in pending if w[1] == INTERRUPT for v in asked_in(w[2])],
        resumes=[w[2] for w in pending if w[1] == RESUME],
        asks=isinstance(writes, list),
        parent=checkpoint_of(around.get("parent_config")),
        id=value.get("id") if isinstance(value.get("id"), str) else None,
        failed=any(w[1] == "__error__" for w in pending),
        at=nanoseconds(value.get("ts")),
        step=step_of((metadata or {}).get("step")),
    )


def _update(value: State, at: str) -> Entry | None:
    """What nodes wrote: `{"node": {"messages": [..]}}`, or that the graph asks a person."""
    if INTERRUPT in value:
        asked = asked_in(value[INTERRUPT])
        lists = list(lists_in(value, at))
        return Entry(thread="", whole=bool(lists), messages=lists, interrupts=asked)
    found = [pair for node, written in value.items() for pair in _written(node, written, at)]
    plain = all(written is None or isinstance(written, (dict, list)) for written in value.values())
    has = any(is_langchain(item) for _, items in found for item in items)
    silent = bool(value) and all(written is None for written in value.values())
    if plain and (has or silent):
        return Entry(thread="", whole=False, messages=found)
    return None


def _written(node: str, written: Any, at: str) -> Iterator[tuple[str, list[Any]]]:
    parts = written if isinstance(written, list) else [written]
    for number, part in enumerate(parts):
        if isinstance(part, dict) and not is_langchain(part):
            place = f"{at}/{node}/{number}" if isinstance(written, list) else f"{at}/{node}"
            yield from lists_in(part, place)
