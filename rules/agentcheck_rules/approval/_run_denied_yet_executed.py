"""Calls that were carried out against what was said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    ToolResult,
    TraceSettings,
    Usual,
    denials,
    is_done,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
    same_call,
)
from agentcheck_rules._effects import acts_anew


class Against(NamedTuple):
    """A call that was carried out: how, its result, and what was said before."""

    how: str
    call: ToolCall
    result: ToolResult
    said: Event


_HOW = {
    "denied": (
        "{name} was carried out although the call was denied.",
        "the call is denied",
        "the denial does not reach what runs the tool",
    ),
    "again": (
        "{name} was carried out by a second call like one that was denied, and nobody was asked.",
        "the call is denied",
        "the model makes the same call again, and the denial is not remembered",
    ),
    "early": (
        "{name} was carried out before the approval that was asked for it.",
        "an approval is asked for",
        "what runs the tool does not wait for the answer",
    ),
    "twice": (
        "{name} was carried out twice on one approval, the second time with no call of the model.",
        "the call is approved and carried out",
        "when the run resumes, what was done is not known, and is done again",
    ),
}
LOOKED_FOR = (
    "an error in the result",
    "words in the result by which it is only the answer to a denial, or a wait",
    "an approval in between",
)


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Was every call that was asked about carried out once, and only after a yes?"""
    asked = run.all(Approval)
    if not asked:
        why = "The run asked for no approval."
        yield run_lacks(run, run.name, "approval") or run_not_applicable(run, run.name, why)
        return
    found: dict[tuple[str, str], Against] = {}
    for each in against(run, settings):
        found.setdefault((each.how, each.call.name), each)
    yield from map(_hit, found.values())
    if not found:
        why = f"Of {len(asked)} approvals and denials none was passed over."
        yield run_met(run, run.name, why, asked)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No approval is in the run, or none could be."""
    if outline.asked:
        return None
    return outline.idle() if "approval" in outline.known else outline.unclear()


def against(run: Run, settings: TraceSettings) -> Iterator[Against]:
    """Every call that was carried out against what was said of it."""
    if not run.all(Approval):
        return
    denied = denials(run)
    calls = {call.call_key: call for call in run.all(ToolCall)}
    state = _State()
    for event in run.events:
        if isinstance(event, Approval):
            state.hear(event, calls.get(event.call_key or ""))
        elif isinstance(event, ModelCallEvent | Message):
            state.go_on(event)
        elif isinstance(event, ToolResult):
            call = calls.get(event.call_key or "")
            if call is not None and not is_done(call, event):
                state.refuse(call, denied)
            elif call is not None:
                said = _judge(state, call, event, denied, run, settings)
                if said is not None:
                    yield Against(said[0], call, event, said[1])
                state.done[same_call(call)] = event
                state.finished.add(call.call_key)


class _State:
    """What was said so far, by call and by what the call asks for."""

    def __init__(self) -> None:
        self.last: dict[str, Approval] = {}
        self.no: dict[tuple[str, str], Approval] = {}
        self.yes: dict[tuple[str, str], Approval] = {}
        self.done: dict[tuple[str, str], ToolResult] = {}
        self.finished: set[str] = set()

    def hear(self, event: Approval, call: ToolCall | None) -> None:
        if event.call_key is not None:
            self.last[event.call_key] = event
        if call is None:
            return
        same = same_call(call)
        if event.state == "denied":
            self.no[same] = event
        elif event.state == "granted":
            self.no.pop(same, None)
            self.yes[same] = event
            self.done.pop(same, None)

    def refuse(self, call: ToolCall, denied: Mapping[str, Approval]) -> None:
        """A denied call got its answer; some formats tell of the denial only at the end."""
        if call.call_key in denied:
            self.no[same_call(call)] = denied[call.call_key]

    def go_on(self, event: Event) -> None:
        """The model is asked again, or somebody speaks: what is done now is done anew."""
        if isinstance(event, ModelCallEvent):
            self.yes.clear()
        elif isinstance(event, Message) and event.role == "user":
            self.no.clear()


def _judge(
    state: _State,
    call: ToolCall,
    result: ToolResult,
    denied: Mapping[str, Approval],
    run: Run,
    settings: TraceSettings,
) -> tuple[str, Event] | None:
    """How a call that is carried out now goes against what was said, and what that was."""
    same, last = same_call(call), state.last.get(call.call_key)
    if call.call_key in denied:
        return "denied", denied[call.call_key]
    if last is not None and last.state == "requested" and _granted_later(run, last, result):
        return "early", last
    # Where approvals leave no record, somebody may have said yes the second time.
    if last is None and same in state.no and "approval" in run.known:
        return "again", state.no[same]
    # What acts anew with each call is told by non-idempotent-side-effect.
    repeated = same in state.yes and same in state.done
    unasked = last is None or call.call_key in state.finished
    if repeated and unasked and not acts_anew(call.name, settings):
        return "twice", state.yes[same]
    return None


def _granted_later(run: Run, asked: Approval, result: ToolResult) -> bool:
    """Whether the yes came after the result; one that is read off the result came before it."""
    return any(
        a.call_key == asked.call_key
        and a.state == "granted"
        and a.seq > result.seq
        and a.source.record != result.source.record
        for a in run.all(Approval)
    )


def _hit(found: Against) -> Assessment:
    message, first, then = _HOW[found.how]
    name = found.call.name
    return run_hit(
        name,
        message.format(name=name),
        [
            (found.result, "Its result: carried out."),
            (found.said, "What was said of the call before."),
            (found.call, "The call."),
        ],
        owner=f"the loop that runs {name}",
        path=(first, then, f"{name} is carried out"),
        looked_for=LOOKED_FOR,
        confidence="medium" if found.how in ("denied", "early") else None,
    )
