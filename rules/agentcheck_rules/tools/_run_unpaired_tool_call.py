"""Calls that were never answered although the conversation went on, and answers to no call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Approval,
    Assessment,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    run_cannot_tell,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

LOOKED_FOR = (
    "a result with the call's id after the reply it came in",
    "a handoff that the call asked for",
    "an approval that the call waits for",
)


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did every tool call get its result, and every result have its call?"""
    calls = run.all(ToolCall)
    lacking = run_lacks(run, run.name, "results")
    silent = not calls and not run.all(ToolResult)
    if lacking is not None or silent:
        yield lacking or run_not_applicable(run, run.name, "The run called no tool.")
        return
    waiting = [call for call in calls if not _answered(run, call)]
    open_at_end = [call for call in waiting if not _went_on(run, call)]
    lost = len(waiting) > len(open_at_end) and run.unknown_records
    hits = [] if lost else [*_unanswered(waiting, open_at_end), *_uncalled(run)]
    yield from hits
    if lost:
        why = f"{waiting[0].name} has no result among what was read, but {_lost(run)}."
        yield run_cannot_tell(run, waiting[0].name, why)
    elif not hits and open_at_end:
        why = f"The record ends before the result of {open_at_end[0].name}."
        yield run_cannot_tell(run, open_at_end[0].name, why)
    elif not hits:
        yield run_met(run, run.name, f"Each of {len(calls)} tool calls was answered.", calls)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No tool was called, or each call was answered."""
    if "results" not in outline.known:
        return outline.unclear()
    if not outline.calls and not outline.results:
        return outline.idle()
    return outline.met() if outline.paired else None


def _lost(run: Run) -> str:
    return f"{run.unknown_records} of its records could not be read"


def _answered(run: Run, call: ToolCall) -> bool:
    if call.call_key in run.answers or call.call_key in run.handed:
        return True
    return any(a.call_key == call.call_key for a in run.all(Approval))


def _went_on(run: Run, call: ToolCall) -> bool:
    """Whether the model was asked again, or a user spoke, after a call."""
    last_asked = run.all(ModelCallEvent)[-1:]
    if last_asked and last_asked[0].seq > call.seq:
        return True
    return any(m.seq > call.seq and m.role == "user" for m in run.all(Message))


def _unanswered(
    waiting: Sequence[ToolCall], open_at_end: Sequence[ToolCall]
) -> Iterator[Assessment]:
    lost: dict[str, list[ToolCall]] = {}
    for call in waiting:
        if call not in open_at_end:
            lost.setdefault(call.name, []).append(call)
    for name, calls in lost.items():
        many = "A call" if len(calls) == 1 else f"{len(calls)} calls"
        yield run_hit(
            name,
            f"{many} of {name} never got a result, and the conversation went on.",
            [(call, "No result follows this call.") for call in calls[:5]],
            owner=f"the dispatcher that runs {name}",
            path=(
                f"the model calls {name}",
                "the dispatcher appends no result for it",
                "the next request holds a call without answer, which providers refuse",
            ),
            looked_for=LOOKED_FOR,
        )


def _uncalled(run: Run) -> Iterator[Assessment]:
    """Results of no call, after a reply; those before any reply belong to what was cut off."""
    asked = run.all(ModelCallEvent)
    if not asked or run.unknown_records:
        return
    stray: list[tuple[Event, str]] = [
        (result, "No call of the reply before it has this result's id.")
        for result in run.all(ToolResult)
        if result.call_key is None and result.seq > asked[0].seq
    ]
    if stray:
        yield run_hit(
            run.name,
            "The record holds a tool's result that no call asked for.",
            stray[:5],
            owner="the code that keeps the history",
            path=("a reply with its calls is dropped from the history", "their results stay"),
            looked_for=("a call with the result's id in the reply before it",),
        )
