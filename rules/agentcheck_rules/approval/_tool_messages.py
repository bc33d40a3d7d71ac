"""Where tool messages are made, and what they are put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Site,
    blocks,
    descend,
    dotted,
    own_exprs,
    statements_below,
    string,
)

Block = Sequence[S.Stmt]
PUTS = frozenset("append extend add put put_nowait send appendleft insert setdefault".split())
_IDS = frozenset({"tool_call_id", "tool_use_id", "call_id", "toolCallId", "tool_callId"})


def answers(graph: AgentGraph, fn: Fn, block: Block) -> Iterator[Site]:
    """Where a block makes a tool message, itself or by a helper."""
    inside = {id(s) for stmt in block for s in (stmt, *statements_below(stmt))}
    for site in graph.program.sites(fn):
        if id(site.at.stmt) in inside and _answers_here(graph, site, depth=1):
            yield site


def _answers_here(graph: AgentGraph, site: Site, depth: int) -> bool:
    match site.expr:
        case E.Entries(entries=entries):
            return any(e.key is not None and string(e.key) in _IDS for e in entries)
        case E.Call(args=args):
            if any(a.name in _IDS for a in args):
                return True
            return depth > 0 and any(
                _answers_here(graph, inner, depth - 1)
                for callee in graph.calls.callees(site)
                for inner in graph.program.sites(callee)
            )
        case _:
            return False


def answers_elsewhere(graph: AgentGraph, fn: Fn, loop: S.For) -> bool:
    """Whether the function answers calls outside the loop too, as one that fills gaps does."""
    outside = [at.stmt for at in graph.program.statements(fn)]
    inside = {id(s) for s in (loop, *statements_below(loop))}
    plain = [s for s in outside if id(s) not in inside and not blocks(s)]
    return next(answers(graph, fn, plain), None) is not None


def put_in(answer: Site) -> str:
    """The list that an answer is put in: `messages` in `messages.append({...})`."""
    for expr in (e for own in own_exprs(answer.at.stmt) for e in descend(own)):
        match expr:
            case E.Call(func=E.Attr(attr=attr, value=value)) if attr in PUTS:
                return dotted(value) or ""
            case _:
                continue
    return ""
