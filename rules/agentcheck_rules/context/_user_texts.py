"""What stands in the messages that speak for the user, and whether it is marked off as data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Dispatch,
    E,
    Fn,
    Piece,
    Pieces,
    Place,
    argument,
    find_dispatches,
    last_name,
    lazy_re,
    slot,
    string,
)
from agentcheck_rules.context._put_in import shown
from agentcheck_rules.context._sources import page_of

# A literal that ends so tells the model that something else begins: a tag, a fence, a quotation
# mark, a label with a colon, a rule of signs, a heading.
_OPENED = lazy_re(r"(>|`|\"|'|:|\]|\)|-{2,}|={2,}|\*{2}|#.*|\n)\s*$")
_HUMAN = frozenset({"HumanMessage", "UserMessage", "UserPromptPart"})
_PAIRED = frozenset({"tool_call_id", "tool_use_id", "call_id", "tool_result", "name"})
_STORES = lazy_re(
    r"(^|[._])(similarity_search\w*|asimilarity_search\w*|get_relevant_documents|"
    r"aget_relevant_documents|scrape(_\w+)?|crawl(_\w+)?|web_search|search_web|read_page|"
    r"fetch_(page|url|website|email|emails|html)|get_page_(text|content)|read_emails?)(\(\)|$)"
)


class UserText(Struct, frozen=True):
    """A value in a user message at `place`; `alone` where it is the whole of the content."""

    piece: Piece
    place: Place
    fn: Fn
    written: str
    marked: bool
    alone: bool


def user_texts(graph: AgentGraph) -> Iterator[UserText]:
    """Every value in a message of the user or in the input of a run, as far as it is written."""
    maker = Pieces(graph.tracer, up=0)
    for fn in graph.program.every_function():
        for site in graph.program.shaped(fn, E.Entries, E.Call):
            content = _content(site.expr)
            if content is not None:
                yield from _values(maker.of(content, fn))
    for run in graph.runs:
        for arg in run.call.args[:2]:
            if isinstance(arg.value, (E.Template, E.Name, E.Binary)) and not arg.star:
                yield from _values(maker.of(arg.value, run.site.fn))


def _content(expr: E.Expr) -> E.Expr | None:
    """The content of a user message that answers no call."""
    if type(expr) is E.Entries:
        keyed = {string(e.key): e.value for e in expr.entries if e.key is not None}
        if string(keyed.get("role")) == "user" and not _PAIRED.intersection(map(str, keyed)):
            return keyed.get("content")
    if type(expr) is E.Call and last_name(expr.func) in _HUMAN:
        return argument(expr, "content", 0)
    return None


def _values(pieces: tuple[Piece, ...]) -> Iterator[UserText]:
    before, alone = "", all(p.text is None or not p.text.strip() for p in pieces)
    for piece in pieces:
        if piece.text is not None:
            before = piece.text
            continue
        if any(_answers(outer) for outer, _ in piece.via):
            continue
        expr, fn = shown(piece)
        marked = bool(_OPENED.search(before)) or _quoted(piece)
        before = ""
        name = slot(expr) or "a value"
        yield UserText(piece, fn.place(expr.span), fn, name, marked, alone)


def _answers(expr: E.Expr) -> bool:
    """Whether a block inside the content answers a tool call by its id."""
    keys = {string(e.key) for e in expr.entries} if isinstance(expr, E.Entries) else set()
    return not _PAIRED.isdisjoint(map(str, keys))


def _quoted(piece: Piece) -> bool:
    """Whether the value goes through something that turns it into data on the way."""
    chain = [*piece.via, (piece.expr, piece.fn)]
    return any(
        isinstance(outer, E.Call) and last_name(outer.func) in ("dumps", "repr", "wrap", "quote")
        for (outer, _), _ in pairwise(chain)
    )


def dispatched(graph: AgentGraph) -> dict[int, Dispatch]:
    """The calls that run a tool of the model's choice, by their expressions."""
    return {id(d.site.expr): d for d in find_dispatches(graph)}


def result_of(graph: AgentGraph, text: UserText, runs: dict[int, Dispatch]) -> Dispatch | None:
    """The dispatch whose result a value is."""
    for origin in graph.tracer.local(text.piece.expr, text.piece.fn):
        if id(origin.expr) in runs:
            return runs[id(origin.expr)]
    return None


def fetched(graph: AgentGraph, text: UserText) -> bool:
    """Whether a value is a page, a document or a mail that was fetched."""
    expr, fn = text.piece.expr, text.piece.fn
    if page_of(graph, expr, fn) is not None:
        return True
    calls = [o.expr for o in graph.tracer.local(expr, fn) if o.kind == "call"]
    names = [last_name(call.func) or "" for call in calls if isinstance(call, E.Call)]
    return any(_STORES.search(name) for name in names)
