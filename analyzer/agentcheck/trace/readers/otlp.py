"""OTLP/JSON with the GenAI semantic conventions of OpenTelemetry.

One TracesData a line (the collector's file exporter, SDK encoders) or a document. A trace is
gathered over all lines; the conversations in it are runs of their own. Attributes are read under
today's names, those of pydantic-ai's instrumentation formats 2 to 5, and those of OpenInference and
Traceloop's OpenLLMetry.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from agentcheck.model.event import Run
from agentcheck.model.report import Skipped
from agentcheck.trace.outline import Recorded
from agentcheck.trace.outlined import recorded
from agentcheck.trace.readers.base import FITS, Fit, Format, Gathered
from agentcheck.trace.readers.grouping import Gather, Group, groups_of
from agentcheck.trace.readers.node import GEN_AI, dialect
from agentcheck.trace.readers.otlp_replay import KNOWN, OtlpReplay
from agentcheck.trace.readers.otlp_spans import AnySpan, nodes_of, spans_in, trace_ids
from agentcheck.trace.readers.otlp_tree import OtlpTree
from agentcheck.trace.records import Records

NAME = "OTLP with gen_ai attributes"


def read_otlp(records: Records) -> Iterator[Run | Skipped]:
    """The conversations of a file, each as one run, trace by trace."""
    count = traces = 0
    for group in groups_of(records, _GATHER):
        if isinstance(group, Skipped):
            yield group
            continue
        traces += 1
        for run in _play(records.name, group, count):
            yield run
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


def _outlines(name: str, group: Group[AnySpan], first: int) -> Iterator[Recorded]:
    return map(recorded, _play(name, group, first))


_GATHER = Gather(trace_ids, spans_in, attrgetter("traceId"))
_MARKS = ("resourceSpans", "scopeSpans", "spans", "traceId", "spanId", "attributes")
OTLP = Format(NAME, _fit, read_otlp, gathered=Gathered(_GATHER, _outlines), marks=_MARKS)
