"""A system prompt that differs on every call, so the provider's prompt cache never holds.

Providers charge a fraction for a prefix that they have seen before. The system prompt stands
first: a clock, an id or a chance value in it makes every request new from there on, the whole
history included.

Reported is a value of a clock finer than a day, a new id or a chance value that is put into a
system prompt in code that runs for each request. A date alone is stable for a day, text that is
built once when a module is loaded for as long as the process lives; both are fine. A value that
stands in a later message is fine as well.

In a run, what counts is a system prompt that is another in most requests of one loop; and, with
low confidence, a history that only grew while the provider counted no token from its cache, for a
model whose cached input has a price of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Hit,
    Piece,
    Prompt,
    code_kind,
    fine,
    primary,
    related,
    system_prompts,
)
from agentcheck_rules.context._clock import changing, only_dated
from agentcheck_rules.context._run_cache_busting_prompt import check_run, usual_run

__all__ = ["CARD", "check", "check_run", "usual_run"]

CARD = Card(
    code="AC602",
    topic="cache-busting-prompt",
    title="The system prompt changes on every call",
    question="Does the system prompt stay the same from call to call?",
    severity="low",
    confidence="medium",
    at_stake="What is sent again and again should be paid for in full only once.",
    consequence="The prefix of every request is new, so no part of it comes from the provider's "
    "cache: each turn pays the full price for the prompt and the history, and waits longer.",
    owner="whoever builds the system prompt",
    smallest_change="Keep the system prompt fixed, and put what changes into the newest user "
    "message; a date without the time may stay.",
    could_break="Answers that looked for the time in the system prompt.",
    acceptance="Two requests that {owner} builds a minute apart have the same system prompt.",
    persona="pedantic",
    remedy_confidence="high",
    tags=("spend",),
)
_ONCE = ("main", "amain", "__init__")
LOOKED = (
    "a format that keeps only the date",
    "text that is built once, when the module is loaded",
    "a place after the history",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a function that puts something changing into a system prompt."""
    seen: set[tuple[str, int]] = set()
    for prompt in system_prompts(graph):
        for piece in prompt.pieces:
            if piece.text is not None or code_kind(piece.fn.file.path) == "test":
                continue
            place = piece.fn.place(piece.expr.span)
            found = changing(graph, piece)
            if (place.file, place.span.line) in seen or (
                found is None and not only_dated(graph, piece)
            ):
                continue
            seen.add((place.file, place.span.line))
            yield _assess(prompt, piece, found)


def _assess(prompt: Prompt, piece: Piece, found: tuple[str, E.Expr, Fn] | None) -> Assessment:
    owner = piece.fn.qualname
    here = related(piece.fn.place(piece.expr.span), "this goes into the system prompt")
    if found is None:
        return fine(owner, "met", "only the date is in it", here)
    if _built_once(prompt, found[2]):
        return fine(owner, "met-differently", "it is built once, when the module is loaded", here)
    return _busting(prompt, piece, found)


def _built_once(prompt: Prompt, fn: Fn) -> bool:
    """Whether the value is taken while a module is loaded, or in the program's start."""
    if prompt.dynamic is not None and fn.index != 0:
        return False
    if fn.index == 0:
        return True
    return prompt.agent is not None and (prompt.site.fn.index == 0 or fn.name in _ONCE)


def _busting(prompt: Prompt, piece: Piece, found: tuple[str, E.Expr, Fn]) -> Assessment:
    kind, source, fn = found
    owner = piece.fn.qualname
    hit = Hit(
        message=f"`{owner}` puts {kind} into a system prompt, so that it differs on every call.",
        owner=owner,
        confidence="low" if prompt.agent is not None and prompt.dynamic is None else None,
        failure_path=(
            f"each request asks for {kind} anew",
            "the first message differs from the one before",
            "nothing behind it is taken from the provider's cache",
        ),
        challenge=Challenge("upheld", LOOKED),
    )
    place, taken = piece.fn.place(piece.expr.span), fn.place(source.span)
    evidence: list[CodeEvidence] = [primary(place, f"{kind} goes into the prompt here")]
    if taken.span.line != place.span.line:
        evidence.append(related(taken, f"{kind} is taken here"))
    if prompt.site.place.span.line != place.span.line:
        evidence.append(related(prompt.site.place, "this is a system prompt"))
    return Assessment(
        subject=owner, verdict="not-met", why=hit.message, evidence=tuple(evidence), hit=hit
    )
