"""The export of the OpenAI Agents SDK: `trace` and `trace.span` objects, one a line.

What a TracingProcessor writes with `trace.export()` and `span.export()`, or the bodies
`{"data": [..]}` that the SDK uploads. Spans come in the order in which they end, children first,
and those of several traces may interleave. Read against openai-agents 0.24.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from operator import attrgetter
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Outline, Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers.agents_sdk_outline import plain_run
from agentcheck.trace.readers.agents_sdk_plain import PlainObject, brief_object, plain_object
from agentcheck.trace.readers.agents_sdk_replay import SdkReplay
from agentcheck.trace.readers.agents_sdk_spans import SdkObject, Tree
from agentcheck.trace.readers.base import FITS, NOT_AT_ALL, Fit, Format, Gathered
from agentcheck.trace.readers.grouping import Gather, Group, groups_of
from agentcheck.trace.records import BROKEN, Buffer, ForeignError, Records, strict

NAME = "OpenAI Agents SDK export"
_OBJECTS = ("trace", "trace.span")


class _Ids(Struct, gc=False):
    """Just enough of an object to know its trace; a body holds more of them in `data`."""

    object: Any = None
    id: Any = None
    trace_id: Any = None
    data: Any = None


_IDS = msgspec.json.Decoder(_Ids)
_OBJECT = msgspec.json.Decoder(SdkObject)


def read_export(records: Records) -> Iterator[Run | Skipped]:
    """The traces of a file, each as one run, in the order in which they begin."""
    number = count()
    for group in groups_of(records, _GATHER):
        yield group if isinstance(group, Skipped) else _run(records.name, next(number), group)


def _keys(raw: Buffer) -> Iterable[str]:
    try:
        ids = _IDS.decode(raw)
    except ValueError:
        ids = _IDS.decode(strict(raw))
    if ids.object == "trace.span" and type(ids.trace_id) is str:
        return (ids.trace_id,)
    found = {_trace_id(value) for value in _flat(ids)}
    keys = {key for key in found if key is not None}
    if not keys:
        raise ForeignError("no trace or span")
    return keys


def _flat(ids: _Ids) -> Iterable[Any]:
    if ids.object is None and isinstance(ids.data, list):
        return [msgspec.convert(d, _Ids) for d in ids.data if isinstance(d, dict)]
    return [ids]


def _trace_id(value: _Ids) -> str | None:
    key = value.id if value.object == "trace" else value.trace_id
    return key if isinstance(key, str) else None


def _run(name: str, number: int, group: Group[SdkObject]) -> Run:
    spans = [o for o in group.held if o.object != "trace"]
    head = next((o for o in group.held if o.object == "trace"), None)
    tree = Tree(spans)
    replay = SdkReplay(name, number, tree)
    replay.unknown += group.lost + len(tree.orphans)
    workflow = head.workflow_name if head and isinstance(head.workflow_name, str) else None
    replay.play(group.key, workflow)
    return replay.finish(group.key, NAME)


def _objects(raw: Buffer) -> list[SdkObject]:
    try:
        return _decoded(raw)
    except ValueError:
        return _decoded(strict(raw))


def _decoded(raw: Buffer) -> list[SdkObject]:
    found = _OBJECT.decode(raw)
    if found.object is None and isinstance(found.data, list):
        return [msgspec.convert(d, SdkObject) for d in found.data if isinstance(d, dict)]
    return [found]


_Seen: TypeAlias = PlainObject | SdkObject


def _quick(raw: Buffer) -> Sequence[_Seen] | None:
    plain = plain_object(raw)
    return None if plain is None else (plain,)


def _seen(raw: Buffer) -> Sequence[_Seen]:
    return _quick(raw) or _objects(raw)


def _told(name: str, group: Group[_Seen], number: int) -> Recorded:
    """The outline of a trace; of plain objects alone it is told without playing."""
    play = partial(_played, name, group, number)
    outline = _plain(group)
    return recorded(play()) if outline is None else Recorded(outline, play)


def _plain(group: Group[_Seen]) -> Outline | None:
    plain = [each for each in group.held if type(each) is PlainObject]
    return plain_run(plain, group.lost) if len(plain) == len(group.held) else None


def _played(name: str, group: Group[_Seen], number: int) -> Run:
    held, lost = list[SdkObject](), group.lost
    for each in group.held:
        try:
            held += _objects(each.raw) if isinstance(each, PlainObject) else [each]
        except BROKEN:  # in an input, which only the outline looks into
            lost += 1
    return _run(name, number, Group(group.key, held, lost, group.torn))


def _outlines(name: str, group: Group[_Seen], number: int) -> Iterator[Recorded]:
    yield _told(name, group, number)


def outlines_of_export(records: Records) -> Iterator[Recorded | Skipped]:
    """As `read_export`, by the outlines."""
    number = count()
    for group in groups_of(records, _GLANCE):
        yield group if isinstance(group, Skipped) else _told(records.name, group, next(number))


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return NOT_AT_ALL
    if value.get("object") in _OBJECTS:
        return FITS
    data = value.get("data")
    first = data[0] if isinstance(data, list) and data else None
    if isinstance(first, dict) and first.get("object") in _OBJECTS:
        return FITS
    if "span_data" in value:
        return Fit(0.8, "a span without `object`")
    return Fit(0.05, "no `object` that is a trace or trace.span")


_GATHER = Gather(_keys, _objects, attrgetter("trace"))
_GLANCE = Gather(_keys, _seen, attrgetter("trace"), _quick, brief_object, attrgetter("trace_id"))
_MARKS = ("object", "trace_id", "span_data", "started_at", "parent_id")
_GATHERED = Gathered(_GLANCE, _outlines, _plain)
AGENTS_SDK = Format(NAME, _fit, read_export, outlines_of_export, gathered=_GATHERED, marks=_MARKS)
