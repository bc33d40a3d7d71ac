"""Personal data and keys that stand in the record of a run in plain text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    Outline,
    Run,
    Severity,
    ToolCall,
    ToolResult,
    TraceSettings,
    Usual,
    find_secrets,
    run_hit,
    run_lacks,
    run_met,
    secret_screen,
)

SHOWN = 3
GAP = "\n\n"


class _Told(NamedTuple):
    """How one kind of finding is told; `anywhere` or in tools' results alone."""

    what: str
    one: str
    anywhere: bool
    severity: Severity | None = None


_KEYS = _Told("keys", "a text with the shape of a key", anywhere=True, severity="high")
_KINDS = {
    "email": _Told("e-mail addresses", "a tool's result with an e-mail address", anywhere=False),
    "phone": _Told("telephone numbers", "a tool's result with a telephone number", anywhere=False),
    "iban": _Told(
        "bank accounts", "a tool's result with the number of a bank account (IBAN)", anywhere=False
    ),
    "card": _Told("card numbers", "a payment card's number", anywhere=True, severity="high"),
    "key": _KEYS,
    "private-key": _KEYS,
}
_SOUGHT = frozenset(_KINDS)
_ANYWHERE = frozenset(kind for kind, told in _KINDS.items() if told.anywhere)
_EMAIL = frozenset({"email"})
_may_hold, _may_be_anywhere = secret_screen(_SOUGHT), secret_screen(_ANYWHERE)
_TEXTS = (Message, ToolCall, ToolResult)
"""The events in which something is told."""


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Is the record free of personal data in tools' results, and of keys and cards anywhere?

    What people write themselves is theirs to give: addresses count only where a tool brought them.
    """
    lacking = run_lacks(run, run.name, "content")
    if lacking is not None:
        yield lacking
        return
    found = _found(run)
    if found:
        yield _hit(run, found)
    else:
        why = "No e-mail, telephone or IBAN in a tool's result, and no card or key anywhere."
        yield run_met(run, run.name, why, [e for e in run.events if isinstance(e, _TEXTS)])


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """Nothing has the shape of what is sought, or an e-mail address is all that has."""
    if "content" not in outline.known:
        return outline.unclear()
    if not (outline.results or outline.calls or outline.said or outline.system or outline.other):
        return outline.idle()
    results = outline.brought()
    mailed = "@" in results and _has_email(results)
    suspect = mailed or (bool(results) and _may_hold(results))
    if _anywhere(outline, results if suspect else ""):
        return None
    if mailed:
        return outline.subject, "not-met"
    return None if suspect else outline.met()


def _anywhere(outline: Outline, results: str) -> bool:
    """Whether what is sought everywhere may be in the run; `results` are those to look at."""
    texts = [results, *outline.said, *outline.other]
    for raws in outline.calls.values():
        texts += raws
    return _PROMPTS.may_hold(outline.system) or _may_be_anywhere(GAP.join(texts))


def _has_email(results: str) -> bool:
    return next(find_secrets(results, _EMAIL), None) is not None


class _Prompts:
    """Remembers the last system prompt, which many runs share."""

    def __init__(self) -> None:
        self._last: list[str] = []
        self._holds = False

    def may_hold(self, texts: list[str]) -> bool:
        if texts != self._last:
            self._last, self._holds = texts, _may_be_anywhere(GAP.join(texts))
        return self._holds


_PROMPTS = _Prompts()


def _found(run: Run) -> dict[_Told, list[Event]]:
    """The events that hold something, by what it is."""
    results = run.all(ToolResult)
    messages = run.all(Message)
    prompts = [m for m in messages if m.role == "system" and _marred(m.text)]
    others: list[Event] = [*(m for m in messages if m.role != "system"), *run.all(ToolCall)]
    held: dict[_Told, dict[int, Event]] = {}
    for events, kinds in ((results, _SOUGHT), ([*prompts, *others], _ANYWHERE)):
        for kind, event in _holders(events, kinds):
            held.setdefault(_KINDS[kind], {})[event.seq] = event
    order = [told for told in dict.fromkeys(_KINDS.values()) if told in held]
    return {told: [event for _, event in sorted(held[told].items())] for told in order}


@lru_cache(maxsize=8)
def _marred(prompt: str) -> bool:
    """Whether a system prompt holds something; most runs of a file have the same."""
    return next(find_secrets(prompt, _ANYWHERE), None) is not None


def _holders(events: Sequence[Event], kinds: frozenset[str]) -> Iterator[tuple[str, Event]]:
    """What the events hold, each with its event; all are searched at once."""
    texts = list(map(_text, events))
    starts = list(accumulate((len(text) + len(GAP) for text in texts), initial=0))
    for secret in find_secrets(GAP.join(texts), kinds):
        yield secret.kind, events[bisect_right(starts, secret.start) - 1]


def _text(event: Event) -> str:
    if isinstance(event, ToolResult):
        return event.content
    if isinstance(event, Message):
        return event.text
    return event.arguments_raw if isinstance(event, ToolCall) else ""


def _hit(run: Run, found: dict[_Told, list[Event]]) -> Assessment:
    first = min(found, key=lambda told: told.severity != "high")
    kinds = [first, *(told for told in found if told is not first)]
    counts = ", ".join(f"{told.what} in {len(found[told])} of its records" for told in kinds)
    return run_hit(
        run.name,
        f"The record holds, in plain text: {counts}.",
        [(event, f"Here: {told.one}.") for told in kinds for event in found[told][:SHOWN]],
        owner="the code that records runs",
        path=("texts go through the run", "the record keeps them as they are"),
        looked_for=("a placeholder in their place", "a check digit that does not fit"),
        severity=first.severity,
        title=f"{first.what[0].upper()}{first.what[1:]} are recorded in plain text",
    )
