"""What is put into a system prompt, where, and whether something fences it off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    Challenge,
    CodeEvidence,
    E,
    Fn,
    Piece,
    Place,
    Prompt,
    code_kind,
    dotted,
    last_name,
    lazy_re,
    primary,
    related,
    slot,
    system_prompts,
)

_OPENED = lazy_re(r"(<[A-Za-z][\w -]*>|```\w*|\"\"\"|'''|<<<)\s*$")
_CLEANS = lazy_re(
    r"(^|\.|_)(dumps|escape|sanitiz|sanitis|quote|wrap|clean|redact|fence|delimit|repr|int|float"
    r"|len|bool|round|sum)",
    re.IGNORECASE,
)
CHALLENGE = Challenge("upheld", ("a tag or fence around the value", "a call that cleans or quotes"))


class PutIn(Struct, frozen=True):
    """A value that goes into a system prompt at `place`."""

    prompt: Prompt
    piece: Piece
    place: Place
    fn: Fn
    fenced: bool
    written: str


def put_in(graph: AgentGraph) -> Iterator[PutIn]:
    """Every value that goes into a system prompt outside tests, each place once."""
    seen: set[tuple[Place, str]] = set()
    for prompt in system_prompts(graph, up=0):
        before = ""
        for piece in prompt.pieces:
            if piece.text is not None:
                before = piece.text
                continue
            expr, fn = shown(piece)
            one = PutIn(prompt, piece, fn.place(expr.span), fn, _fenced(piece, before), _say(expr))
            before = ""
            if (one.place, one.written) not in seen and code_kind(fn.file.path) != "test":
                seen.add((one.place, one.written))
                yield one


def shown(piece: Piece) -> tuple[E.Expr, Fn]:
    """The part of the outermost text that the piece goes through, where a reader finds it."""
    chain = [*piece.via, (piece.expr, piece.fn)]
    for (outer, _), inner in pairwise(chain):
        if isinstance(outer, (E.Template, E.Binary)):
            return inner
    return chain[0]


def _fenced(piece: Piece, before: str) -> bool:
    if _OPENED.search(before):
        return True
    exprs = [e for e, _ in (*piece.via, (piece.expr, piece.fn))]
    calls = [dotted(e.func) or last_name(e.func) or "" for e in exprs if isinstance(e, E.Call)]
    return any(_CLEANS.search(name) for name in calls)


def _say(expr: E.Expr) -> str:
    return slot(expr) or (dotted(expr) or "a value")


def spoken_evidence(found: list[PutIn], says: str) -> tuple[CodeEvidence, ...]:
    """The first place as primary, the others and the prompt as related."""
    evidence = [primary(found[0].place, says)]
    further = {one.place.span.line: one.place for one in found}
    further.pop(found[0].place.span.line)
    evidence += [related(place, says) for place in list(further.values())[:4]]
    site = found[0].prompt.site.place
    if site.span.line not in {e.line for e in evidence}:
        evidence.append(related(site, "this is a system prompt"))
    return tuple(evidence)


def by_owner(found: list[PutIn]) -> dict[Fn, list[PutIn]]:
    """What was found, by the function that puts it in."""
    groups: dict[Fn, list[PutIn]] = {}
    for one in found:
        groups.setdefault(one.fn, []).append(one)
    return groups
