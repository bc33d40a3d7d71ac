"""How a check of a run speaks: evidence from events, and the answers that are no findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentcheck.model.assessment import (
    Assessment,
    Challenge,
    Hit,
    Role,
    TraceEvidence,
    Verdict,
)
from agentcheck.model.event import (
    Approval,
    Event,
    FieldGroup,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    ToolCall,
    ToolResult,
)
from agentcheck.trace.mask import excerpt

_GROUP_WORDS: dict[FieldGroup, str] = {
    "usage": "token usage",
    "finish": "why replies ended",
    "time": "times",
    "results": "the results of tool calls",
    "approval": "approvals",
    "handoffs": "handoffs",
    "schema": "the tools' parameters",
    "content": "texts and arguments",
    "errors": "which results are errors",
}


def cite(event: Event, says: str, role: Role = "related", at: int = 0) -> TraceEvidence:
    """An event as evidence: its text from character `at` on, masked and cut, with a sentence."""
    source = event.source
    return TraceEvidence(
        role=role,
        file=source.file,
        run=source.run,
        record=source.record,
        pointer=source.pointer,
        text=excerpt(_text(event), at),
        says=says,
    )


def cite_all(told: Iterable[tuple[Event, str]]) -> tuple[TraceEvidence, ...]:
    """Several events as evidence, the first of them primary."""
    return tuple(
        cite(event, says, "related" if number else "primary")
        for number, (event, says) in enumerate(told)
    )


def voiced(run: Run, reply: ModelCall) -> Event:
    """What to show of a reply: its text or first call where it has one, else the model call."""
    following = run.events[reply.seq + 1 : reply.seq + 2]
    for event in following:
        same = event.source.record == reply.source.record
        if same and isinstance(event, Message | ToolCall):
            return event
    return reply


def run_cannot_tell(run: Run, subject: str, why: str) -> Assessment:
    """The run does not hold what the question needs."""
    return Assessment(subject=subject, verdict="cannot-tell", why=why, evidence=(_head(run, why),))


def run_lacks(run: Run, subject: str, *groups: FieldGroup) -> Assessment | None:
    """The answer "cannot-tell" where the run's format leaves out a field group, else None."""
    for group in groups:
        if group not in run.known:
            why = f"This {run.format} record does not carry {_GROUP_WORDS[group]}."
            return run_cannot_tell(run, subject, why)
    return None


def run_met(run: Run, subject: str, why: str, seen: Sequence[Event] = ()) -> Assessment:
    """What was asked was looked at and found right; cites the first event looked at.

    Without such an event the question does not apply. A run of which records could not be read
    is never found right.
    """
    if run.unknown_records:
        left = f"{run.unknown_records} of its records could not be read"
        return run_cannot_tell(run, subject, f"{why[:-1]} among what was read, but {left}.")
    if not seen:
        return run_not_applicable(run, subject, why)
    source = seen[0].source
    evidence = TraceEvidence(
        "primary", source.file, source.run, source.record, source.pointer, "", why
    )
    return Assessment(subject=subject, verdict="met", why=why, evidence=(evidence,))


def run_not_applicable(run: Run, subject: str, why: str) -> Assessment:
    """The run gave no occasion to ask; "cannot-tell" where records of it could not be read."""
    verdict: Verdict = "cannot-tell" if run.unknown_records else "not-applicable"
    return Assessment(
        subject=subject,
        verdict=verdict,
        why=why,
        evidence=(_head(run, why),),
    )


def run_hit(
    subject: str,
    message: str,
    told: Iterable[tuple[Event, str]],
    *,
    owner: str,
    path: Sequence[str],
    looked_for: Sequence[str] = (),
    weakened: bool = False,
    partly: bool = False,
    **sharper: Any,
) -> Assessment:
    """A hit: what is wrong, the events that prove it (first the primary one), how it came about.

    `looked_for` says what would have refuted it, `weakened` that some of that was there;
    `sharper` are further fields of the hit.
    """
    challenge = Challenge("weakened" if weakened else "upheld", tuple(looked_for))
    hit = Hit(
        message=message,
        owner=owner,
        failure_path=tuple(path),
        challenge=challenge,
        **sharper,
    )
    return Assessment(
        subject=subject,
        verdict="partly" if partly else "not-met",
        why=message,
        evidence=cite_all(told),
        hit=hit,
    )


def _head(run: Run, says: str) -> TraceEvidence:
    source = run.events[0].source if run.events else None
    record, pointer = (source.record, source.pointer) if source else (0, "")
    return TraceEvidence("primary", run.file, run.index, record, pointer, "", says)


def _text(event: Event) -> str:
    match event:
        case ToolCall():
            return f"{event.name}({event.arguments_raw})"
        case ToolResult():
            return event.content
        case Message():
            return event.text
        case Handoff():
            return f"{event.from_agent or '?'} -> {event.to_agent}"
        case ModelCall():
            return event.finish_raw or event.response_model or event.request_model or ""
        case RunEnd():
            return event.status
        case Guardrail():
            return f"{event.name}: {'triggered' if event.triggered else 'passed'}"
        case Approval():
            return f"approval {event.state}{f' by {event.by}' if event.by else ''}"
    return ""
