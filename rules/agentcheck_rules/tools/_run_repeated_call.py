"""One call, again and again: same tool, same arguments, nothing new to learn from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Outline,
    Run,
    ToolCall,
    TraceSettings,
    Usual,
    canonical,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

SHOWN = 8
LOOKED_FOR = ("results that differ each time, as when polling or testing",)


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Is no tool called `min_repeats` times with the same arguments to no effect?

    Calls that ask for a handoff are left to handoff-oscillation.
    """
    calls = [call for call in run.all(ToolCall) if call.call_key not in run.handed]
    lacking = run_lacks(run, run.name, "content")
    if lacking is not None or not calls:
        yield lacking or run_not_applicable(run, run.name, "The run called no tool.")
        return
    repeats = list(_repeats(calls, max(settings.min_repeats, 2)))
    polls = [same for same in repeats if _polls(run, same)]
    stuck = [same for same in repeats if same not in polls]
    yield from (_hit(run, same) for same in stuck)
    yield from (_polling(same) for same in polls)
    if not repeats:
        why = f"No call was made {settings.min_repeats} times among {len(calls)}."
        yield run_met(run, run.name, why, calls)


def usual_run(outline: Outline, settings: TraceSettings) -> Usual:
    """No tool was called, or none often with the same arguments."""
    if "content" not in outline.known:
        return outline.unclear()
    if not outline.calls:
        return outline.idle()
    least = max(settings.min_repeats, 2)
    often = [name for name, raws in outline.calls.items() if len(raws) >= least]
    few = all(outline.alike(name) < least for name in often)
    return outline.met() if few and not outline.handed else None


def _repeats(calls: Sequence[ToolCall], least: int) -> Iterator[list[ToolCall]]:
    named: dict[str, list[ToolCall]] = {}
    for call in calls:
        named.setdefault(call.name, []).append(call)
    for group in named.values():
        if len(group) >= least:
            same: dict[str, list[ToolCall]] = {}
            for call in group:
                same.setdefault(_key(call), []).append(call)
            yield from (equal for equal in same.values() if len(equal) >= least)


def _key(call: ToolCall) -> str:
    return call.arguments_raw if call.arguments is None else canonical(call.arguments)


def _polls(run: Run, same: list[ToolCall]) -> bool:
    """Whether each repeat brought something new, as when a job is asked for its progress."""
    answers = [run.answers.get(call.call_key) for call in same]
    texts = [answer.content for answer in answers if answer is not None]
    return len(texts) == len(same) and len(set(texts)) == len(texts)


def _polling(same: list[ToolCall]) -> Assessment:
    """A repeat that may well be meant, and is shown to those who want to see all."""
    name, count = same[0].name, len(same)
    return run_hit(
        name,
        f"{name} was called {count} times with the same arguments, and each result was new.",
        _told(same),
        owner=f"the loop that runs {name}",
        path=(f"the model calls {name}", "the result is new", "it makes the same call again"),
        looked_for=LOOKED_FOR,
        weakened=True,
        partly=True,
        title="A tool is called again and again for new results",
        severity="info",
        confidence="low",
        persona="auditor",
    )


def _hit(run: Run, same: list[ToolCall]) -> Assessment:
    name, count = same[0].name, len(same)
    found = (run.answers.get(call.call_key) for call in same)
    results = {answer.content for answer in found if answer is not None}
    return run_hit(
        name,
        f"{name} was called {count} times with the same arguments and {_brought(len(results))}.",
        _told(same),
        owner=f"the loop that runs {name}",
        path=(
            f"the model calls {name}",
            "the result does not move it on",
            f"it makes the same call again, {count} times in all",
        ),
        looked_for=LOOKED_FOR,
        weakened=len(results) > 1,
        confidence="medium" if len(results) > 1 else None,
    )


def _brought(results: int) -> str:
    if results == 1:
        return "brought the same result each time"
    return f"brought {results} different results" if results else "left no result in the record"


def _told(same: list[ToolCall]) -> list[tuple[Event, str]]:
    """The call that makes it a repetition first, then the others."""
    first = min(3, len(same)) - 1
    told = [(call, f"Call {n} of {len(same)}, all equal.") for n, call in enumerate(same, 1)]
    return [told[first], *told[:first], *told[first + 1 : SHOWN]]
