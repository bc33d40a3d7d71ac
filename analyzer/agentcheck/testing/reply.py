"""What a scripted model can answer: replies, and the ways in which a provider fails.

All of it is neutral: the same `Reply` is written as a chat completion, a response, an Anthropic
message or Gemini content, streamed or not, as the request asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

# The reasons for which a reply ends, in OpenAI's words; each provider module has its own for them.
FINISHES = ("stop", "length", "content_filter", "tool_calls", "refusal")


class Call(NamedTuple):
    """A tool call the model makes.

    `arguments` is a mapping, or JSON text as it goes over the wire (broken if you like), or None:
    then they are made up to fit the parameters of the tool as the request offers it.
    """

    name: str
    arguments: Mapping[str, Any] | str | None = None

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps({} if self.arguments is None else dict(self.arguments))


@dataclass(frozen=True)
class Reply:
    """What the model says to one request.

    `finish` is one of FINISHES, by default "tool_calls" where there are calls and else "stop";
    with "refusal", `text` is the refusal. `usage` is input and output tokens, by default the
    estimates of the request and the reply. With `empty_last_chunk`, a stream ends with a chunk that
    has no choices (candidates), whether or not the request asked for usage.
    """

    text: str | None = None
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    usage: tuple[int, int] | None = None
    empty_last_chunk: bool = False

    @property
    def ends(self) -> str:
        """The reason for which the reply ends."""
        return self.finish or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class Failure:
    """An answer with an error status; `retry_after` is in seconds, and a header of that name."""

    status: int = 500
    retry_after: float | None = None
    message: str = "The scripted model fails here."


@dataclass(frozen=True)
class Dropped:
    """The connection ends before the answer does.

    Nothing of the answer arrives where `after` is None; else `after` events of a stream of `reply`
    do (of a reply that is not streamed: its first half).
    """

    after: int | None = None
    reply: Reply = Reply(text="This sentence never comes to its")


@dataclass(frozen=True)
class Slow:
    """A reply that takes its time: `seconds` before it starts, and before each event of a stream.

    The time is real. A client whose read timeout is shorter than `seconds` gets a timeout.
    """

    seconds: float = 1.0
    reply: Reply = Reply(text="At last.")


@dataclass(frozen=True)
class Refused:
    """A request that does not fit the script: answered with status 400, and a fault of the test."""

    message: str


Step = Reply | Failure | Dropped | Slow | Refused


def says(text: str = "Done.", finish: str = "stop") -> Reply:
    """A reply in words."""
    return Reply(text=text, finish=finish)


def asks(*calls: str | Call, finish: str = "tool_calls") -> Reply:
    """A reply that calls tools, all in one batch; a bare name gets arguments that fit."""
    made = tuple(Call(call) if isinstance(call, str) else call for call in calls)
    return Reply(calls=made, finish=finish)
