"""Whether an exception at a place is caught before it ends the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentcheck.graph.handles import Ctx, Fn, Site
from agentcheck.graph.text import last_name
from agentcheck.graph.walk import statements_below
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

if TYPE_CHECKING:
    from agentcheck.graph.agents import AgentGraph

WIDE = frozenset({"Exception", "BaseException"})


@dataclass(slots=True)
class Protection:
    """What catches an exception: the `try` (or `with`) and its function; None when nothing does.

    `open_at` are the outermost places reached without finding one. `searched` names the
    functions that were looked through.
    """

    guard: tuple[S.Stmt, Fn] | None = None
    searched: list[str] = field(default_factory=list)


def protection(graph: AgentGraph, site: Site, names: Sequence[str], depth: int = 4) -> Protection:
    """Look for a handler of any of the exception names, here and then in every caller.

    A caller's handler counts only if all callers have one, and only inside the agent loop: one
    around the loop catches the exception after the run is over.
    """
    result = Protection()
    result.guard = _guard(graph, site, frozenset(names) | WIDE, depth, result, set())
    return result


def _guard(
    graph: AgentGraph, site: Site, names: frozenset[str], depth: int, out: Protection, seen: set[Fn]
) -> tuple[S.Stmt, Fn] | None:
    if site.fn.qualname not in out.searched:
        out.searched.append(site.fn.qualname)
    loops = {id(loop.stmt) for loop in graph.loops if loop.fn is site.fn}
    for ctx in site.around():
        if id(ctx.stmt) in loops and ctx.part == "body" and isinstance(ctx.stmt, (S.While, S.For)):
            return None
        if catches(ctx, names):
            return ctx.stmt, site.fn
    if depth == 0 or site.fn in seen:
        return None
    seen.add(site.fn)
    callers = graph.calls.callers(site.fn)
    found = [_guard(graph, c, names, depth - 1, out, seen) for c in callers]
    return found[0] if found and all(found) else None


def catches(ctx: Ctx, names: frozenset[str]) -> bool:
    """Whether a context is a `try` body or a `suppress` that stops one of the exceptions."""
    match ctx.stmt:
        case S.Try(handlers=handlers) if ctx.part == "body":
            return any(handles(h, names) for h in handlers)
        case S.With(items=items) if ctx.part == "body":
            return any(
                isinstance(i.value, E.Call)
                and last_name(i.value.func) == "suppress"
                and any(last_name(a.value) in names for a in i.value.args)
                for i in items
            )
        case _:
            return False


def handles(handler: S.Handler, names: frozenset[str]) -> bool:
    """Whether a handler takes one of the exceptions and does not simply raise again."""
    if handler.type is not None:
        kinds = handler.type.items if isinstance(handler.type, E.Items) else (handler.type,)
        if not any((last_name(k) or "") in names for k in kinds):
            return False
    return not _raises_always(handler.body)


def _raises_always(body: tuple[S.Stmt, ...]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, S.Raise):
        leaves_before = any(
            isinstance(s, (S.Return, S.Jump)) and getattr(s, "kind", "") != "pass"
            for stmt in body[:-1]
            for s in (stmt, *statements_below(stmt))
        )
        return not leaves_before
    return False
