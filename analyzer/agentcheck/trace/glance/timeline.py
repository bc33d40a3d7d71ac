"""One run in order: who spoke, which tool was called and how that went, who handed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentcheck.model.event import (
    Approval,
    Compaction,
    Event,
    Guardrail,
    Handoff,
    Message,
    ModelCall,
    Run,
    RunEnd,
    ToolCall,
    ToolResult,
)
from agentcheck.model.runs import Amounts, Outcome, Step, Timeline
from agentcheck.trace.amounts import cost_known, duration_of, time_of, tokens_given, tokens_made
from agentcheck.trace.endings import Ending
from agentcheck.trace.glance.counter import short_name
from agentcheck.trace.mask import excerpt
from agentcheck.trace.prices import model_name

FIRST, LAST = 100, 20
"""The steps of a long run that are kept: from its beginning and from its end."""
_AGENTS = 40
_TEXT = 160
_MOST = 10**15
_STATES: dict[str, tuple[str, Outcome]] = {
    "requested": ("asked", "none"),
    "granted": ("granted", "ok"),
    "denied": ("denied", "bad"),
}
_ENDED: dict[str, Outcome] = {"completed": "ok", "unknown": "unclear", "awaiting_approval": "none"}


def timeline(run: Run, amounts: Amounts, end: Ending) -> Timeline:
    """The run with its first and last steps."""
    told = [event for event in run.events if _is_step(event, run)]
    left = max(len(told) - FIRST - LAST, 0)
    kept = told[:FIRST] + told[len(told) - LAST :] if left else told
    turns = _turns(run)
    start = min((t for t in map(time_of, run.events) if t is not None), default=None)
    steps = [_step(event, run, turns[event.seq], start) for event in kept]
    ended = not any(isinstance(event, RunEnd) for event in kept)
    return Timeline(
        file=run.file,
        run=run.index,
        run_id=short_name(run.id),
        name=short_name(run.name),
        format=run.format,
        status=": ".join((end.status, *map(short_name, end.words[:2]))),
        amounts=amounts,
        agents=tuple(_agents(run)),
        steps=(*steps, _end(run, end, turns)) if ended else tuple(_last(steps, run, end, turns)),
        left_out=left,
        gap=FIRST if left else 0,
        unread=run.unknown_records,
    )


def _is_step(event: Event, run: Run) -> bool:
    if isinstance(event, Message):
        return event.role not in ("system", "developer")
    if isinstance(event, ToolCall):
        return event.call_key not in run.handed
    return isinstance(event, ModelCall | Handoff | Approval | Guardrail | Compaction | RunEnd)


def _turns(run: Run) -> dict[int, int]:
    """The number of model calls up to each event, by its `seq`."""
    count, found = 0, {}
    for event in run.events:
        count += isinstance(event, ModelCall)
        found[event.seq] = count
    return found


def _agents(run: Run) -> Iterator[str]:
    seen: dict[str, None] = {}
    for event in run.events:
        if event.agent and not (isinstance(event, Message) and event.role == "user"):
            seen[event.agent] = None
        if isinstance(event, Handoff) and event.accepted is not False:
            seen[event.to_agent] = None
        if len(seen) >= _AGENTS:
            break
    return (short_name(name) for name in seen)


def _step(event: Event, run: Run, turn: int, start: float | None) -> Step:
    facts = _facts(event, run)
    ts = time_of(event)
    at = None if ts is None or start is None else ts - start
    asks = isinstance(event, Message) and event.role == "user"
    agent = None if asks or not event.agent else short_name(event.agent)
    return Step(record=str(event.source.record), turn=turn, **({"agent": agent, "at": at} | facts))


def _facts(event: Event, run: Run) -> dict[str, Any]:
    match event:
        case Message():
            return {"what": "message", "word": event.role, "text": _cut(event.text)}
        case ModelCall():
            return _turn(event)
        case ToolCall():
            return _call(event, run)
        case Handoff():
            return _handoff(event)
        case Approval():
            return _approval(event, run)
        case Guardrail():
            word, outcome = ("triggered", "bad") if event.triggered else ("passed", "ok")
            return {"what": "guardrail", "word": word, "text": _cut(event.name), "outcome": outcome}
        case Compaction():
            return {"what": "compaction", "word": "shortened", "text": _shortened(event)}
    return {"what": "end", "word": "end", "text": ""}


def _turn(event: ModelCall) -> dict[str, Any]:
    cut = event.finish_reason in ("length", "content_filter", "error")
    return {
        "what": "turn",
        "word": (event.finish_reason or "") if cut else "",
        "text": _cut(model_name(event) or ""),
        "outcome": "bad" if cut else "ok" if event.finish_reason else "unclear",
        "seconds": duration_of(event),
        "tokens_in": tokens_given(event),
        "tokens_out": tokens_made(event),
        "cost": cost_known(event),
    }


def _call(event: ToolCall, run: Run) -> dict[str, Any]:
    answer = run.answers.get(event.call_key)
    word, outcome = _outcome(answer, run)
    return {
        "what": "call",
        "word": word,
        "outcome": outcome,
        "text": _cut(f"{event.name}({event.arguments_raw})"),
        "seconds": duration_of(answer) if answer else None,
    }


def _outcome(answer: ToolResult | None, run: Run) -> tuple[str, Outcome]:
    if answer is None:
        return (
            ("no result", "none") if "results" in run.known else ("result not recorded", "unclear")
        )
    if answer.is_error is None and "errors" not in run.known:
        return "answered", "unclear"
    return ("error", "bad") if answer.is_error else ("ok", "ok")


def _handoff(event: Handoff) -> dict[str, Any]:
    refused = event.accepted is False
    return {
        "what": "handoff",
        "word": "refused" if refused else "",
        "outcome": "bad" if refused else "ok",
        "text": f"{short_name(event.from_agent or '?')} -> {short_name(event.to_agent)}",
    }


def _approval(event: Approval, run: Run) -> dict[str, Any]:
    word, outcome = _STATES[event.state]
    calls = (c.name for c in run.all(ToolCall) if c.call_key == event.call_key)
    by = f" by {event.by}" if event.by else ""
    return {
        "what": "approval",
        "word": word,
        "outcome": outcome,
        "text": _cut(f"{next(calls, 'some call')}{by}"),
    }


def _shortened(event: Compaction) -> str:
    if event.before_tokens is None or event.after_tokens is None:
        return ""
    before, after = min(event.before_tokens, _MOST), min(event.after_tokens, _MOST)
    return f"{before:,} -> {after:,} tokens"


def _last(steps: list[Step], run: Run, end: Ending, turns: dict[int, int]) -> Iterator[Step]:
    """The steps with the end told in the vocabulary of all formats."""
    made = _end(run, end, turns)
    yield from (made if step.what == "end" else step for step in steps)


def _end(run: Run, end: Ending, turns: dict[int, int]) -> Step:
    last = run.events[-1] if run.events else None
    return Step(
        what="end",
        word=end.status,
        text=_cut(", ".join(end.words)),
        record=str(last.source.record) if last else "",
        turn=turns[last.seq] if last else 0,
        outcome=_ENDED.get(end.status, "bad"),
    )


def _cut(text: str) -> str:
    return excerpt(text, most=_TEXT)
