"""Handoffs that only the code can tell: calls of tools which it shows to return an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from agentcheck.model.event import Event, Handoff, Run, ToolCall, ToolResult
from agentcheck.trace.outline import Recorded
from agentcheck.trace.outlined import recorded


def handing_over(one: Recorded, targets: Mapping[str, str]) -> Recorded:
    """The run with such handoffs; not played where it calls none of the tools in `targets`."""
    if targets.keys().isdisjoint(one.outline.calls):
        return one
    return recorded(with_handoffs(one.play(), targets))


def with_handoffs(run: Run, targets: Mapping[str, str]) -> Run:
    """The run with a handoff event behind each answered call of a tool in `targets`.

    `targets` maps a tool's name to the agent it hands over to. A call that the format already
    told as a handoff is left alone, and so is one that failed.
    """
    added = [c for c in run.all(ToolCall) if c.name in targets and c.call_key not in run.handed]
    if not added:
        return run
    keys = {c.call_key: c for c in added}
    events = tuple(event for old in run.events for event in _behind(old, keys, targets))
    return replace(run, events=events, known=run.known | {"handoffs"})


def _behind(
    event: Event, calls: Mapping[str, ToolCall], targets: Mapping[str, str]
) -> Iterator[Event]:
    yield event
    call = calls.get(event.call_key or "") if isinstance(event, ToolResult) else None
    if call is not None and isinstance(event, ToolResult) and not event.is_error:
        yield Handoff(
            seq=event.seq,
            source=event.source,
            ts=event.ts,
            from_agent=call.agent,
            to_agent=targets[call.name],
            call_key=call.call_key,
            batch=call.batch,
        )
