"""Tool calls whose arguments are no JSON object: what became of them."""

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
    run_hit,
    run_lacks,
    run_not_applicable,
)

_REFUSALS = ("error", "invalid", "failed", "an error", "could not", "exception", "traceback")


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did the run survive each call whose arguments were no JSON object?

    Not applicable where every call carried one, for then nothing put the guard to the test.
    """
    subject = run.name
    calls = run.all(ToolCall)
    lacking = run_lacks(run, subject, "content")
    broken: dict[str, list[ToolCall]] = {}
    for call in calls:
        if call.parse_error is not None:
            broken.setdefault(call.name, []).append(call)
    if lacking is not None:
        yield lacking
    elif not broken:
        why = f"Each of {len(calls)} tool calls carried a JSON object."
        yield run_not_applicable(run, subject, why if calls else "The run called no tool.")
    yield from (_hit(run, same) for same in broken.values()) if lacking is None else ()


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """All arguments are objects."""
    if "content" not in outline.known:
        return outline.unclear()
    return None if outline.broken else outline.idle()


def _hit(run: Run, same: Sequence[ToolCall]) -> Assessment:
    name = same[0].name
    refused = all(_refused(run, call) for call in same)
    end = "the tool was answered with an error" if refused else "nothing in the record refuses them"
    told: list[tuple[Event, str]] = [
        (call, f"The arguments are no JSON object: {call.parse_error}.") for call in same[:5]
    ]
    answer = run.answers.get(same[0].call_key)
    if answer is not None and answer.content:
        told.append((answer, "What the call was answered with."))
    return run_hit(
        name,
        f"{name} was called with arguments that are no JSON object; {end}.",
        told,
        owner=f"the dispatcher that parses the arguments of {name}",
        path=(
            f"the model calls {name} with broken arguments",
            "the dispatcher parses them",
            end,
        ),
        looked_for=("an error given back as the call's result",),
        weakened=refused,
        partly=refused,
        severity="low" if refused else None,
    )


def _refused(run: Run, call: ToolCall) -> bool:
    answer = run.answers.get(call.call_key)
    if answer is None:
        return False
    if answer.is_error is not None:
        return answer.is_error
    return answer.content.lower().lstrip("{[\"' ").startswith(_REFUSALS)
