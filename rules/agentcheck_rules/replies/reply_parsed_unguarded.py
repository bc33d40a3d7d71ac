"""A reply's text is parsed as JSON, which the request did not enforce, with nothing to catch it.

A prompt that says "answer in JSON only" is followed most of the time. Now and then the model puts
the object into a code fence, begins with a sentence, leaves a comma too many or is cut at the
token limit; parsed without a handler, that reply ends the run.

Looked for is a handler of the decoding error around the parse and in the callers, as well as an
answer format that the request itself asks for: `response_format`, `text_format`, a response
schema or MIME type, a tool that is forced. A request whose arguments cannot be told is answered
"cannot tell". The arguments of tool calls are the matter of another rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    Fn,
    Hit,
    Protection,
    Reply,
    Site,
    code_kind,
    fine,
    parser_calls,
    part,
    primary,
    protection,
    related,
    tested_first,
)
from agentcheck_rules.replies._structured import form_of
from agentcheck_rules.replies._texts import Texts

__all__ = ["CARD", "check"]

CARD = Card(
    code="AC209",
    topic="reply-parsed-unguarded",
    title="A reply is parsed as JSON with nothing to catch what is none",
    question="Is every parse of a reply's text guarded, or its form enforced by the request?",
    severity="medium",
    confidence="high",
    remedy_confidence="high",
    at_stake="One reply in another form must not end the run.",
    consequence="A code fence, a leading sentence or a cut reply raises a decoding error; the work "
    "done so far is lost with it.",
    owner="whoever parses the reply",
    smallest_change="Ask for the form in the request (a JSON schema or a forced tool), and catch "
    "the decoding error: ask once more with the error's text, or return a named failure.",
    could_break="Callers that relied on the exception to notice a bad reply.",
    acceptance="A scripted reply that is not JSON gives a named failure or one more request in "
    "{owner}, not an exception.",
    tags=("robustness",),
)
ERRORS = ("JSONDecodeError", "ValueError", "ValidationError", "SyntaxError")


class _Parse(Struct, frozen=True, eq=False):
    site: Site
    reply: Reply
    found: Protection


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a parse that is fine, and one a function with parses that are not."""
    texts, open_ones = Texts(graph), dict[Fn, list[_Parse]]()
    for site in sorted(parser_calls(graph), key=lambda s: s.place):
        if code_kind(site.fn.file.path) == "test":
            continue
        given = site.call.args[0].value
        reply = texts.of(given, site.fn)
        if reply is None or part(graph, given, site.fn) == "arguments":
            continue
        parse = _Parse(site, reply, protection(graph, site, ERRORS))
        answer = _fine(graph, parse)
        if answer is None:
            open_ones.setdefault(site.fn, []).append(parse)
        else:
            yield answer
    yield from (_unguarded(group) for group in open_ones.values())


def _fine(graph: AgentGraph, parse: _Parse) -> Assessment | None:
    owner, found = parse.site.fn.qualname, parse.found
    here = related(parse.site.place, "the reply's text is parsed here")
    if found.guard is not None:
        stmt, fn = found.guard
        there = related(fn.place(stmt.span), "the error is caught here")
        return fine(owner, "met", "a decoding error is caught", here, there)
    asked = related(parse.reply.call.site.place, "the model is asked here")
    form = form_of(graph, parse.reply)
    if form == "asked":
        return fine(owner, "met-differently", "the request asks for the form", here, asked)
    if form == "unknown":
        return fine(owner, "cannot-tell", "the request may ask for the form", here, asked)
    if found.unsure:
        return fine(owner, "cannot-tell", f"Whether it is caught: {found.unsure}.", here)
    tested = tested_first(graph, parse.site)
    if tested is not None:
        there = related(tested.place, "the text is tried before")
        return fine(owner, "met-differently", "only text that is JSON gets here", here, there)
    return None


def _unguarded(group: list[_Parse]) -> Assessment:
    first = group[0]
    owner = first.site.fn.qualname
    hit = Hit(
        message=f"`{owner}` parses what the model wrote, whose form nothing enforces or checks.",
        owner=owner,
        failure_path=(
            "the model puts the object into a code fence, adds a sentence, or is cut",
            f"the parse in `{owner}` raises",
            "no handler stands between here and the end of the run",
        ),
        challenge=Challenge(
            "upheld",
            (
                *(f"a handler of the decoding error in `{n}`" for n in first.found.searched[:3]),
                "an answer format or a forced tool in the request",
            ),
        ),
        names={"owner": owner},
    )
    evidence = (
        primary(first.site.place, "this raises on anything that is not JSON"),
        *(related(p.site.place, "and this") for p in group[1:4]),
        related(first.reply.call.site.place, "this request asks for no form"),
    )
    return Assessment(subject=owner, verdict="not-met", why=hit.message, evidence=evidence, hit=hit)
