"""OTLP/JSON with the GenAI semantic conventions of OpenTelemetry.

One TracesData a line (the collector's file exporter, SDK encoders) or a document. A trace is
gathered over all lines; the conversations in it are runs of their own. Attributes are read under
today's names, those of pydantic-ai's instrumentation formats 2 to 5, and those of OpenInference and
Traceloop's OpenLLMetry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Outline, Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers.base import FITS, Fit, Format, Gathered
from agentcheck.trace.readers.grouping import Gather, Group, groups_of
from agentcheck.trace.readers.node import GEN_AI, dialect
from agentcheck.trace.readers.otlp_outline import plain_run
from agentcheck.trace.readers.otlp_plain import PlainSpan, brief_spans, plain_spans
from agentcheck.trace.readers.otlp_replay import KNOWN, OtlpReplay
from agentcheck.trace.readers.otlp_spans import AnySpan, nodes_of, spans_in, trace_ids
from agentcheck.trace.readers.otlp_tree import OtlpTree
from agentcheck.trace.records import Buffer, Records

T = TypeVar("T")
R = TypeVar("R")
NAME = "OTLP with gen_ai attributes"


def read_otlp(records: Records) -> Iterator[Run | Skipped]:
    """The conversations of a file, each as one run, trace by trace."""
    return _conversations(records, _GATHER, _play)


def _conversations(
    records: Records, gather: Gather[T], tell: Callable[[str, Group[T], int], Iterator[R]]
) -> Iterator[R | Skipped]:
    count = traces = 0
    for group in groups_of(records, gather):
        if isinstance(group, Skipped):
            yield group
            continue
        traces += 1
        for one in tell(records.name, group, count):
            yield one
            count += 1
    if not count:
        lacks = "any gen_ai attributes: no agent runs" if traces else "spans that name their trace"
        yield Skipped(records.name, f"OTLP traces without {lacks}")


def _play(name: str, group: Group[AnySpan], first: int) -> Iterator[Run]:
    tree = OtlpTree(*nodes_of(group.held))
    for number, (conversation, nodes) in enumerate(tree.conversations().items()):
        spoken = dialect(nodes)
        known = KNOWN if spoken == GEN_AI else ()
        replay = OtlpReplay(name, first + number, tree, known)
        replay.play(nodes)
        replay.unknown += group.lost + tree.nameless + (len(tree.orphans) if group.torn else 0)
        yield replay.finish(conversation or group.key, f"OTLP with {spoken} attributes")


def _fit(value: Any) -> Fit:
    if not isinstance(value, dict):
        return Fit(0.0, "no object")
    spans = value.get("resourceSpans")
    if isinstance(spans, list):
        return FITS
    if "resource_spans" in value:
        return Fit(0.9, "`resource_spans`: OTLP/JSON writes its names in camel case")
    if "resourceLogs" in value or "resourceMetrics" in value:
        return Fit(0.5, "OTLP logs or metrics, which hold no spans")
    return Fit(0.05, "no `resourceSpans`")


_Seen: TypeAlias = PlainSpan | AnySpan


def _seen(raw: Buffer) -> Sequence[_Seen]:
    return plain_spans(raw) or spans_in(raw)


def _told(name: str, group: Group[_Seen], first: int) -> Iterator[Recorded]:
    """The outlines of the conversations of a trace; of plain spans they are told unplayed."""
    outline = _plain(group)
    if outline is not None:
        yield Recorded(outline, partial(_played, name, group, first))
    else:
        yield from map(recorded, _play(name, _decoded(group), first))


def _plain(group: Group[_Seen]) -> Outline | None:
    spans = [span for span in group.held if type(span) is PlainSpan]
    whole = len(spans) == len(group.held)
    return plain_run(spans, group.lost, torn=group.torn) if whole else None


def _played(name: str, group: Group[_Seen], first: int) -> Run:
    return next(_play(name, _decoded(group), first))


def _decoded(group: Group[_Seen]) -> Group[AnySpan]:
    """A trace with its spans as a replay takes them, each record decoded once."""
    held: list[AnySpan] = []
    last: Buffer | None = None
    for span in group.held:
        if not isinstance(span, PlainSpan):
            held.append(span)
        elif span.record is not last:
            last = span.record
            held += [each for each in spans_in(last) if each.traceId == group.key]
    return Group(group.key, held, group.lost, group.torn)


def outlines_of_otlp(records: Records) -> Iterator[Recorded | Skipped]:
    """As `read_otlp`, by the outlines."""
    return _conversations(records, _GLANCE, _told)


_GATHER = Gather(trace_ids, spans_in, attrgetter("traceId"))
_GLANCE = Gather(
    trace_ids, _seen, attrgetter("traceId"), plain_spans, brief_spans, attrgetter("traceId")
)
_MARKS = ("resourceSpans", "scopeSpans", "spans", "traceId", "spanId", "attributes")
OTLP = Format(
    NAME, _fit, read_otlp, outlines_of_otlp, gathered=Gathered(_GLANCE, _told, _plain), marks=_MARKS
)
