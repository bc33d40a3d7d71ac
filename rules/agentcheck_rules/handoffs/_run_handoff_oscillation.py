"""Control that goes round among agents while none of them does any work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Handoff,
    Message,
    Outline,
    Run,
    ToolCall,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

SHOWN = 8
Edge = tuple[str, str]


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did no handoff happen a second time with no work done since the first?"""
    handoffs = run.all(Handoff)
    lacking = run_lacks(run, run.name, "handoffs")
    if lacking is not None or not handoffs:
        yield lacking or run_not_applicable(run, run.name, "No agent handed over.")
        return
    rounds = [row for row in _idle_rows(run) if _closed_at(row) is not None]
    yield from map(_hit, rounds)
    if not rounds:
        why = f"None of {len(handoffs)} handoffs was repeated without work in between."
        yield run_met(run, run.name, why, handoffs)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No agent handed over, or none could be seen to."""
    if "handoffs" not in outline.known:
        return outline.unclear()
    return None if outline.handed else outline.idle()


def _idle_rows(run: Run) -> list[list[Handoff]]:
    """Handoffs in rows; a user's message and a call of any other tool begin a new row."""
    rows: list[list[Handoff]] = [[]]
    for event in run.events:
        if isinstance(event, Handoff):
            if event.accepted is not False:
                rows[-1].append(event)
        elif _is_work(run, event):
            rows.append([])
    return rows


def _is_work(run: Run, event: Event) -> bool:
    if isinstance(event, Message):
        return event.role == "user"
    return isinstance(event, ToolCall) and event.call_key not in run.handed


def _edges(row: Sequence[Handoff]) -> list[Edge]:
    """Who handed over to whom; who is not named is the one who was handed to before."""
    edges: list[Edge] = []
    for handoff in row:
        before = edges[-1][1] if edges else ""
        edges.append((handoff.from_agent or before, handoff.to_agent))
    return edges


def _closed_at(row: Sequence[Handoff]) -> int | None:
    """The index of the first handoff of a row that happened in it before."""
    edges = _edges(row)
    return next((n for n, edge in enumerate(edges) if edge[0] and edge in edges[:n]), None)


def _hit(row: list[Handoff]) -> Assessment:
    at = _closed_at(row) or 0
    edges = _edges(row)
    first = edges.index(edges[at])
    ring = " -> ".join([*(edge[0] for edge in edges[first:at]), edges[at][0]])
    told: list[tuple[Event, str]] = [(row[at], "This handoff happened before, and nothing since.")]
    told += [(h, "Handed over without any work.") for n, h in enumerate(row[:SHOWN]) if n != at]
    return run_hit(
        edges[at][0],
        f"Control went round {ring} with no work done: {len(row)} handoffs in a row.",
        told,
        owner=f"the handoffs between {edges[at][0]} and {edges[at][1]}",
        path=(
            f"{edges[at][0]} hands over to {edges[at][1]}",
            "that agent hands on without calling a tool",
            "control comes back, and the same handoff is made again",
        ),
        looked_for=(
            "a call of any other tool between the handoffs",
            "a user's message between the handoffs",
        ),
    )
