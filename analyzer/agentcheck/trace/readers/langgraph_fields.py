"""Fields that the records of LangGraph have in common, whatever shape they are in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.trace.readers.langchain_message import is_langchain

State = dict[str, Any]


def lists_in(state: State, at: str) -> Iterator[tuple[str, list[Any]]]:
    """The channels of a state that hold messages; one alone counts as a list."""
    for channel, value in state.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            if channel == "messages" or is_langchain(value[0]):
                yield f"{at}/{channel}", value
        elif is_langchain(value):
            yield f"{at}/{channel}", [value]


def asked_in(interrupts: Any) -> list[Any]:
    """What a graph asks with: objects of `value` and `id`, or the values alone."""
    if isinstance(interrupts, dict):
        lists = [item for item in interrupts.values() if isinstance(item, list)]
        return [value for item in lists for value in item]
    return interrupts if isinstance(interrupts, list) else []


def of_task(task: Any, name: str, index: int) -> Any:
    """A field of a task, which is an object, or a list where a named tuple was dumped."""
    if isinstance(task, dict):
        return task.get(name)
    return task[index] if isinstance(task, list) and len(task) > index else None


def is_write(write: Any) -> bool:
    """Whether a value is a pending write: task, channel, value."""
    return isinstance(write, list) and len(write) == 3 and isinstance(write[1], str)


def _configured(config: Any) -> State:
    inner = config.get("configurable", config) if isinstance(config, dict) else {}
    return inner if isinstance(inner, dict) else {}


def thread_of(config: Any) -> str:
    """The id of the thread that a configuration is for, empty where it names none."""
    found = _configured(config).get("thread_id")
    return found if isinstance(found, str) else ""


def checkpoint_of(config: Any) -> str | None:
    """The id of the checkpoint that a configuration is for."""
    found = _configured(config).get("checkpoint_id")
    return found if isinstance(found, str) else None


def step_of(value: Any) -> int:
    """A step's number, 0 for what is none."""
    return value if type(value) is int else 0
