"""Chat messages in their plainest shape -> the outline of a run, with no events in between.

Plain are texts of system, user and assistant, calls with an id, a name and arguments in a text,
and results that name their call. The types of the messages say all of it, so that decoding
refuses whatever an outline would not know how to tell; such a run is replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from agentcheck.model.event import FieldGroup
from agentcheck.trace.arguments import arguments_in
from agentcheck.trace.outline import Outline
from agentcheck.trace.readers.chat_replay import KNOWN, LONGEST_HANDOFF, handoff_target
from agentcheck.trace.records import BROKEN, Buffer

_Named = Annotated[str, Meta(min_length=1)]
_Absent: TypeAlias = Literal["\0absent"] | UnsetType  # nothing ever has that value
_KNOWN: frozenset[FieldGroup] = frozenset(KNOWN)
SUBJECT = "run"


class _Message(Struct, gc=False):
    """What a replay reads of any message is decoded here too, so that what it refuses is refused.

    The fields are those of `ChatMessage`.
    """

    content: str | None = None
    tool_calls: Any = None
    tool_call_id: Any = None
    name: Any = None
    type: Any = None
    sender: Any = None
    function_call: Any = None
    tool_call_ids: Any = None
    call_id: Any = None
    arguments: Any = None
    output: Any = None
    tool: Any = None
    status: Any = None
    action: Any = None
    finish_reason: Any = UNSET
    is_error: Any = UNSET
    error: Any = UNSET


class _Said(_Message, tag_field="role", tag="user", gc=False):
    name: None = None
    tool: None = None


class PlainSystem(_Said, tag_field="role", tag="system", gc=False):
    """A system prompt."""


class _Function(Struct, forbid_unknown_fields=True, gc=False):
    name: _Named
    arguments: str


class PlainCall(Struct, forbid_unknown_fields=True, gc=False):
    """A call of a tool."""

    id: _Named
    function: _Function
    type: Any = None
    index: Any = None


class PlainReply(_Message, tag_field="role", tag="assistant", gc=False):
    """What a model answered."""

    tool_calls: list[PlainCall] | None = None
    function_call: None = None
    name: None = None
    sender: None = None
    type: None = None
    finish_reason: _Absent = UNSET


class PlainResult(_Message, tag_field="role", tag="tool", kw_only=True, gc=False):
    """The answer to a call."""

    tool_call_id: _Named
    status: None = None
    is_error: _Absent = UNSET
    error: _Absent = UNSET


Plain: TypeAlias = _Said | PlainSystem | PlainReply | PlainResult


def plain_decoder(
    key: str, without: Sequence[str] = (), sound: Sequence[str] = ()
) -> msgspec.json.Decoder[Any]:
    """Decodes an object with plain messages under a key, as `messages`; refuses any other.

    So it does an object with one of the keys in `without`, whatever is there; what is under those
    in `sound` is decoded too.
    """
    refused = {f"no_{number}": name for number, name in enumerate(without)}
    decoded = {f"any_{number}": name for number, name in enumerate(sound)}
    kind = msgspec.defstruct(
        "Holder",
        [
            ("messages", list[Plain]),
            *((field, _Absent, UNSET) for field in refused),
            *((field, Any, UNSET) for field in decoded),
        ],
        rename={"messages": key, **refused, **decoded},
        gc=False,
    )
    return msgspec.json.Decoder(kind)


PLAIN_LIST = msgspec.json.Decoder(list[Plain])


class PlainRun(NamedTuple):
    """The outline of a run, and the messages that tell it."""

    outline: Outline
    messages: list[Plain]


def plain_messages(raw: Buffer, decoder: msgspec.json.Decoder[Any]) -> PlainRun | None:
    """A run of plain messages under a key, None for any other."""
    try:
        return _run(decoder.decode(raw).messages) if _is_utf8(raw) else None
    except BROKEN:
        return None


def plain_list(raw: Buffer) -> PlainRun | None:
    """A bare list of plain messages, None for any other."""
    try:
        return _run(PLAIN_LIST.decode(raw)) if _is_utf8(raw) else None
    except BROKEN:
        return None


def _run(messages: list[Plain]) -> PlainRun | None:
    outline = _told(messages)
    return None if outline is None else PlainRun(outline, messages)


def _is_utf8(raw: Buffer) -> bool:
    """Decoding does not look into texts that no field takes; a replay may read them. May raise."""
    return (isinstance(raw, bytes) and raw.isascii()) or bool(str(raw, "utf-8"))


def _told(messages: list[Plain]) -> Outline | None:
    """One pass over the messages. `size` counts the characters so far, `before` the last reply."""
    calls: list[PlainCall] = []
    results: list[str] = []
    said: list[str] = []
    system: list[str] = []
    other: list[str] = []
    replies = size = before = 0
    paired = True
    asked: Sequence[str] = ()
    waiting: list[str] = []
    for message in messages:
        kind, text = type(message), message.content or ""
        if kind is PlainResult:
            call_id = message.tool_call_id
            if call_id in waiting:
                waiting.remove(call_id)
            elif call_id not in asked:
                paired = False
            results.append(text)
        elif kind is PlainReply:
            replies += 1
            before = size
            paired = paired and not waiting
            if text:
                said.append(text)
            mine = message.tool_calls
            if mine:
                calls += mine
                asked = [call.id for call in mine] if len(mine) > 1 else (mine[0].id,)
                waiting = [*asked]
                paired = paired and (len(mine) == 1 or len(set(asked)) == len(asked))
                for call in mine:
                    size += len(call.function.name) + len(call.function.arguments)
            else:
                asked, waiting = (), []
        elif text:
            (system if kind is PlainSystem else other).append(text)
        size += len(text)
    if not messages or _hand_over(results):
        return None
    return _outline(
        _Told(calls, results, said, system, other, replies, before, paired and not waiting)
    )


class _Told(NamedTuple):
    """What messages tell, but for the arguments of calls; the fields are those of an outline."""

    calls: list[PlainCall]
    results: list[str]
    said: list[str]
    system: list[str]
    other: list[str]
    replies: int
    size: int
    paired: bool


def _hand_over(results: list[str]) -> bool:
    """Whether a result may be that of a handoff; what else is long or names no assistant."""
    short = [text for text in results if len(text) <= LONGEST_HANDOFF and '"assistant"' in text]
    return any(map(handoff_target, short))


def _outline(told: _Told) -> Outline:
    raws: dict[str, list[str]] = {}
    given: dict[str, list[dict[str, Any] | None]] = {}
    broken = False
    for call in told.calls:
        name, raw = call.function.name, call.function.arguments
        value = arguments_in(raw)
        broken = broken or value is None
        if name in raws:
            raws[name].append(raw)
            given[name].append(value)
        else:
            raws[name], given[name] = [raw], [value]
    return Outline(
        subject=SUBJECT,
        speaker=SUBJECT,
        known=_KNOWN,
        calls=raws,
        given=given,
        results=told.results,
        said=told.said,
        system=told.system,
        other=told.other,
        replies=told.replies,
        turns=told.replies,
        loops=min(told.replies, 1),
        size=told.size,
        broken=broken,
        paired=told.paired,
        answered=bool(told.said),
    )
