"""Side effects that were carried out although a guard had said no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agentcheck.rule import (
    Approval,
    Assessment,
    Event,
    Guardrail,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)
from agentcheck_rules._effects import acts, basis

LOOKED_FOR = (
    "a user's message between the two, which starts another turn",
    "an error in the call's result, which may be the guard's refusal",
    "for a guard of replies or tools, another request to the model in between",
)


class _Passed(NamedTuple):
    guard: Guardrail
    call: ToolCall
    result: ToolResult


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Was no side effect carried out in the turn in which a guard had said no?

    Not applicable where no guard did.
    """
    lacking = run_lacks(run, run.name, "content")  # without messages no turn is seen to end
    if lacking is not None:
        yield lacking
        return
    blocks = [guard for guard in run.all(Guardrail) if guard.triggered]
    if not blocks:
        why = "No guard said no." if run.all(Guardrail) else "No guard ran."
        yield run_not_applicable(run, run.name, why)
        return
    passed: dict[tuple[str, str], _Passed] = {}
    for each in _passed(run, settings):
        passed.setdefault((each.guard.name, each.call.name), each)
    yield from (_hit(each, settings) for each in passed.values())
    if not passed:
        why = "No side effect was carried out in the turn in which a guard had said no."
        yield run_met(run, blocks[0].name or run.name, why, blocks)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No guard said no."""
    if "content" not in outline.known:
        return outline.unclear()
    return None if outline.blocked else outline.idle()


def _passed(run: Run, settings: TraceSettings) -> Iterator[_Passed]:
    calls = {call.call_key: call for call in run.all(ToolCall)}
    reach = _Reach()
    for event in run.events:
        if isinstance(event, ToolResult):
            call = calls.get(event.call_key or "")
            done = call is not None and _done(run, event) and acts(call.name, settings)
            if reach.guard is not None and call is not None and done:
                yield _Passed(reach.guard, call, event)
        else:
            reach.go_on(event)


class _Reach:
    """The guard that said no, for as long as that holds.

    A guard of the input holds for the turn; it may be told before the message that it looks at. A
    guard of a reply or of a tool holds until the model is asked again, which is how many programs
    have a reply mended.
    """

    def __init__(self) -> None:
        self.guard: Guardrail | None = None
        self._asked = self._wide = self._opens = False

    def go_on(self, event: Event) -> None:
        if isinstance(event, Guardrail) and event.triggered and self.guard is None:
            self.guard = event
            self._wide = self._opens = event.stage == "input" or not (event.stage or self._asked)
        elif isinstance(event, ModelCallEvent):
            self._asked, self._opens = True, False
            self.guard = self.guard if self._wide else None
        elif isinstance(event, Message) and event.role == "user":
            self._asked = False
            self.guard = self.guard if self._opens else None
        elif isinstance(event, Approval) and event.state == "denied" and not self._wide:
            self.guard = None  # it spoke of one call, which is told by denied-yet-executed


def _done(run: Run, result: ToolResult) -> bool:
    return not result.is_error and bool(result.content) and result.call_key not in run.handed


def _hit(passed: _Passed, settings: TraceSettings) -> Assessment:
    guard, call, result = passed
    which = f"the guard {guard.name}" if guard.name else "a guard"
    return run_hit(
        call.agent or guard.name or call.name,
        f"{call.name} was carried out although {which} had said no in the same turn; "
        f"{basis(call.name, settings)}.",
        [
            (result, "Carried out."),
            (guard, f"{which[0].upper()}{which[1:]} said no."),
            (call, "The call that asked for it."),
        ],
        owner="the loop that runs the guard and the tools",
        path=(
            f"{which} says no",
            "the loop does not wait for it, or does not heed it",
            f"{call.name} is carried out",
        ),
        looked_for=LOOKED_FOR,
        confidence="medium",
        title="A side effect was carried out although a guard had said no",
        consequence="The guard reports what it should have prevented.",
        smallest_change="Wait for the guard before any tool runs, and end the turn when it says "
        "no.",
        could_break="Each turn starts later by the time that the guard takes.",
        acceptance="With a guard that says no, {owner} runs no tool in that turn.",
    )
