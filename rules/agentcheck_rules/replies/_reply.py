"""What the reply rules share: which replies to ask about, and how to point at where one is used."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    About,
    AgentGraph,
    AgentLoop,
    Assessment,
    CodeEvidence,
    E,
    Fn,
    Reply,
    S,
    Site,
    code_kind,
    find_replies,
    fine,
    related,
)


class Asked(Struct, frozen=True):
    """The replies of one function that are in the same state, with where they are reduced."""

    fn: Fn
    replies: list[Reply]

    @property
    def sites(self) -> list[Site]:
        """The calls that ask, in source order."""
        return sorted((r.call.site for r in self.replies), key=lambda s: s.place)

    @property
    def reductions(self) -> list[Site]:
        """Where the replies are reduced to their content, one place a line."""
        return outermost([s for r in self.replies for s in r.reductions()])


def asked_about(graph: AgentGraph) -> Iterator[Reply]:
    """The replies of the target outside its tests."""
    for reply in find_replies(graph):
        if code_kind(reply.call.site.fn.file.path) != "test":
            yield reply


def by_function(replies: list[Reply]) -> list[Asked]:
    """Replies of one function together: it has one owner and one mending."""
    groups: dict[Fn, list[Reply]] = {}
    for reply in replies:
        groups.setdefault(reply.call.site.fn, []).append(reply)
    return [Asked(fn, found) for fn, found in groups.items()]


def read_answer(graph: AgentGraph, reply: Reply, about: About, what: str) -> Assessment | None:
    """Met where the thing is read, cannot-tell where the reply goes on whole; None: unread."""
    owner = reply.call.site.fn.qualname
    here = call_evidence(reply)
    reads = reply.read(about)
    if reads:
        seen = related(reads[0].place, f"its {what} is read here")
        return fine(owner, "met", f"its {what} is read", here, seen)
    escapes = reply.escaped(about)
    if escapes and _acted_on(graph, reply):
        escapes = [e for e in escapes if e.kind != "returned"]
    if escapes or not reply.reductions():
        why = "the whole reply goes where it cannot be followed"
        return fine(owner, "cannot-tell", why, here)
    return None


def _acted_on(graph: AgentGraph, reply: Reply) -> bool:
    """Whether a loop runs the reply's tool calls, so that returning it whole comes too late."""
    return reply.takes_tool_calls() and bool(_loops_of(graph, {id(reply.call.site.expr)}))


def outermost(sites: list[Site]) -> list[Site]:
    """The longest read at each line: `reply.choices[0].message` once, not each step of it."""
    best: dict[tuple[str, int], Site] = {}
    for site in sites:
        key = (site.fn.file.path, site.expr.span.line)
        if key not in best or _width(site.expr) > _width(best[key].expr):
            best[key] = site
    return sorted(best.values(), key=lambda s: s.place)


def _width(expr: E.Expr) -> tuple[int, int]:
    return (expr.span.end_line - expr.span.line, expr.span.end_column - expr.span.column)


def in_agent_loop(graph: AgentGraph, asked: Asked) -> bool:
    """Whether a call is made on the turns of a loop that is no conversation and no batch."""
    loops = _loops_of(graph, {id(s.expr) for s in asked.sites})
    return any(
        isinstance(loop.stmt, S.While) and all(b.kind != "person" for b in loop.bounds)
        for loop in loops
    )


def _loops_of(graph: AgentGraph, asking: set[int]) -> list[AgentLoop]:
    """The loops whose turns make one of some calls."""
    return [
        loop
        for loop in graph.loops
        if any(
            id(end.site.expr) in asking for site in loop.sites for end in graph.drives.ends_of(site)
        )
    ]


def call_evidence(reply: Reply) -> CodeEvidence:
    """The call itself, as a further line."""
    return related(reply.call.site.place, "the model is asked here")
