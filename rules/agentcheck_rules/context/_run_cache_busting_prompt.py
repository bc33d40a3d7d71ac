"""Requests that the provider's cache could have served, and did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from agentcheck.rule import (
    Assessment,
    Compaction,
    Event,
    Message,
    ModelCallEvent,
    Outline,
    Run,
    TraceSettings,
    Usual,
    cite,
    input_tokens,
    is_cached,
    run_hit,
    run_lacks,
    run_met,
    run_not_applicable,
)

FEWEST = 3
CACHED_FROM = 4_096
"""Tokens of a prefix from which every provider that caches does so."""
KEPT = 300.0
"""Seconds for which a prefix is kept at least."""
LEAD = 60
"""Characters shown in front of the place where two prompts differ."""


class _Loop(NamedTuple):
    calls: list[ModelCallEvent]
    heads: list[Message]


def check_run(run: Run, _settings: TraceSettings) -> Iterator[Assessment]:
    """Did the requests of each loop begin alike, and did the cache serve what they repeat?"""
    lacking = run_lacks(run, run.name, "usage")
    if lacking is not None and "content" not in run.known:
        yield lacking
        return
    loops = [loop for loop in _loops(run) if len(loop.calls) >= FEWEST]
    hits = [hit for loop in loops for hit in (_changing(run, loop), _uncached(run, loop)) if hit]
    seen = [call for loop in loops for call in loop.calls]
    if hits:
        yield from hits
    elif not any(loop.heads or _counts(loop.calls) for loop in loops):
        why = "No loop made several requests whose head or cached tokens are recorded."
        yield run_not_applicable(run, run.name, why)
    else:
        yield run_met(run, run.name, "The requests of each loop begin alike.", seen)


def usual_run(outline: Outline, _settings: TraceSettings) -> Usual:
    """No head of a request and no count of cached tokens is in the run."""
    if "usage" not in outline.known and "content" not in outline.known:
        return outline.unclear()
    return None if outline.heads or outline.cached else outline.idle()


def _loops(run: Run) -> list[_Loop]:
    """The requests of each loop, with the system prompts that stood first in them anew."""
    prompts = {
        message.source.record: message
        for message in run.all(Message)
        if message.role in ("system", "developer")
    }
    loops: dict[tuple[str | None, str | None], _Loop] = {}
    for call in run.all(ModelCallEvent):
        loop = loops.setdefault((call.loop, call.agent), _Loop([], []))
        loop.calls.append(call)
        head = prompts.get(call.source.record)
        if head is not None and _heads(head, call):
            loop.heads.append(head)
    return list(loops.values())


def _heads(prompt: Message, call: ModelCallEvent) -> bool:
    """Whether a request begins with a prompt: as its first message, or as its instructions."""
    return prompt.source.pointer.endswith("/0") or prompt.text == call.system_text


def _changing(run: Run, loop: _Loop) -> Assessment | None:
    """The prompt is another in most of the requests."""
    changes = len(loop.heads) - 1
    if changes < FEWEST - 1 or 2 * changes < len(loop.calls) - 1:
        return None
    first, second = loop.heads[:2]
    at = max(_common(first.text, second.text) - LEAD, 0)
    told = [
        cite(second, "The system prompt of a later request, where it differs.", "primary", at),
        cite(first, "The system prompt of the first request.", at=at),
        *(cite(head, "And another.", at=at) for head in loop.heads[2:4]),
    ]
    hit = run_hit(
        _subject(run, loop),
        f"The system prompt changed {changes} times in {len(loop.calls)} requests of one loop.",
        [(second, "")],
        owner="whoever builds the system prompt",
        path=(
            "each request builds the system prompt anew",
            "its text differs from the one before",
            "nothing behind the difference comes from the provider's cache",
        ),
        looked_for=("another agent or another loop, each of which has its own prompt",),
        confidence="high",
        persona="regular" if (input_tokens(loop.calls[-1]) or 0) >= CACHED_FROM else None,
    )
    return replace(hit, evidence=tuple(told))


def _uncached(run: Run, loop: _Loop) -> Assessment | None:
    """The history only grew, and none of it ever came from the cache."""
    calls = loop.calls
    if len(loop.heads) > 1 or not _counts(calls) or any(call.cache_read for call in calls):
        return None
    cuts = [event.seq for event in run.all(Compaction)]
    again = [pair for pair in pairwise(calls) if _repeats(*pair, cuts)]
    if len(again) < FEWEST - 1 or not is_cached(calls[0]):
        return None
    paid = sum(input_tokens(before) or 0 for before, _ in again)
    told: list[tuple[Event, str]] = [
        (after, f"{input_tokens(after):,} tokens, none of them from the cache.")
        for _, after in again[-2:]
    ]
    return run_hit(
        _subject(run, loop),
        f"In {len(again)} requests nothing came from the provider's cache, though each repeats "
        f"the one before: about {paid:,} tokens were paid for again in full.",
        [*told, (again[0][0], f"{input_tokens(again[0][0]):,} tokens; what follows repeats them.")],
        owner="whoever sends the requests",
        path=(
            "each request repeats the one before it and adds to it",
            "its head differs, or nothing asks the provider to keep it",
            "all of it is paid for in full",
        ),
        looked_for=(
            "a shorter request, or a compaction, in between",
            f"more than {KEPT:.0f} seconds in between, after which a prefix may be gone",
            "a price for cached input of this model",
        ),
        weakened=True,
        confidence="low",
        title="Nothing comes from the provider's cache",
    )


def _counts(calls: Sequence[ModelCallEvent]) -> bool:
    return all(call.cache_read is not None and call.input_tokens for call in calls)


def _repeats(before: ModelCallEvent, after: ModelCallEvent, cuts: Sequence[int]) -> bool:
    """Whether a request holds the one before it, soon enough for that to be kept."""
    size = input_tokens(before) or 0
    late = before.ts is not None and after.ts is not None and after.ts - before.ts > KEPT
    cut = any(before.seq < seq < after.seq for seq in cuts)
    return CACHED_FROM <= size <= (input_tokens(after) or 0) and not late and not cut


def _subject(run: Run, loop: _Loop) -> str:
    return loop.calls[0].agent or run.name


def _common(one: str, two: str) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))
