"""The text of a reply is used as a string although a reply may have none.

A reply that calls tools has no text: `message.content` is None in a chat completion, and the first
block of an Anthropic message is a `tool_use` block without `.text`. The same field is None where
the model refuses or a filter stops it. Code that goes on with `.strip()`, `len`, `in`, a slice or
`+` raises AttributeError or TypeError on such a reply.

Asked about are replies whose text is read in the same function. Met is any test on the way of the
text, of the tool calls, of the reason why the model stopped or of the block's type; an `or ""`;
and a handler of the error. Where the request offers tools, the missing text is an ordinary reply
and every reader is told; requests without tools, where only a refusal leaves the field empty, are
gathered per file for pedantic readers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Hit,
    fine,
    primary,
    protection,
    related,
)
from agentcheck_rules.replies._text_uses import Kind, Use, Uses, tested

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC208",
    topic="empty-content-unguarded",
    title="A reply without text crashes its reader",
    question="Is the text of a reply used only where it is known to be there?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="A reply that calls a tool, or refuses, must not end the run.",
    consequence="AttributeError or TypeError on the first reply without text; the tool calls in it "
    "are lost.",
    owner="whoever reads the reply",
    smallest_change="Look at the tool calls (or the block's type) first, and use the text only "
    "where it is not None.",
    could_break="Nothing: replies with text go the same way as before.",
    acceptance="A scripted reply without text goes through {owner} without an exception.",
    tags=("robustness",),
)
ERRORS = ("AttributeError", "TypeError")
LOOKED = (
    "a test of the text, the tool calls, the block's type or the stop reason on the way",
    'a value in its place, such as `or ""`',
    "a handler of the error here and in the callers",
)
_CAUSE: dict[Kind, str] = {
    "tools": "the model calls a tool, and the reply's text is None",
    "block": "the model calls a tool at once, and the first block has no `.text`",
    "none": "the model refuses or is stopped by a filter, and the reply's text is None",
}


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a use that is guarded; one a function, or a file without tools, of others."""
    groups: dict[Hashable, list[Use]] = {}
    for use in Uses(graph).all():
        answer = _fine(graph, use)
        if answer is not None:
            yield answer
        else:
            where = use.site.fn.file.path if use.kind == "none" else use.site.fn
            groups.setdefault((where, use.kind), []).append(use)
    yield from (_crash(group) for group in groups.values())


def _fine(graph: AgentGraph, use: Use) -> Assessment | None:
    owner = use.site.fn.qualname
    here = related(use.site.place, "the reply's text is used here")
    test = tested(graph, use)
    if test is not None:
        there = related(use.site.fn.place(test.span), "this test is on the way")
        return fine(owner, "met", "it is looked at what the reply holds", here, there)
    found = protection(graph, use.site, ERRORS)
    if found.guard is not None:
        stmt, fn = found.guard
        there = related(fn.place(stmt.span), "the error is caught here")
        return fine(owner, "met-differently", "the error is caught", here, there)
    if found.unsure:
        return fine(owner, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
    return None


def _crash(group: list[Use]) -> Assessment:
    first = group[0]
    owner, cause = first.site.fn.qualname, _CAUSE[first.kind]
    more = f" ({len(group)} places in this file)" if first.kind == "none" and group[1:] else ""
    hit = Hit(
        message=f"`{owner}` uses the text of a reply that may have none{more}: {cause}.",
        owner=owner,
        severity="low" if first.kind == "none" else None,
        confidence="medium" if first.kind == "none" else None,
        persona="pedantic" if first.kind == "none" else None,
        failure_path=(cause, f"`{owner}` takes it for a string and raises", "nothing catches it"),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": owner},
    )
    asked = "this request offers tools" if first.kind != "none" else "the model is asked here"
    evidence = (
        primary(first.site.place, "this raises where there is no text"),
        *(related(u.site.place, "and this") for u in group[1:5]),
        related(first.reply.call.site.place, asked),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
