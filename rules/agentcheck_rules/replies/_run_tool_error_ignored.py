"""Errors of tools that the answer to the user passes over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentcheck.rule import (
    Assessment,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    lazy_re,
    run_cannot_tell,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

# Words by which an answer owns up to trouble, in whatever form. Missing one makes a false alarm,
# so the list is generous.
_OWNS_UP = lazy_re(
    r"n['’]t\b|\b(?:not|no|none|never|cannot|unable|unfortunately|sorry|apolog\w*|regret\w*|error\w*"
    r"|fail\w*|issue\w*|problem\w*|trouble\w*|difficult\w*|invalid|incorrect|wrong|missing|denied"
    r"|refused|reject\w*|declin\w*|unavailable|unsuccessful\w*|unknown|unclear|instead|again"
    r"|retry\w*|try|tried|however|but|although|without|only|insufficient|exceed\w*|limit\w*"
    r"|please (?:provide|check|confirm|verify|specify|give)|could you|can you|would you)\b",
    re.IGNORECASE,
)
_ENGLISH = lazy_re(r"\b(?:the|your|you|is|are|has|have|was|will|and|it|i|to|of|for)\b", re.I)
LOOKED_FOR = (
    "a further call of the same tool",
    "words that own up to the error, or ask for something",
)


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did the answer after each tool error own up to it?

    Judged only where the format marks errors, nothing was tried afterwards, and the answer is
    English; texts that look like errors are no proof.
    """
    lacking = run_lacks(run, run.name, "errors") or run_lacks(run, run.name, "content")
    failed = [result for result in run.all(ToolResult) if result.is_error]
    if lacking is not None or not failed:
        yield lacking or run_not_applicable(run, run.name, "No tool ended in an error.")
        return
    last = failed[-1]
    answer = _answer(run, last)
    name = _name(run, last)
    if answer is None:
        yield run_not_applicable(run, name, "No answer follows the error without a further call.")
    elif _OWNS_UP.search(answer.text):
        yield run_met(run, name, "The answer after the error owns up to it.", [answer])
    elif not _ENGLISH.search(answer.text):
        yield run_cannot_tell(run, name, "The answer after the error is not in English.")
    else:
        yield _hit(name, last, answer)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No tool failed, or none could be seen to."""
    if "errors" not in outline.known or "content" not in outline.known:
        return outline.unclear()
    return None if outline.failed else outline.idle()


def owns_up(text: str) -> bool:
    """Whether an answer has a word that owns up to trouble, or asks for something."""
    return _OWNS_UP.search(text) is not None


def told_at_once(run: Run, result: ToolResult) -> bool:
    """Whether a result is the last error of its run, which the answer follows at once."""
    last = next((r for r in reversed(run.all(ToolResult)) if r.is_error), None)
    return last is result and _answer(run, result) is not None


def _answer(run: Run, failed: ToolResult) -> Message | None:
    """What the assistant says next after an error, if it asks for no further call."""
    for event in run.events[failed.seq + 1 :]:
        if isinstance(event, ToolCall):
            return None
        if isinstance(event, Message) and event.role == "assistant":
            return None if _calls_follow(run, event) else event
    return None


def _calls_follow(run: Run, message: Message) -> bool:
    """Whether the reply that a message belongs to asks for calls."""
    for event in run.events[message.seq + 1 :]:
        if isinstance(event, ToolCall):
            return True
        if isinstance(event, ModelCallEvent | Message):
            return False
    return False


def _name(run: Run, result: ToolResult) -> str:
    calls = run.all(ToolCall)
    return next((c.name for c in calls if c.call_key == result.call_key), run.name)


def _hit(name: str, failed: ToolResult, answer: Message) -> Assessment:
    return run_hit(
        name,
        f"{name} failed, and the answer that follows does not say so.",
        [
            (failed, "The tool ended in an error."),
            (answer, "The answer after it, which mentions no error."),
        ],
        owner=f"the agent {answer.agent}" if answer.agent else "the agent that answers",
        path=(
            f"{name} ends in an error",
            "the error goes to the model as a text like any other",
            "the answer tells the user nothing of it",
        ),
        looked_for=LOOKED_FOR,
        confidence="medium",
    )
