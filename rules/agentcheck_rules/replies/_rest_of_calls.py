"""What a function does with the other calls of a reply out of which it takes one."""

from __future__ import annotations

from collections.abc import Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Located,
    S,
    Site,
    descend,
    last_name,
    own_exprs,
    read_key,
    statements_below,
    string,
)
from agentcheck_rules.replies._first_call import ARGUMENTS, LISTS, Taken, by_type, is_it

_IDS = frozenset({"tool_call_id", "tool_use_id", "call_id"})


def rest_seen(graph: AgentGraph, one: Taken) -> Located | None:
    """A statement that looks at more than the one call: a loop, a count, a slice."""
    for at in graph.program.statements(one.fn):
        stmt = at.stmt
        if isinstance(stmt, S.For) and stmt.iter is not one.site.expr:
            calls = any(_is_of_calls(e) for s in body_of(stmt) for e in own_exprs(s))
            if _lists(graph, stmt.iter, one) and (calls or not _is_mixed(one)):
                return at
        for expr in (e for own in own_exprs(stmt) for e in descend(own)):
            if expr is one.site.expr or (_is_mixed(one) and not _is_of_calls(expr)):
                continue
            if any(_lists(graph, e, one) for e in _whole(expr)):
                return at
    return None


def _is_mixed(one: Taken) -> bool:
    """Whether the list holds text and calls alike: blocks, output items."""
    return read_key(one.source) not in LISTS and not isinstance(one.source, E.Name)


def _is_of_calls(expr: E.Expr) -> bool:
    """Whether an expression asks for tool calls by type, or reads what they are called with."""
    return by_type(expr) or any(read_key(e) in ARGUMENTS for e in descend(expr))


def _whole(expr: E.Expr) -> Iterator[E.Expr]:
    """What an expression goes through, counts or hands on as a whole."""
    match expr:
        case E.Comp(loops=loops):
            yield from (loop.iter for loop in loops)
        case E.Call(func=func, args=args) if last_name(func) not in ("next", "append", "print"):
            yield from (a.value for a in args)
        case E.Index(value=value, index=E.Slice()):
            yield value
        case E.Star(value=value):
            yield value
        case _:
            return


def _lists(graph: AgentGraph, expr: E.Expr, one: Taken) -> bool:
    """Whether an expression is the list that the call was taken out of."""
    if isinstance(expr, E.Call) and expr.args and last_name(expr.func) == "enumerate":
        expr = expr.args[0].value
    if not isinstance(expr, (E.Name, E.Attr, E.Index, E.Call)) or expr is one.site.expr:
        return False
    if expr is one.source and isinstance(one.site.expr, E.Call):
        return False
    here = {(id(o.expr), o.names) for o in graph.tracer.local(expr, one.fn)}
    there = {(id(o.expr), o.names) for o in graph.tracer.local(one.source, one.fn)}
    one_of = any("[]" in o.steps[-1:] for o in graph.tracer.local(expr, one.fn))
    return bool(here & there) and not one_of


def answers(graph: AgentGraph, one: Taken) -> Site | None:
    """Where the function answers the id of the one call."""
    for site in graph.program.sites(one.fn):
        match site.expr:
            case E.Entries(entries=entries):
                keys = {string(e.key) for e in entries if e.key is not None}
            case E.Call(args=args):
                keys = {a.name for a in args}
            case _:
                continue
        if keys & _IDS:
            return site
    return None


def sent_alone(graph: AgentGraph, one: Taken) -> Site | None:
    """Where the history is given an assistant message with the one call in it and no other."""
    for site in graph.program.sites(one.fn):
        for value in _given_calls(site.expr):
            if isinstance(value, E.Items) and len(value.items) == 1:
                inner = list(descend(value.items[0]))
                if any(is_it(e, one.site, one.names) for e in inner):
                    return site
    return None


def _given_calls(expr: E.Expr) -> Iterator[E.Expr]:
    match expr:
        case E.Entries(entries=entries):
            shown = {string(e.key): e.value for e in entries if e.key is not None}
            if string(shown.get("role")) == "assistant":
                yield from (shown[key] for key in ("tool_calls", "content") if key in shown)
        case E.Call(args=args):
            yield from (a.value for a in args if a.name == "tool_calls")
        case _:
            return


def body_of(stmt: S.Stmt) -> Iterator[S.Stmt]:
    """A statement and those below it."""
    yield stmt
    yield from statements_below(stmt)


def counted_elsewhere(graph: AgentGraph, one: Taken) -> Site | None:
    """Where another function of the same process holds the number of calls to one."""
    together = graph.program.modules.together(one.fn.file.path)
    for fn in (f for path in sorted(together) for f in graph.program.functions[path]):
        for site in graph.program.sites(fn):
            match site.expr:
                case E.Compare(
                    left=E.Call(func=E.Name(id="len"), args=(only,)),
                    rights=(E.Const(value=1),),
                ) if read_key(only.value) in LISTS:
                    return site
                case _:
                    continue
    return None
