"""Pieces of a streamed reply go to the caller as they come, and nothing stands around the stream.

A generator that asks a model for a stream and yields each piece has handed it out before anyone
could look at it. When the stream breaks in the middle, the caller has half a reply and an
exception; when the caller stops early, the request runs on until it is collected.

Asked about are generators that iterate over a model's stream and yield the pieces as they are, or
one field of them. Looked for, and enough: a handler or a `finally` around the iteration, the
stream entered with `with`, a call that closes or cancels it, or a function of the target that the
piece goes through before it is yielded.

This is judged by what is absent, and a caller of the generator may do all of it: it is for the
auditor.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Assessment,
    Card,
    Challenge,
    E,
    Evidence,
    Fn,
    Hit,
    Located,
    Place,
    S,
    Site,
    code_kind,
    descend,
    fine,
    last_name,
    primary,
    related,
)

__all__ = ["CARD", "check"]
CARD = Card(
    code="AC206",
    topic="stream-unguarded",
    title="Streamed pieces go to the caller with nothing around the stream",
    question="Is a stream that is handed on closed when its reader stops, and its failure caught?",
    severity="low",
    confidence="low",
    persona="auditor",
    at_stake="A reader that stops early, or a stream that breaks, must end the run cleanly.",
    consequence="Half a reply is shown as if it were whole, the request may run on unread, and "
    "nothing can be held back before it is shown.",
    owner="whoever owns the streaming function",
    smallest_change="Iterate inside `with`, or in a `try` whose `finally` closes the stream, and "
    "end with an event that says how it ended.",
    could_break="Readers that rely on the provider's exception.",
    acceptance="A consumer of {owner} that stops after the first piece closes the provider's "
    "stream; a stream that breaks ends with a named reason.",
    tags=("streaming",),
)
LOOKED = (
    "a handler or a `finally` around the iteration",
    "the stream entered with `with`, or a call that closes or cancels it",
    "a function of the target that each piece goes through",
)
_CLOSES = frozenset({"close", "aclose", "cancel", "aclosing", "closing", "abort"})
_PLAIN = frozenset({"dict", "json", "model_dump", "model_dump_json", "to_dict", "str", "loads"})


class Stream(Struct, frozen=True):
    """A loop over a model's stream, and a `yield` on its turns that hands a piece on."""

    fn: Fn
    at: Located
    handed: Site


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a generator that hands on a model's stream."""
    for fn in graph.program.every_function():
        if fn.facts.is_generator and code_kind(fn.file.path) != "test":
            found = _stream(graph, fn)
            if found is not None:
                yield _assess(graph, found)


def _stream(graph: AgentGraph, fn: Fn) -> Stream | None:
    for at in graph.program.statements(fn):
        if isinstance(at.stmt, S.For) and _is_model_stream(graph, fn, at.stmt.iter):
            pieces = _pieces(graph, fn, at.stmt)
            for site in graph.program.sites(fn):
                if _hands_on(site, at.stmt, pieces):
                    return Stream(fn, at, site)
    return None


def _is_model_stream(graph: AgentGraph, fn: Fn, source: E.Expr) -> bool:
    """Whether what is iterated is what a model call gave, not a list inside of a reply."""
    asked = {id(c.site.expr) for c in graph.model_calls}
    return any(
        origin.kind == "call" and id(origin.expr) in asked and len(origin.names) <= 1
        for origin in graph.tracer.of(source, fn)
    )


def _pieces(graph: AgentGraph, fn: Fn, loop: S.For) -> set[str]:
    """The names of a piece and of what is read off it on a turn."""
    found = {e.id for e in descend(loop.target) if isinstance(e, E.Name)}
    for at in graph.program.statements(fn):
        value = at.stmt.value if isinstance(at.stmt, S.Assign) else None
        inside = any(c.stmt is loop for c in at.around())
        if isinstance(at.stmt, S.Assign) and inside and value and _is_piece(value, found):
            found |= {t.id for t in at.stmt.targets if isinstance(t, E.Name)}
    return found


def _is_piece(expr: E.Expr, pieces: set[str]) -> bool:
    """A piece, a field of one, or a plain conversion of either."""
    match expr:
        case E.Name():
            return expr.id in pieces
        case E.Attr() | E.Index():
            return _is_piece(expr.value, pieces)
        case E.Call(func=func, args=args) if last_name(func) in _PLAIN:
            inner = func.value if isinstance(func, E.Attr) else None
            parts = ([inner] if inner is not None else []) + [a.value for a in args]
            return any(_is_piece(p, pieces) for p in parts)
        case E.Logic(values=(first, *_)):
            return _is_piece(first, pieces)
        case _:
            return False


def _hands_on(site: Site, loop: S.For, pieces: set[str]) -> bool:
    value = site.expr.value if isinstance(site.expr, E.Yield) else None
    inside = any(c.stmt is loop for c in site.at.around())
    return inside and value is not None and _is_piece(value, pieces)


def _assess(graph: AgentGraph, found: Stream) -> Assessment:
    owner = found.fn.qualname
    here = related(found.handed.place, "each piece is handed on here")
    net = _net(graph, found)
    if net is not None:
        return fine(
            owner, "met", "something stands around the stream", here, related(net, "this does")
        )
    message = f"`{owner}` hands on a model's stream as it comes, with nothing around it."
    hit = Hit(
        message=message,
        owner=owner,
        failure_path=(
            f"`{owner}` yields the first pieces of a reply",
            "the stream breaks, or the reader stops",
            "nothing closes the stream or says how it ended",
        ),
        challenge=Challenge("weakened", LOOKED),
    )
    evidence: tuple[Evidence, ...] = (
        primary(found.handed.place, "the piece goes out as it came"),
        related(found.at.place, "nothing stands around this iteration"),
    )
    return Assessment(subject=owner, verdict="not-met", why=message, evidence=evidence, hit=hit)


def _net(graph: AgentGraph, found: Stream) -> Place | None:
    """What catches, closes or filters, in the generator itself."""
    for ctx in (*found.at.around(), *found.handed.at.around()):
        if isinstance(ctx.stmt, S.Try) and ctx.part == "body":
            return found.fn.place(ctx.stmt.span)
        if isinstance(ctx.stmt, S.With):
            return found.fn.place(ctx.stmt.span)
    for site, call in graph.program.calls(found.fn):
        if last_name(call.func) in _CLOSES:
            return site.place
    return None
