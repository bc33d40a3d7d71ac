"""A request as the scripted model got it, in the same words whichever provider it is meant for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CHARACTERS_PER_TOKEN = 4  # of English prose and JSON, roughly; an estimate and no count


class Asked(NamedTuple):
    """A tool call in the history of a request; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


class Message(NamedTuple):
    """One message of the history.

    `role` is "system", "user", "assistant" or "tool"; `calls` are the tool calls of an assistant
    message, `call_id` is the call that a tool message answers (of Gemini: the id, or the name of
    the function where the request gives no id). `text` joins the texts; pictures and the like are
    left out.
    """

    role: str
    text: str
    calls: tuple[Asked, ...] = ()
    call_id: str | None = None


class Tool(NamedTuple):
    """A tool that the request offers; `parameters` is its JSON schema."""

    name: str
    parameters: Mapping[str, Any] = {}
    description: str = ""


@dataclass(frozen=True)
class Request:
    """One request: `number` counts from 1, `body` is the JSON that was sent.

    `provider` is "openai-chat", "openai-responses", "anthropic" or "gemini". `tool_choice` is
    "auto", "none", "required" or the name of a tool; `schema` the JSON schema that the answer must
    have, if any; `timeout` the client's read timeout in seconds where it is known, None where there
    is none (or the request came through the server). `faults` are what the provider refuses,
    `unknown_fields` the paths of fields that it does not know, such as `messages[2].sender`.
    """

    number: int
    provider: str
    path: str
    model: str
    body: Mapping[str, Any]
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    stream: bool = False
    parallel: bool = True
    tool_choice: str = "auto"
    schema: Mapping[str, Any] | None = None
    timeout: float | None = None
    host: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    unknown_fields: tuple[str, ...] = ()

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools the request offers, in its order."""
        return [tool.name for tool in self.tools]

    @property
    def tokens(self) -> int:
        """An estimate of the input tokens: the JSON of the request, 4 characters to a token."""
        return estimate(json.dumps(self.body, ensure_ascii=False, default=str))

    @property
    def answers(self) -> dict[str, str]:
        """The texts of the tool messages since the last assistant message, by call id."""
        found: dict[str, str] = {}
        for message in reversed(self.messages):
            if message.role == "assistant":
                break
            if message.role == "tool" and message.call_id is not None:
                found[message.call_id] = message.text
        return dict(reversed(found.items()))

    def tool(self, name: str) -> Tool | None:
        """The offered tool of that name."""
        return next((tool for tool in self.tools if tool.name == name), None)


def estimate(text: str) -> int:
    """About how many tokens a text is."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)
