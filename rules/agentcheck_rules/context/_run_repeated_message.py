"""One agent that says the same thing again and again."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    Assessment,
    Event,
    Message,
    Outline,
    Run,
    TraceSettings,
    Usual,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

LEAST = 30
"""Characters below which a message may well be said often: a thanks, a greeting, a number."""
SHOWN = 8


def check_run(run: Run, settings: TraceSettings) -> Iterator[Assessment]:
    """Did no agent say one thing `min_repeats` times, word for word?"""
    lacking = run_lacks(run, run.name, "content")
    said = [m for m in run.all(Message) if m.role == "assistant" or m.agent is not None]
    if lacking is not None or not said:
        yield lacking or run_not_applicable(run, run.name, "No agent said anything.")
        return
    same: dict[tuple[str | None, str], list[Message]] = {}
    for message in said:
        if len(message.text) >= LEAST:
            same.setdefault((message.agent, message.text), []).append(message)
    repeated = [group for group in same.values() if len(group) >= max(settings.min_repeats, 2)]
    yield from (_hit(run, group) for group in repeated)
    if not repeated:
        why = f"No message was said {settings.min_repeats} times among {len(said)}."
        yield run_met(run, run.name, why, said)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No agent spoke, or no two long texts of agents are equal."""
    if "content" not in outline.known:
        return outline.unclear()
    if not outline.said:
        return outline.idle()
    long = [text for text in outline.said if len(text) >= LEAST]
    differ = len(set(map(len, long))) == len(long) or len(set(long)) == len(long)
    return outline.met() if differ else None


def _hit(run: Run, group: list[Message]) -> Assessment:
    who = group[0].agent or run.name
    first = min(3, len(group)) - 1
    told: list[tuple[Event, str]] = [
        (m, f"Message {n} of {len(group)}, all equal.") for n, m in enumerate(group, 1)
    ]
    return run_hit(
        who,
        f"{who} said the same thing {len(group)} times, word for word.",
        [told[first], *told[:first], *told[first + 1 : SHOWN]],
        owner=f"the loop that {who} runs in",
        path=(
            f"{who} says something",
            "what comes back does not move it on",
            f"it says the same again, {len(group)} times in all",
        ),
        looked_for=("any difference between the messages",),
    )
