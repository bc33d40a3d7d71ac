"""Replies that were cut off or withheld: did the run treat them as whole ones?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    RunEnd,
    ToolResult,
    TraceSettings,
    Usual,
    cite_all,
    lazy_re,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
    voiced,
)

CUT = {"length": "cut off at its token limit", "content_filter": "withheld by the content filter"}
# What programs, and some people, write after half an answer.
_GO_ON = lazy_re(
    r"\b(?:continue|go on|cut off|truncated|token limit|too long|max_tokens|content filter)\b",
    re.IGNORECASE,
).search
LOOKED_FOR = (
    "a second request right after the reply, before anything was made of it",
    "an end of the run with an error",
)


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Was each reply that ended abnormally noticed?

    Not applicable where none did, for then nothing put the check to the test.
    """
    replies = run.all(ModelCallEvent)
    subject = run.name
    cut = [reply for reply in replies if reply.finish_reason in CUT]
    lacking = run_lacks(run, subject, "finish")
    if lacking is not None or not cut:
        why = f"None of {len(replies)} replies was cut off or withheld."
        yield lacking or run_not_applicable(run, subject, why)
        return
    taken = [reply for reply in cut if not _asked_again(run, reply)]
    yield _hit(run, taken) if taken else _noticed(run, cut)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No reply was cut off, or none could be seen to be."""
    if "finish" not in outline.known:
        return outline.unclear()
    return None if outline.cut else outline.idle()


def _asked_again(run: Run, reply: ModelCallEvent) -> bool:
    """Whether the next thing after a reply and its own content is another request of its loop.

    A message that says why, or asks to go on, may stand in between; a request of another loop is
    that of an agent which takes the reply for an answer.
    """
    for event in run.events[reply.seq + 1 :]:
        if isinstance(event, ModelCallEvent):
            return event.loop == reply.loop
        if isinstance(event, ToolResult | RunEnd):
            return False
        if isinstance(event, Message) and event.role != "assistant" and not _GO_ON(event.text):
            return False
    return False


def _noticed(run: Run, cut: Sequence[ModelCallEvent]) -> Assessment:
    """Met, unless what could not be read may hold another such reply."""
    subject = _subject(run, cut[0])
    why = f"Each of {len(cut)} abnormal replies was followed at once by another request."
    if run.unknown_records:
        return run_met(run, subject, why)
    evidence = cite_all(_told(run, cut))
    return Assessment(subject=subject, verdict="met", why=why, evidence=evidence)


def _hit(run: Run, taken: Sequence[ModelCallEvent]) -> Assessment:
    reply = taken[0]
    failed = _failed_on(run, taken)
    end = "the run ended in an error" if failed else "the run took it as a whole answer"
    return run_hit(
        _subject(run, reply),
        f"A reply was {CUT[str(reply.finish_reason)]}, and {end}.",
        _told(run, taken),
        owner="the loop that reads the reply",
        path=(
            f"the reply ends with {reply.finish_raw}",
            "the loop does not look at why it ended",
            end,
        ),
        looked_for=LOOKED_FOR,
        weakened=failed,
        partly=failed,
        severity="low" if failed else None,
    )


def _failed_on(run: Run, taken: Sequence[ModelCallEvent]) -> bool:
    """Whether the run ended in an error right on the only such reply."""
    last = run.all(ModelCallEvent)[-1]
    return any(e.status == "error" for e in run.all(RunEnd)) and [*taken] == [last]


def _told(run: Run, replies: Sequence[ModelCallEvent]) -> list[tuple[Event, str]]:
    says = "This reply was {} (finish reason {})."
    return [
        (voiced(run, r), says.format(CUT[str(r.finish_reason)], r.finish_raw)) for r in replies[:5]
    ]


def _subject(run: Run, reply: ModelCallEvent) -> str:
    return reply.agent or run.name
