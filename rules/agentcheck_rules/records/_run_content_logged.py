"""Personal data and keys that stand in the record of a run in plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    Run,
    ToolCall,
    ToolResult,
    TraceSettings,
    find_secrets,
    run_hit,
    run_lacks,
    run_met,
)

KEYS = frozenset({"key", "private-key"})
MAILS = frozenset({"email"})
SHOWN = 3


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Is the record free of e-mail addresses in tools' results, and of keys anywhere?

    What people write themselves is theirs to give: addresses count only where a tool brought them.
    """
    lacking = run_lacks(run, run.name, "content")
    if lacking is not None:
        yield lacking
        return
    mails = [r for r in run.all(ToolResult) if _holds(r.content, MAILS)]
    keys = _key_holders(run.events)
    if mails:
        yield _hit(run, mails, "E-mail addresses", "a tool's result with an e-mail address")
    if keys:
        yield _hit(run, keys, "Keys", "a text with the shape of a key")
    if not mails and not keys:
        why = "No e-mail address in a tool's result, and no key anywhere."
        yield run_met(run, run.name, why, run.events)


def _key_holders(events: Sequence[Event]) -> list[Event]:
    """The events with a key in them; all are searched at once, as most runs have none."""
    texts = list(map(_text, events))
    if not _holds("\n\n".join(texts), KEYS):
        return []
    return [event for event, text in zip(events, texts, strict=True) if _holds(text, KEYS)]


def _holds(text: str, kinds: frozenset[str]) -> bool:
    return next(find_secrets(text, kinds), None) is not None


def _text(event: Event) -> str:
    if isinstance(event, ToolResult):
        return event.content
    if isinstance(event, Message):
        return event.text
    return event.arguments_raw if isinstance(event, ToolCall) else ""


def _hit(run: Run, events: Sequence[Event], what: str, one: str) -> Assessment:
    key = what == "Keys"
    return run_hit(
        run.name,
        f"{what} stand in the record in plain text, in {len(events)} of its records.",
        [(event, f"Here: {one}.") for event in events[:SHOWN]],
        owner="the code that records runs",
        path=("texts go through the run", "the record keeps them as they are"),
        looked_for=("a placeholder in their place",),
        severity="high" if key else None,
        title=f"{what} are recorded in plain text",
    )
