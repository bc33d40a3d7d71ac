"""A run as the list of messages that its model calls were given, and its replies.

The events of a run name each message once; a call of a model was given those before it. A run is
taken for one conversation, the histories of its sub-agents among it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from agentcheck.model.event import Message, ModelCall, Run, RunStart, Source, ToolCall, ToolResult
from agentcheck.trace.amounts import cost_known, tokens_given, tokens_made
from agentcheck.trace.arguments import encode_text
from agentcheck.trace.prices import model_name, would_cost

CHARS = 4
"""Characters that an estimate takes for one token."""
_STATIC = frozenset({"system", "developer"})


class Said(Struct, gc=False):
    """A message: what a person or a model said with the calls it made, or the result of a call.

    Results and the message that asked for them have one `atom`: the index of that message.
    """

    at: int
    role: str
    source: Source
    atom: int
    text: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def whole(self) -> str:
        """The text and the calls."""
        asked = (f"{call.name}({call.arguments_raw})" for call in self.calls)
        return "\n".join(filter(None, (self.text, *asked)))

    @property
    def is_static(self) -> bool:
        """Whether this is the system's, which no strategy drops."""
        return self.role in _STATIC

    @property
    def tokens(self) -> int:
        """An estimate of its tokens."""
        return estimate(self.whole)


class Reply(Struct, gc=False):
    """A call of a model: how many messages it was given, and which it gave, None for none.

    `static` is the text that it was given besides: a system prompt that is no message.
    """

    call: ModelCall
    given: int
    made: int | None = None
    static: str = ""


class Conversation(Struct, dict=True):
    """The messages of a run and its replies. `tools` is the text that describes the tools."""

    messages: list[Said]
    replies: list[Reply]
    tools: str = ""

    @cached_property
    def before(self) -> list[int]:
        """The tokens of the messages before each place, estimated."""
        return list(accumulate((message.tokens for message in self.messages), initial=0))


def estimate(text: str) -> int:
    """Tokens of a text where nothing counts them: one for each CHARS characters, rounded up."""
    return -(-len(text) // CHARS)


def given_tokens(talk: Conversation, reply: Reply) -> tuple[int, bool]:
    """The tokens that a reply was given, and whether that is recorded; else it is an estimate."""
    recorded = tokens_given(reply.call)
    if recorded:
        return recorded, True
    return talk.before[reply.given] + estimate(reply.static) + estimate(talk.tools), False


def made_tokens(talk: Conversation, reply: Reply) -> tuple[int, bool]:
    """The tokens of a reply, and whether that is recorded."""
    recorded = tokens_made(reply.call)
    if recorded is not None:
        return recorded, True
    return (talk.messages[reply.made].tokens if reply.made is not None else 0), False


def reply_cost(talk: Conversation, reply: Reply) -> float | None:
    """What a reply cost in US dollars: as recorded, else its tokens at its model's price.

    None where neither is known. Tokens that are not recorded are estimated.
    """
    given, given_counted = given_tokens(talk, reply)
    made, made_counted = made_tokens(talk, reply)
    if reply.call.cost is not None or (given_counted and made_counted):
        return cost_known(reply.call)
    return would_cost(reply.call, given, made)


def conversation_of(run: Run, model: str | None = None) -> Conversation:
    """The messages and replies of a run; `model` is taken for the one that a call does not name."""
    builder = _Builder()
    for event in run.events:
        match event:
            case RunStart():
                builder.talk.tools = encode_text(event.tools) if event.tools else ""
            case ModelCall():
                named = (
                    event if model_name(event) or not model else replace(event, request_model=model)
                )
                builder.reply(named)
            case Message():
                builder.message(event)
            case ToolCall():
                builder.call(event)
            case ToolResult():
                builder.result(event)
    return builder.talk


class _Builder:
    """Adds events one by one. A reply is open until something else than its own follows."""

    def __init__(self) -> None:
        self.talk = Conversation([], [])
        self._open: Said | None = None
        self._atoms: dict[str, int] = {}

    def reply(self, call: ModelCall) -> None:
        self._open = None
        static = call.system_text or ""
        if any(message.is_static and message.text == static for message in self.talk.messages[:4]):
            static = ""
        self.talk.replies.append(Reply(call, len(self.talk.messages), static=static))

    def message(self, event: Message) -> None:
        if event.role == "assistant" and self._open is not None and not self._open.calls:
            said = self._open
            said.text = f"{said.text}\n{event.text}" if said.text else event.text
        else:
            said = self._add(event.role, event.source, text=event.text)
            self._open = said if event.role == "assistant" else None

    def call(self, event: ToolCall) -> None:
        said = self._open or self._add("assistant", event.source)
        self._open = said
        said.calls = (*said.calls, event)
        self._atoms[event.call_key] = said.at

    def result(self, event: ToolResult) -> None:
        at = len(self.talk.messages)
        atom = self._atoms.get(event.call_key or "", at)
        self._add("tool", event.source, text=event.content, atom=atom)
        self._open = None

    def _add(self, role: str, source: Source, *, text: str = "", atom: int | None = None) -> Said:
        messages, replies = self.talk.messages, self.talk.replies
        at = len(messages)
        said = Said(at, role, source, at if atom is None else atom, text)
        messages.append(said)
        if role == "assistant" and replies and replies[-1].made is None:
            replies[-1].made = at
        return said
