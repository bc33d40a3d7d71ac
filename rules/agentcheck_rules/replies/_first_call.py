"""Places that take one tool call out of a reply which may hold several."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    Reply,
    S,
    Site,
    code_kind,
    descend,
    find_replies,
    last_name,
    near_calls,
    read_key,
    string,
)
from agentcheck_rules.replies._conditions import is_number

CALL_TYPES = frozenset({"tool_use", "function_call", "tool_call"})
LISTS = frozenset({"tool_calls", "function_calls"})
ARGUMENTS = frozenset({"arguments", "args", "input"})


class Taken(Struct, frozen=True, eq=False):
    """One call that is taken: where, out of which list, under which names, of which reply.

    `reply` is None where the list comes out of a state that cannot be followed to one.
    """

    site: Site
    source: E.Expr
    names: frozenset[str]
    reply: Reply | None

    @property
    def fn(self) -> Fn:
        """The function it is in."""
        return self.site.fn


def taken(graph: AgentGraph) -> Iterator[Taken]:
    """Every place outside tests that takes the first call (or the last block) and runs it."""
    replies = {id(r.call.site.expr): r for r in find_replies(graph)}
    for fn in near_calls(graph):
        if code_kind(fn.file.path) == "test":
            continue
        for site, source, names in _candidates(graph, fn):
            found = _of_reply(graph, source, fn, replies)
            if found is not None and _is_run(graph, site, names):
                yield Taken(site, source, names, found[0])


def _candidates(graph: AgentGraph, fn: Fn) -> Iterator[tuple[Site, E.Expr, frozenset[str]]]:
    for site in graph.program.shaped(fn, E.Index, E.Call):
        expr = site.expr
        if type(expr) is E.Index:
            if is_number(expr.index):
                yield site, expr.value, _bound(site)
        elif type(expr) is E.Call and last_name(expr.func) == "next":
            match expr:
                case E.Call(func=E.Name(), args=(first, *_)) if isinstance(
                    first.value, E.Comp
                ) and by_type(first.value):
                    yield site, first.value.loops[0].iter, _bound(site)
                case _:
                    continue
    for at in graph.program.statements(fn):
        stmt = at.stmt
        if type(stmt) is S.For and isinstance(stmt.target, E.Name) and _ends(stmt):
            yield Site(stmt.iter, at), stmt.iter, frozenset({stmt.target.id})


def _bound(site: Site) -> frozenset[str]:
    stmt = site.at.stmt
    if isinstance(stmt, S.Assign) and stmt.value is site.expr:
        return frozenset(t.id for t in stmt.targets if isinstance(t, E.Name))
    return frozenset()


def by_type(expr: E.Expr) -> bool:
    return any(string(e) in CALL_TYPES for e in descend(expr))


def _ends(loop: S.For) -> bool:
    """Whether the first call that a loop meets ends it."""
    last = loop.body[-1]
    if isinstance(last, S.If) and not last.orelse and by_type(last.test):
        last = last.body[-1]
    return isinstance(last, S.Return) or (isinstance(last, S.Jump) and last.kind == "break")


def _of_reply(
    graph: AgentGraph, source: E.Expr, fn: Fn, replies: dict[int, Reply]
) -> tuple[Reply | None] | None:
    """The reply whose calls a list holds; (None,) for calls of a state; None for another list."""
    kept = False
    for origin in graph.tracer.of(source, fn):
        if "delta" in origin.names:  # a chunk of a stream holds a piece of one call
            return None
        reply = replies.get(id(origin.expr))
        if reply is not None and origin.names in reply.paths.by_about["tool_calls"]:
            return (reply,)
        kept = kept or (origin.kind != "display" and origin.names[-1:] in _ENDINGS)
    return (None,) if kept else None


_ENDINGS = frozenset((name,) for name in LISTS)


def _is_run(graph: AgentGraph, site: Site, names: frozenset[str]) -> bool:
    """Whether the arguments of the call are read, or the call goes to a function of the target."""
    for other in graph.program.sites(site.fn):
        if read_key(other.expr) in ARGUMENTS and _is_below(other.expr, site, names):
            return True
        if isinstance(other.expr, E.Call) and graph.calls.callees(other):
            given = (a.value for a in other.expr.args)
            if any(is_it(value, site, names) for value in given):
                return True
    return False


def is_it(expr: E.Expr, site: Site, names: frozenset[str]) -> bool:
    return expr is site.expr or (isinstance(expr, E.Name) and expr.id in names)


def _is_below(expr: E.Expr, site: Site, names: frozenset[str]) -> bool:
    while isinstance(expr, (E.Attr, E.Index, E.Call)):
        expr = expr.func if isinstance(expr, E.Call) else expr.value
        if is_it(expr, site, names):
            return True
    return False
