"""Runs that asked the model more often than they may, or that their limit had to stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    RunEnd,
    TraceSettings,
    Usual,
    run_hit,
    run_met,
    run_not_applicable,
    voiced,
)

LOOKED_FOR = ("a user's message between the calls, which makes the loop a conversation",)


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Was every agent loop of the run within `max_turns` model calls?"""
    calls = run.all(ModelCallEvent)
    if not calls:
        yield run_not_applicable(run, run.name, "The run asked no model.")
        return
    loops = _loops(calls)
    over = [loop for loop in loops if len(loop) > settings.max_turns]
    yield from (_runaway(run, loop, settings.max_turns) for loop in over)
    stopped = next((end for end in run.all(RunEnd) if end.status == "max_turns"), None)
    if stopped is not None and not over:
        yield _stopped(run, max(loops, key=len), stopped)
    elif not over:
        why = (
            f"The model was asked {_times(max(map(len, loops)))}; {settings.max_turns} are allowed."
        )
        yield run_met(run, _subject(run, calls), why, calls)


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """The only loop was too long; or none was, and no limit had to stop one."""
    if not outline.replies:
        return outline.idle()
    if outline.replies > settings.max_turns:
        return (outline.speaker, "not-met") if outline.loops == 1 else None
    if outline.stopped:
        return None
    return outline.speaker, "cannot-tell" if outline.unknown else "met"


def _loops(calls: Sequence[ModelCallEvent]) -> list[list[ModelCallEvent]]:
    loops: dict[str | None, list[ModelCallEvent]] = {}
    for call in calls:
        loops.setdefault(call.loop, []).append(call)
    return list(loops.values())


def _runaway(run: Run, loop: list[ModelCallEvent], limit: int) -> Assessment:
    alone = _unattended(run, loop)
    told: list[tuple[Event, str]] = [
        (voiced(run, loop[limit]), f"Model call {limit + 1} of the loop, the first past {limit}."),
        (voiced(run, loop[limit - 1]), f"Model call {limit}, the last that is allowed."),
    ]
    if len(loop) > limit + 1:
        told.append((voiced(run, loop[-1]), f"Model call {len(loop)}, the last."))
    return run_hit(
        _subject(run, loop),
        f"The loop asked the model {len(loop)} times; {limit} are allowed.",
        told,
        owner="the agent loop",
        path=(
            "the loop asks the model",
            f"nothing stops it after {limit} calls",
            f"it asks {len(loop)} times, with a context that grows each time",
        ),
        looked_for=(*LOOKED_FOR, f"found at most {alone} calls in a row without one"),
        weakened=alone <= limit,
        confidence="medium" if alone <= limit else "high",
    )


def _stopped(run: Run, loop: list[ModelCallEvent], end: RunEnd) -> Assessment:
    return run_hit(
        _subject(run, loop),
        f"Its limit had to stop the loop after the model was asked {_times(len(loop))}.",
        [
            (end, "The turn in which the limit stopped the run."),
            (voiced(run, loop[-1]), "The last reply of the model."),
        ],
        owner="the agent loop",
        path=(
            "the loop asks the model again and again",
            "its limit ends the run without an answer",
        ),
        looked_for=("a final answer after the limit was reached",),
        partly=True,
        severity="medium",
        title="The agent loop ran into its limit",
    )


def _unattended(run: Run, loop: list[ModelCallEvent]) -> int:
    """The longest row of the loop's calls without a user's message in between."""
    longest = row = 0
    mine = {call.seq for call in loop}
    for event in run.events:
        if isinstance(event, Message) and event.role == "user":
            row = 0
        elif event.seq in mine:
            row += 1
            longest = max(longest, row)
    return longest


def _subject(run: Run, loop: Sequence[ModelCallEvent]) -> str:
    """The agent whose loop it is; the workflow where several agents took part."""
    agents = {call.agent for call in loop}
    only = agents.pop() if len(agents) == 1 else None
    return only or run.name


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
