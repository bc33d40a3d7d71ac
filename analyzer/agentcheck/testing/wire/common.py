"""What the wire formats share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agentcheck.testing.reply import Call, Reply
from agentcheck.testing.request import Asked, Message, Tool


class Head(NamedTuple):
    """What is not the script's: the number of the request (from 1), and its model and body.

    `usage` is input and output tokens.
    """

    number: int
    model: str
    body: Mapping[str, Any]
    usage: tuple[int, int]
    stream: bool = False

    def call_id(self, index: int) -> str:
        """The id of the index-th call of the reply, the same in every provider's words."""
        return f"call_{self.number}_{index}"


class Event(NamedTuple):
    """One event of a stream; `name` is its type where the wire gives that a line of its own."""

    data: Mapping[str, Any] | str
    name: str | None = None

    def encoded(self, ending: str = "\n") -> bytes:
        """The event as Server-Sent Events have it."""
        text = self.data if isinstance(self.data, str) else json.dumps(self.data)
        lines = [f"event: {self.name}"] if self.name else []
        return (ending.join([*lines, f"data: {text}"]) + ending * 2).encode()


class Heard(NamedTuple):
    """What a request says, in neutral words; the fields are those of `Request`.

    `refused_fields` are the paths of unknown fields for which the provider refuses the request,
    `unknown_fields` of those that it passes over.
    """

    model: str
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    stream: bool = False
    parallel: bool = True
    tool_choice: str = "auto"
    schema: Mapping[str, Any] | None = None
    faults: tuple[str, ...] = ()
    refused_fields: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()


# What earlier requests left on the provider's side, by the id that later ones call it.
Memory = Mapping[str, tuple[Message, ...]]


class Provider(NamedTuple):
    """One wire format.

    `read` takes the JSON body, the path and what the provider remembers. `whole` is the body of an
    answer, `events` its stream, `error` the body of a failure with that status and message.
    """

    name: str
    read: Callable[[Mapping[str, Any], str, Memory], Heard]
    whole: Callable[[Reply, Head], dict[str, Any]]
    events: Callable[[Reply, Head], Iterable[Event]]
    error: Callable[[int, str], dict[str, Any]]


def halves(text: str) -> list[str]:
    """A text in two pieces, as a stream brings it; none of the empty text."""
    middle = len(text) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


def arguments(call: Call) -> dict[str, Any]:
    """The arguments as an object; an empty one where they are none."""
    try:
        value = json.loads(call.text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def is_broken(call: Call) -> bool:
    """Whether the arguments are no JSON object."""
    try:
        return not isinstance(json.loads(call.text), dict)
    except ValueError:
        return True


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """The value as a list; the empty list if it is none."""
    return (
        list(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else []
    )


def text_of(content: Any) -> str:
    """The text of a message's content: itself, or the texts of its parts joined."""
    if isinstance(content, str):
        return content
    parts = [as_mapping(part) for part in as_list(content)]
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in parts)


def asked(call_id: Any, name: Any, given: Any) -> Asked:
    """A call of the history; arguments that come as an object become JSON text."""
    text = given if isinstance(given, str) else json.dumps(given if given is not None else {})
    return Asked(str(call_id), str(name), text)
