"""Histories that grew, request by request, to the size that their model takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from agentcheck.rule import (
    Assessment,
    Compaction,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    input_tokens,
    model_name,
    run_cannot_tell,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
    voiced,
    window_of,
)

SMALL = 4_000
"""Tokens below which a request is small for every model that is offered."""
NEAR = 0.8
"""The part of a window at which a history is as good as full: the reply needs room too."""
FEWEST = 3
CHARACTERS = 4
"""Characters that a token of English takes, about; only for what was not counted."""


class _Growth(NamedTuple):
    """The requests of one loop since its history was last shortened, and their tokens."""

    calls: list[ModelCallEvent]
    sizes: list[int]
    counted: bool


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Did every history stay well below the size that its model takes?"""
    lacking = run_lacks(run, run.name, "usage")
    if lacking is not None and "content" not in run.known:
        yield lacking
        return
    loops = _loops(run)
    if not any(len(calls) >= FEWEST for calls in loops):
        yield run_not_applicable(run, run.name, "No loop asked its model often enough to tell.")
        return
    grown = [g for calls in loops for g in _growths(run, calls, alone=len(loops) == 1)]
    if not grown:
        yield run_cannot_tell(run, run.name, "The record has no tokens and no whole history.")
        return
    least = NEAR * settings.context_window if settings.context_window else SMALL
    large = [g for g in grown if g.sizes[-1] >= least]
    said = [_judged(run, growth, settings) for growth in large]
    told = [each for each in said if each is not None]
    yield from told
    if not told:
        most = max(g.sizes[-1] for g in grown)
        why = f"No history came near its model's window; the largest had {most:,} tokens."
        yield run_met(run, run.name, why, [g.calls[-1] for g in grown])


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """Loops are short, the largest history is small, or its model is not named."""
    if "usage" not in outline.known and "content" not in outline.known:
        return outline.unclear()
    if outline.turns < FEWEST:
        return outline.idle()
    if outline.most is not None:
        return outline.met() if outline.most < _least(settings) else None
    whole = outline.loops == 1 and "content" in outline.known and not outline.shortened
    if outline.counted or not whole:
        return None
    if outline.size // CHARACTERS < _least(settings):
        return outline.met()
    known = outline.named or settings.context_window
    return None if known else (outline.speaker, "cannot-tell")


def _least(settings: TraceSettings) -> float:
    return NEAR * settings.context_window if settings.context_window else SMALL


def _loops(run: Run) -> list[list[ModelCallEvent]]:
    loops: dict[tuple[str | None, str | None], list[ModelCallEvent]] = {}
    for call in run.all(ModelCallEvent):
        loops.setdefault((call.loop, call.agent), []).append(call)
    return list(loops.values())


def _growths(run: Run, calls: Sequence[ModelCallEvent], *, alone: bool) -> list[_Growth]:
    """The last stretch of a loop in which nothing shortened its history."""
    counted = [input_tokens(call) for call in calls]
    known = [size for size in counted if size is not None]
    if len(known) < len(counted):
        sizes = _estimated(run, calls) if alone and "content" in run.known else []
    else:
        sizes = known
    if len(sizes) < FEWEST:
        return []
    cuts = [0, *(n for n, (one, two) in enumerate(pairwise(sizes), 1) if two < 0.9 * one)]
    for event in run.all(Compaction):
        cuts += [n for n, call in enumerate(calls) if call.seq > event.seq][:1]
    start = max(cuts)
    return [_Growth(list(calls[start:]), sizes[start:], len(known) == len(counted))]


def _estimated(run: Run, calls: Sequence[ModelCallEvent]) -> list[int]:
    """The tokens before each request, by the length of all that was said until then."""
    lengths = [0] * (run.events[-1].seq + 1)
    for message in run.all(Message):
        lengths[message.seq] += len(message.text)
    for result in run.all(ToolResult):
        lengths[result.seq] += len(result.content)
    for asked in run.all(ToolCall):
        lengths[asked.seq] += len(asked.name) + len(asked.arguments_raw)
    before = list(accumulate(lengths))
    return [before[call.seq] // CHARACTERS for call in calls]


def _judged(run: Run, growth: _Growth, settings: TraceSettings) -> Assessment | None:
    """What there is to say of a history, None where it is far from full."""
    last = growth.calls[-1]
    window = settings.context_window or window_of(last)
    if window is None:
        name = model_name(last)
        which = f"the model {name}" if name else "its model, which the record does not name"
        why = f"How much {which} takes is not known; say so with `context-window`."
        return run_cannot_tell(run, _subject(run, growth), why)
    first, size = growth.sizes[0], growth.sizes[-1]
    grew = len(growth.sizes) >= FEWEST and first < NEAR * window and size > 1.5 * first
    if not grew or size < NEAR * window:
        return None
    return _hit(run, growth, window)


def _hit(run: Run, growth: _Growth, window: int) -> Assessment:
    full = growth.sizes[-1] > window
    limit = window + 1 if full else NEAR * window
    number = next(n for n, size in enumerate(growth.sizes) if size >= limit)
    about = "" if growth.counted else "about "
    most = f"{about}{growth.sizes[-1]:,} tokens"
    past = "passed" if full else "came near"
    told: list[tuple[Event, str]] = [
        (
            voiced(run, growth.calls[number]),
            f"Request {number + 1} of this history: {about}{growth.sizes[number]:,} tokens.",
        ),
        (voiced(run, growth.calls[0]), f"Its first request: {about}{growth.sizes[0]:,} tokens."),
    ]
    return run_hit(
        _subject(run, growth),
        f"The history grew to {most} in {len(growth.sizes)} requests with nothing to shorten it, "
        f"and {past} the {window:,} that the model takes at request {number + 1}.",
        told,
        owner="whoever keeps the conversation",
        path=(
            "each request sends everything before it",
            "nothing shortens the history",
            f"request {number + 1} {past} the model's window",
        ),
        looked_for=(
            "a compaction, or a request smaller than the one before",
            "counts of tokens" if growth.counted else "counts of tokens, which are not recorded",
        ),
        weakened=not growth.counted,
        partly=not full,
        severity="medium" if full else None,
        confidence="high" if full and growth.counted else None if growth.counted else "low",
        persona="regular" if full and growth.counted else None,
        title="The history outgrew its model's window"
        if full
        else "The history nearly fills its model's window",
    )


def _subject(run: Run, growth: _Growth) -> str:
    return growth.calls[0].agent or run.name
