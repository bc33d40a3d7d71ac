"""The spans of one trace of the OpenAI Agents SDK: in order of their start, and as a tree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

STEPS = 64
"""How far up a tree is climbed: real ones are some ten spans deep, broken ones may be rings."""


class SdkObject(Struct, gc=False):
    """A trace or a span, as exported; everything is tolerated in each field."""

    object: Any = None
    id: Any = None
    trace_id: Any = None
    parent_id: Any = None
    started_at: Any = None
    ended_at: Any = None
    span_data: Any = None
    error: Any = None
    workflow_name: Any = None
    data: Any = None

    @property
    def trace(self) -> object:
        """The trace it belongs to."""
        return self.id if self.object == "trace" else self.trace_id


class SdkSpan:
    """A span with an id. `kind` is its type, "" where it has none; turns and tasks, which are
    custom spans of the SDK, have their own kinds."""

    __slots__ = ("_error", "_inner", "data", "ended", "id", "kind", "parent", "started")

    def __init__(self, exported: SdkObject) -> None:
        self.id = str(exported.id)
        self.parent = exported.parent_id if isinstance(exported.parent_id, str) else None
        self.data = exported.span_data if isinstance(exported.span_data, dict) else {}
        inner = self.data.get("data")
        self._inner = inner if isinstance(inner, dict) else {}
        self._error = exported.error
        self.started = exported.started_at if isinstance(exported.started_at, str) else ""
        self.ended = exported.ended_at
        kind = self.data.get("type")
        if kind == "custom":
            kind = self._inner.get("sdk_span_type", kind)
        self.kind = kind if isinstance(kind, str) else ""

    @property
    def failed(self) -> bool:
        """Whether the span carries an error."""
        return self._error is not None

    def get(self, key: str) -> Any:
        """A field of the span's data."""
        return self.data.get(key)

    def text(self, key: str) -> str | None:
        """A field of the span's data, where it is a text that is not empty."""
        value = self.data.get(key)
        return value if isinstance(value, str) and value else None

    def failure(self, key: str) -> Any:
        """A field of the span's error, or of the error's data."""
        if not isinstance(self._error, dict):
            return None
        data = self._error.get("data")
        return self._error.get(key) or (data.get(key) if isinstance(data, dict) else None)

    @property
    def agent(self) -> str | None:
        """The agent that the span itself names, as agents and turns do."""
        if self.kind == "agent":
            return self.text("name")
        name = self._inner.get("agent_name")
        return name if isinstance(name, str) else None

    @property
    def start(self) -> float | None:
        """Seconds since the epoch."""
        return seconds(self.started)

    @property
    def duration(self) -> float | None:
        """Seconds from start to end."""
        start, end = self.start, seconds(self.ended)
        return None if start is None or end is None else end - start


class Tree:
    """Spans sorted by their start, with their ancestors. Of spans with one id the last counts."""

    def __init__(self, exported: list[SdkObject]) -> None:
        spans = {o.id: SdkSpan(o) for o in exported if isinstance(o.id, str)}
        self.nameless = sum(not isinstance(o.id, str) for o in exported)
        self._spans = spans
        self._loops: dict[str | None, str | None] = {}
        self._agents: dict[str | None, str | None] = {}
        self.ordered = sorted(spans.values(), key=lambda span: span.started)
        self.orphans = {
            s.parent for s in self.ordered if s.parent is not None and s.parent not in spans
        }

    def up(self, span: SdkSpan) -> list[SdkSpan]:
        """A span's ancestors, nearest first."""
        found: list[SdkSpan] = []
        while len(found) < STEPS and span.parent is not None:
            above = self._spans.get(span.parent)
            if above is None:
                break
            found.append(above)
            span = above
        return found

    def agent(self, span: SdkSpan) -> str | None:
        """The agent that a span happened in."""
        if span.parent not in self._agents:
            names = (above.agent for above in self.up(span))
            self._agents[span.parent] = next(filter(None, names), None)
        return self._agents[span.parent]

    def loop(self, span: SdkSpan) -> str | None:
        """The id of the task a span belongs to: one run of the SDK's Runner.

        Releases without task spans have only the tool call that a nested run stands in.
        """
        if span.parent not in self._loops:
            ids = (above.id for above in self.up(span) if above.kind in ("task", "function"))
            self._loops[span.parent] = next(ids, None)
        return self._loops[span.parent]


def seconds(stamp: Any) -> float | None:
    """An ISO 8601 time, UTC by default, as seconds since the epoch; None where it is none."""
    if not isinstance(stamp, str):
        return None
    try:
        time = datetime.fromisoformat(stamp)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
