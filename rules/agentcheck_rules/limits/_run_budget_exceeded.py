"""What a run used, beside what it may use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from agentcheck.rule import (
    Approval,
    Assessment,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    TraceSettings,
    Usual,
    cost_of,
    input_tokens,
    model_name,
    run_cannot_tell,
    run_hit,
    run_met,
    run_not_applicable,
    voiced,
)


class _Spent(NamedTuple):
    """How much of one budget a run used, `over` the event that passed it.

    `gap` says what is missing: the use may then be more than `used`.
    """

    used: str
    allowed: str
    over: Event | None
    gap: str = ""


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Did the run keep within the budgets that are set? Not applicable where none is."""
    spent = [_spent(run, limit) for _spent, limit in _budgets(settings) if limit is not None]
    over = [each for each in spent if each.over is not None]
    gaps = [each.gap for each in spent if each.gap]
    if not spent:
        yield run_not_applicable(run, run.name, "No budget of runs is set.")
    elif over:
        yield _hit(run, over)
    elif gaps:
        yield run_cannot_tell(run, run.name, " ".join(gaps))
    else:
        why = "; ".join(f"{each.used} of {each.allowed}" for each in spent)
        yield run_met(run, run.name, f"The run used {why}.", run.events)


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """No budget is set."""
    return None if _is_limited(settings) else outline.idle()


@cache
def _is_limited(settings: TraceSettings) -> bool:
    return any(limit is not None for _, limit in _budgets(settings))


def _budgets(
    settings: TraceSettings,
) -> tuple[tuple[Callable[[Run, float], _Spent], float | None], ...]:
    return (
        (_tokens, settings.max_tokens),
        (_cost, settings.max_cost_usd),
        (_seconds, settings.max_seconds),
        (_calls, settings.max_tool_calls),
    )


def _tokens(run: Run, limit: float) -> _Spent:
    used, over, blank = 0, None, 0
    for call in run.all(ModelCallEvent):
        given = input_tokens(call)
        blank += given is None or call.output_tokens is None
        used += (given or 0) + max(call.output_tokens or 0, 0)
        over = over or (call if used > limit else None)
    replies = len(run.all(ModelCallEvent))
    gap = f"Tokens are not counted for {blank} of {replies} replies." if blank else ""
    return _Spent(f"{used:,} tokens", f"{limit:,.0f}", over and voiced(run, over), gap)


def _cost(run: Run, limit: float) -> _Spent:
    used, over = 0.0, None
    unknown: dict[str, None] = {}
    for call in run.all(ModelCallEvent):
        cost = cost_of(call)
        if cost is None:
            unknown[_unpriced(call)] = None
        used += cost or 0.0
        over = over or (call if used > limit else None)
    gap = f"The cost is not known of {', '.join(unknown)}." if unknown else ""
    at_least = "at least " if unknown else ""
    return _Spent(f"{at_least}${used:.4f}", f"${limit:g}", over and voiced(run, over), gap)


def _unpriced(call: ModelCallEvent) -> str:
    name = model_name(call)
    if call.input_tokens is None or call.output_tokens is None:
        return "replies without a count of tokens"
    return f"the model {name}" if name else "replies that name no model"


def _seconds(run: Run, limit: float) -> _Spent:
    """Time from the first record to the last, but for the waits for an approval."""
    first = last = asked = None
    waited, over = 0.0, None
    for event in run.events:
        if event.ts is None:
            continue
        first = event.ts if first is None else first
        if isinstance(event, Approval):
            waited += max(event.ts - asked, 0.0) if asked is not None else 0.0
            asked = event.ts if event.state == "requested" else None
        last = max(last or event.ts, event.ts + (getattr(event, "duration", None) or 0.0))
        over = over or (event if last - first - waited > limit else None)
    if first is None or last is None:
        return _Spent("", "", None, "The record has no times.")
    return _Spent(f"{last - first - waited:,.1f} seconds", f"{limit:g}", over)


def _calls(run: Run, limit: float) -> _Spent:
    calls = run.all(ToolCall)
    over = calls[int(limit)] if len(calls) > limit else None
    return _Spent(f"{len(calls):,} tool calls", f"{limit:,.0f}", over)


def _hit(run: Run, over: list[_Spent]) -> Assessment:
    said = ", and ".join(f"{each.used}, where {each.allowed} are allowed" for each in over)
    talks = sum(m.role == "user" for m in run.all(Message)) > 1
    told = [
        (each.over, f"Here the run passed {each.allowed}: in all it used {each.used}.")
        for each in over
        if each.over is not None
    ]
    return run_hit(
        run.name,
        f"The run used {said}.",
        told,
        owner="the agent loop",
        path=(
            "the loop adds up what its replies use, or does not",
            "nothing ends it when the budget is passed",
            f"it goes on to {over[0].used}",
        ),
        looked_for=(
            "waits for a person's approval, which are no time of the run",
            "a user's message in between, which makes the run a conversation",
        ),
        weakened=talks,
        confidence="medium" if talks else None,
    )
