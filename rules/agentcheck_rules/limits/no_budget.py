"""An agent loop has no limit on tokens, cost or time.

A count of turns is no bound on money: the history grows, so later turns cost more, and one turn
may take minutes. What is looked for is a comparison of tokens, cost or a clock that can end the
loop, in it or in a helper it calls, a time-out around it or around every call of its function, or
a budget among its parameters that the function reads. A time-out of one request is none, nor is a
cost that is only logged. Loops in which a person is asked or outside work is waited for on every
turn, retries that the first reply ends, and plain batches over a collection are not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    AgentLoop,
    Assessment,
    Card,
    Challenge,
    E,
    Evidence,
    Hit,
    S,
    Site,
    blocks,
    code_kind,
    fine,
    first_reply_ends,
    primary,
    related,
)
from agentcheck_rules.limits._budgets import budget_of, left_at_none
from agentcheck_rules.limits._shape import is_polled

CARD = Card(
    code="AC102",
    topic="no-budget",
    title="No token, cost or time budget on an agent loop",
    question="Can every agent loop be given a budget of tokens, cost or time?",
    severity="medium",
    confidence="high",
    at_stake="The spend of one request must be bounded in money or time, not only in turns.",
    consequence="A long run has no cost ceiling, and whoever operates it cannot set one.",
    owner="whoever owns the agent loop",
    smallest_change="Add up the usage of every reply, take an optional budget, and end with a "
    "partial result and a named reason once it is passed.",
    could_break="Nothing for callers that set no budget; results gain fields.",
    acceptance="With scripted usage numbers, {owner} given a token budget stops once it is passed, "
    "returns the partial result with a budget stop reason, and reports usage equal to the sum; "
    "the same when streaming, where the last chunk has no choices.",
    tags=("spend",),
)
LOOKED = (
    "tokens, cost or a clock compared in the loop or in a helper it calls",
    "a time-out around the loop",
    "a budget among the parameters of the loop's function",
)


def check(graph: AgentGraph) -> Iterator[Assessment]:
    """One assessment a loop of an agent; batches and conversations are left out."""
    for loop in graph.loops:
        if code_kind(loop.fn.file.path) == "test" or not _drives_itself(graph, loop):
            continue
        found = budget_of(graph, loop)
        if found is not None:
            yield fine(loop.fn.qualname, "met", "a budget or a clock can end it", found)
        elif not is_polled(graph, loop):
            yield _missing(graph, loop)


def _drives_itself(graph: AgentGraph, loop: AgentLoop) -> bool:
    """Whether the model decides on another turn, rather than a list, a person or a queue."""
    paced = {"person", "work", "drained"}
    if any(b.kind in paced for b in loop.bounds):
        return False
    if first_reply_ends(graph.calls, loop.stmt, loop.sites):
        return False
    return isinstance(loop.stmt, S.While) or _is_turn_count(loop)


def _is_turn_count(loop: AgentLoop) -> bool:
    """`for turn in range(...)` that the body can leave, or whose number of rounds a caller sets."""
    counts = [b for b in loop.bounds if b.kind == "iterations" and b.limits]
    return bool(counts) and (_left(loop.stmt) or any(b.params for b in counts))


def _left(stmt: S.Stmt, *, nested: bool = False) -> bool:
    """Whether a statement below returns, or breaks out of the outermost loop."""
    for inner in _below(stmt):
        match inner:
            case S.Return():
                return True
            case S.Jump(kind="break") if not nested:
                return True
            case _:
                if _left(inner, nested=nested or isinstance(inner, (S.While, S.For))):
                    return True
    return False


def _below(stmt: S.Stmt) -> Iterator[S.Stmt]:
    yield from (s for _, _, block in blocks(stmt) for s in block)


def _missing(graph: AgentGraph, loop: AgentLoop) -> Assessment:
    owner = loop.fn.qualname
    counted = any(b.holds for b in loop.bounds)  # by its turns, or by the time that it sleeps
    hit = Hit(
        message=f"Nothing in `{owner}` bounds the tokens, the cost or the time of a run.",
        owner=owner,
        severity="low" if counted else None,
        confidence="medium" if counted else None,
        persona="pedantic" if counted else None,
        failure_path=(
            f"`{owner}` runs with the client's own defaults",
            "every turn sends the whole history, so each costs more than the last",
            "no total of tokens, cost or time is kept or compared",
        ),
        challenge=Challenge("upheld", LOOKED),
        names={"owner": loop.fn.qualname},
    )
    return Assessment(
        subject=owner,
        verdict="partly" if counted else "not-met",
        why=hit.message,
        evidence=tuple(_evidence(graph, loop)),
        hit=hit,
    )


def _evidence(graph: AgentGraph, loop: AgentLoop) -> Iterator[Evidence]:
    yield primary(loop.place, "no turn of this loop looks at tokens, cost or a clock")
    if loop.fn.index:
        name = loop.fn.place(loop.fn.facts.name_span)
        yield related(name, "no budget can be passed here")
    yield from (related(s.place, "this spends on every turn") for s in loop.sites[:2])
    yield from left_at_none(graph, loop)
    yield from _stream_option(graph, loop)


def _stream_option(graph: AgentGraph, loop: AgentLoop) -> Iterator[Evidence]:
    """Where streaming is switched on without asking for usage in the stream."""
    for site in loop.sites:
        for end in graph.drives.ends_of(site):
            keyword = getattr(end.data, "stream_keyword", None)
            option = getattr(end.data, "usage_stream_option", None)
            if keyword and option:
                yield from _stream_lines(graph, end.site, keyword, option)


def _stream_lines(graph: AgentGraph, site: Site, keyword: str, option: str) -> Iterator[Evidence]:
    head = option.partition(".")[0]
    texts = [e for s in graph.program.sites(site.fn) for e in [s.expr]]
    if any(isinstance(e, E.Const) and e.value == head for e in texts):
        return
    for expr in texts:
        if isinstance(expr, E.Entries):
            for entry in expr.entries:
                if isinstance(entry.key, E.Const) and entry.key.value == keyword:
                    place = site.fn.place(entry.key.span)
                    yield related(place, f"streaming is asked for without `{head}`")
