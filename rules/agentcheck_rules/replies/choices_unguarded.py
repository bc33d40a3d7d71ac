"""The first element is read of a list that the provider leaves empty at times.

A streamed chat completion that asks for its usage (`stream_options={"include_usage": True}`) ends
with a chunk whose `choices` are empty: `chunk.choices[0]` raises IndexError on the last chunk of
every answer, and the usage that was asked for is in that very chunk. Azure OpenAI begins a stream
with such a chunk, which holds the results of the prompt filter. Gemini gives a blocked prompt no
`candidates`, and a candidate that was stopped by a filter no `parts`.

A test of the list, of the usage or of the reason before the read, in an `if`, an `assert`, a
condition or a comprehension, is met; so is a handler that catches the error, and a loop that is
left at the finish reason, before the chunk with the usage comes. Streams that do not
ask for usage are not asked about, nor is `choices[0]` of a whole chat completion, which always
has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Confidence,
    Fn,
    Hit,
    Severity,
    fine,
    primary,
    protection,
    related,
)
from agentcheck_rules.replies._streams import First, Why, firsts, left_before, told

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC210",
    topic="choices-unguarded",
    title="The first choice is read of a chunk that has none",
    question="Is the first element read only of replies and chunks that have one?",
    severity="high",
    confidence="high",
    remedy_confidence="high",
    at_stake="A reply that is well formed must not end the run.",
    consequence="An IndexError ends the stream after the whole answer has arrived; what follows "
    "the loop does not run and the usage is lost.",
    owner="whoever reads the stream",
    smallest_change="Read the usage of a chunk without choices and go on: `if not chunk.choices: "
    "continue`.",
    could_break="Nothing: chunks without choices carry no text.",
    acceptance="A scripted reply whose list is empty, as the provider sends it, goes through "
    "{owner} without an exception.",
    tags=("robustness",),
)
ERRORS = ("IndexError", "LookupError", "TypeError")
LOOKED = (
    "a test of the list, of the usage or of the reason before the read",
    "a handler of the error here and in the callers",
)
_TITLES: dict[Why, tuple[str, str]] = {
    "usage": (CARD.title, "the last chunk of the stream holds the usage and no choices"),
    "azure": (
        "The first choice is read of Azure's first chunk, which has none",
        "Azure's first chunk holds the results of the prompt filter and no choices",
    ),
    "blocked": (
        "The first candidate or part is read of a reply that may have none",
        "the prompt is blocked, or a filter stops the candidate, and the list is empty or None",
    ),
}
_WEIGHT: dict[Why, tuple[Severity | None, Confidence | None]] = {
    "usage": (None, None),
    "azure": ("medium", "medium"),
    "blocked": ("medium", "medium"),
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a guarded read, and one a function with reads that nothing guards."""
    open_ones: dict[tuple[Fn, Why], list[First]] = {}
    for first in firsts(graph):
        answer = _guarded(graph, first)
        if answer is not None:
            yield answer
        else:
            open_ones.setdefault((first.site.fn, first.why), []).append(first)
    yield from (_unguarded(group) for group in open_ones.values())


def _guarded(graph: AgentGraph, first: First) -> Assessment | None:
    owner = first.site.fn.qualname
    here = related(first.site.place, f"the first of `{first.key}` is read here")
    test = told(graph, first)
    if test is not None:
        there = related(first.site.fn.place(test.span), "this test is on the way")
        return fine(owner, "met", "it is tested whether there is one", here, there)
    left = left_before(first)
    if left is not None:
        there = related(first.site.fn.place(left.span), "the loop is left here")
        return fine(owner, "met-differently", "the last chunk is not waited for", here, there)
    found = protection(graph, first.site, ERRORS)
    if found.guard is not None:
        stmt, fn = found.guard
        caught = related(fn.place(stmt.span), "the error is caught here")
        return fine(owner, "met-differently", "the error is caught", here, caught)
    if found.unsure:
        return fine(owner, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
    return None


def _unguarded(group: list[First]) -> Assessment:
    first = group[0]
    owner, (title, cause) = first.site.fn.qualname, _TITLES[first.why]
    severity, confidence = _WEIGHT[first.why]
    hit = Hit(
        title=title,
        message=f"`{owner}` reads `{first.key}[0]` without a test, and {cause}.",
        owner=owner,
        severity=severity,
        confidence=confidence,
        failure_path=(
            cause,
            f"`{first.key}[0]` raises in `{owner}`",
            "nothing catches it, and what came before is lost with it",
        ),
        challenge=Challenge("upheld", LOOKED),
        consequence=None if first.why == "usage" else _ELSE,
        smallest_change=None if first.why != "blocked" else _BLOCKED,
        could_break=None if first.why != "blocked" else "Callers now see an outcome of its own.",
        names={"owner": owner},
    )
    evidence = (
        primary(first.site.place, f"this raises where `{first.key}` is empty"),
        *(related(f.site.place, "and this") for f in group[1:4]),
        related(first.reply.call.site.place, "the model is asked here"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)


_ELSE = "An IndexError or TypeError stands for what the provider has said, and ends the run."
_BLOCKED = (
    "Test the list first, and make a blocked reply an outcome of its own, with the reason from "
    "`prompt_feedback` or `finish_reason`."
)
