"""A side effect that a run carried out twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    Outline,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    canonical,
    cite_all,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)
from agentcheck_rules._effects import acts, acts_anew, basis

_FAILED = ("error", "failed", "failure", "exception", "traceback", "cannot", "could not", "unable")
LOOKED_FOR = (
    "a refusal of the second call",
    "a failure of the first call",
    "another side effect, or a user's message, between the two",
)


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Was no side effect carried out twice with the same arguments?"""
    lacking = run_lacks(run, run.name, "content") or run_lacks(run, run.name, "results")
    calls = [c for c in run.all(ToolCall) if acts_anew(c.name, settings) and _counts(run, c)]
    if lacking is not None or not calls:
        why = "The run called no tool that acts anew with each call."
        yield lacking or run_not_applicable(run, run.name, why)
        return
    twice = list(_pairs(run, calls))
    yield from (_judged(run, pair, settings) for pair in twice)
    if not twice:
        why = f"No side effect was repeated among {len(calls)}."
        yield run_met(run, run.name, why, calls)


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """No tool that acts anew was called, or none twice with the same arguments."""
    if "content" not in outline.known or "results" not in outline.known:
        return outline.unclear()
    acting = [name for name in outline.calls if acts_anew(name, settings)]
    if not acting:
        return outline.idle()
    sure = not outline.broken and not outline.handed
    return outline.met() if sure and all(outline.alike(name) < 2 for name in acting) else None


def _counts(run: Run, call: ToolCall) -> bool:
    return call.call_key not in run.handed and call.arguments is not None


def _pairs(run: Run, calls: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, ToolCall]]:
    """For each tool and arguments: the first call that was carried out, and the next like it."""
    done: dict[tuple[str, str], ToolCall] = {}
    told: set[tuple[str, str]] = set()
    for call in calls:
        key = (call.name, canonical(call.arguments))
        if key in done and key not in told and call.call_key in run.answers:
            told.add(key)
            yield done[key], call
        elif key not in done and _carried_out(run, call):
            done[key] = call


def _carried_out(run: Run, call: ToolCall) -> bool:
    answer = run.answers.get(call.call_key)
    return answer is not None and not _failed(answer)


def _failed(answer: ToolResult) -> bool:
    if answer.is_error is not None:
        return answer.is_error
    return answer.content.lower().lstrip("{[\"' ").startswith(_FAILED)


def _judged(run: Run, pair: tuple[ToolCall, ToolCall], settings: TraceSettings) -> Assessment:
    first, again = pair
    if not _carried_out(run, again):
        return Assessment(
            subject=again.name,
            verdict="met-differently",
            why=f"{again.name} was called twice with the same arguments; the second was refused.",
            evidence=cite_all(
                [(again, "The second call."), (run.answers[again.call_key], "Its result.")]
            ),
        )
    return _hit(run, first, again, settings)


def _hit(run: Run, first: ToolCall, again: ToolCall, settings: TraceSettings) -> Assessment:
    name = again.name
    between = _between(run, first, again, settings)
    told: list[tuple[Event, str]] = [
        (again, "The second call with these arguments."),
        (first, "The first, which was carried out."),
        (run.answers[first.call_key], "Its result."),
        (run.answers[again.call_key], "The second call's result: carried out again."),
    ]
    by_name = settings.side_effecting is None
    return run_hit(
        name,
        f"{name} was carried out twice with the same arguments; {basis(name, settings)}.",
        told,
        owner=f"the tool {name}",
        path=(
            f"the model calls {name}, which succeeds",
            "it makes the same call again",
            "no key marks the second as a repeat, so it is carried out again",
        ),
        looked_for=(*LOOKED_FOR, f"found between them: {between or 'nothing of the kind'}"),
        weakened=bool(between),
        confidence="low" if between and by_name else "medium" if between or by_name else "high",
    )


def _between(run: Run, first: ToolCall, again: ToolCall, settings: TraceSettings) -> str:
    for event in run.events:
        if first.seq < event.seq < again.seq:
            if isinstance(event, Message) and event.role == "user":
                return "a user's message"
            if isinstance(event, ToolCall) and acts(event.name, settings) and event != again:
                return f"a call of {event.name}"
    return ""
