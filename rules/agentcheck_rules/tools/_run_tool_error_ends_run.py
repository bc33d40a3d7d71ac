"""Errors of tools: did the run go on after them, or end?"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Assessment,
    ModelCallEvent,
    Outline,
    Run,
    RunEnd,
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


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Was the model asked again after every tool error?

    Not applicable where no tool failed, for then nothing put the dispatcher to the test.
    """
    lacking = run_lacks(run, run.name, "errors")
    failed = [result for result in run.all(ToolResult) if result.is_error]
    if lacking is not None or not failed:
        yield lacking or run_not_applicable(run, run.name, "No tool ended in an error.")
        return
    last = failed[-1]
    if any(call.seq > last.seq for call in run.all(ModelCallEvent)):
        why = f"The model was asked again after each of {len(failed)} tool errors."
        yield run_met(run, _tool(run, last), why, failed)
    elif any(end.status == "error" for end in run.all(RunEnd)):
        yield _hit(run, _tool(run, last), last)
    else:
        yield run_cannot_tell(run, _tool(run, last), "The record ends with a tool's error.")


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No tool failed, or none could be seen to."""
    if "errors" not in outline.known:
        return outline.unclear()
    return None if outline.failed else outline.idle()


def _tool(run: Run, result: ToolResult) -> str:
    calls = run.all(ToolCall)
    return next((c.name for c in calls if c.call_key == result.call_key), run.name)


def _hit(run: Run, name: str, failed: ToolResult) -> Assessment:
    ends = [end for end in run.all(RunEnd) if end.status == "error"]
    return run_hit(
        name,
        f"An error of {name} ended the run.",
        [(failed, "The tool ended in an error."), (ends[-1], "The run ended in an error.")],
        owner=f"the dispatcher that runs {name}",
        path=(f"{name} raises", "nothing turns the error into a result", "the run ends with it"),
        looked_for=("a further request to the model after the error",),
    )
