"""How a run is expected to end.

A status is one word, or `word:detail` as runtimes write it: "failed:budget_exceeded". The word may
be one of agentcheck's or another name for it; the detail is sought among the words and the names of
guardrails that the record has for its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.config.nearest import nearest
from agentcheck.expect.said import Said, failed, passed, unclear
from agentcheck.model.event import Run, RunEnd
from agentcheck.trace.endings import STATUSES, Ending, ending

_ALIASES = {
    "complete": "completed",
    "success": "completed",
    "succeeded": "completed",
    "done": "completed",
    "finished": "completed",
    "paused": "awaiting_approval",
    "pending_approval": "awaiting_approval",
    "needs_approval": "awaiting_approval",
    "approval_required": "awaiting_approval",
    "failed": "error",
    "failure": "error",
    "errored": "error",
    "turn_limit": "max_turns",
    "max_iterations": "max_turns",
    "cancelled": "interrupted",
    "canceled": "interrupted",
}


def check_status(run: Run, wanted: Sequence[str]) -> Iterator[Said]:
    """Did the run end in one of these ways?"""
    end = ending(run)
    said = [_judged(end, status) for status in wanted]
    for outcome in ("pass", "cannot-tell", "fail"):
        found = next((one for one in said if one.outcome == outcome), None)
        if found is not None:
            ends = run.all(RunEnd)
            event = ends[-1] if ends else run.events[-1] if run.events else None
            yield Said(found.outcome, found.text, event)
            return


def _judged(end: Ending, wanted: str) -> Said:
    if any(_plain(wanted) == _plain(word) for word in (end.status, *end.words)):
        return passed()
    head, _, detail = wanted.partition(":")
    status = _ALIASES.get(_plain(head), _plain(head))
    if status not in STATUSES:
        return _in_own_words(end, wanted)
    if end.status == "unknown" and status != "unknown":
        return unclear("The record does not show how the run ended.")
    if end.status != status:
        return failed(f"The run ended with {_told(end)}, not {wanted}.")
    if not detail:
        return passed()
    if not end.words:
        return unclear(f"The run ended with {end.status}; the record does not say why.")
    if any(_plain(detail) in _plain(word) for word in end.words):
        return passed()
    return failed(f"The run ended with {_told(end)}, not {wanted}.")


def _in_own_words(end: Ending, wanted: str) -> Said:
    if end.words:
        return failed(f"The run ended with {_told(end)}, not {wanted}.")
    near = nearest(wanted, (*STATUSES, *_ALIASES))
    hint = f'did you mean "{near}"?' if near else f"known: {', '.join(STATUSES)}."
    return unclear(f'The record has no words of its own for its end, such as "{wanted}"; {hint}')


def _told(end: Ending) -> str:
    return f"{end.status} ({', '.join(end.words)})" if end.words else end.status


def _plain(word: str) -> str:
    return "_".join(word.lower().replace("-", " ").replace("_", " ").split())
