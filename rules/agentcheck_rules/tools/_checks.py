"""What stands before a place that runs text: an allow list, a block list, somebody's word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from agentcheck.rule import (
    AgentGraph,
    CodeEvidence,
    E,
    Fn,
    S,
    Site,
    descend,
    last_name,
    related,
    string,
)

Kind = Literal["allow", "block", "unknown"]
_WHOLE = frozenset({"fullmatch", "match", "isdigit", "isnumeric", "isalnum", "isidentifier"})
_ALLOWED = ("allow", "safe", "permitted", "known", "whitelist", "valid")


def checks_before(
    graph: AgentGraph, site: Site, given: tuple[E.Expr, ...]
) -> list[tuple[Kind, CodeEvidence]]:
    """The tests on the text that refuse before it is run, each with what it is."""
    fn = site.fn
    names = _names_behind(graph, given, fn)
    found: list[tuple[Kind, CodeEvidence]] = []
    for at in graph.program.statements(fn):
        stmt = at.stmt
        if isinstance(stmt, S.Assign) and _filters(stmt, names):
            found.append(("allow", related(at.place, "only what is known is kept")))
        if not isinstance(stmt, (S.If, S.Assert)) or stmt.span >= site.at.stmt.span:
            continue
        if isinstance(stmt, S.If) and not _refuses(stmt):
            continue
        read = {e.id for e in descend(stmt.test) if isinstance(e, E.Name)}
        if read & names and not _asks_if_empty(stmt.test):
            kind = _kind(graph, stmt.test, fn)
            says = "only what is known is let through" if kind == "allow" else "this is looked at"
            found.append((kind, related(fn.place(stmt.span), says)))
    return found


def _filters(stmt: S.Assign, names: set[str]) -> bool:
    """Whether a name of the text is given only the characters or words that are on a list."""
    made = {e.id for t in stmt.targets for e in descend(t) if isinstance(e, E.Name)}
    return bool(made & names) and stmt.value is not None and any(map(_keeps, descend(stmt.value)))


def _keeps(expr: E.Expr) -> bool:
    match expr:
        case E.Comp(loops=loops):
            tests = [e for loop in loops for c in loop.conditions for e in descend(c)]
            return any(isinstance(t, E.Compare) and "in" in t.ops for t in tests)
        case E.Call(func=func, args=args) if last_name(func) == "sub" and args:
            return (string(args[0].value) or "").startswith("[^")
        case _:
            return False


def _names_behind(graph: AgentGraph, given: tuple[E.Expr, ...], fn: Fn) -> set[str]:
    """The names in the text, and those that are worked out from it."""
    names = {e.id for g in given for e in descend(g) if isinstance(e, E.Name)}
    for _ in range(3):
        for at in graph.program.statements(fn):
            if isinstance(at.stmt, S.Assign) and at.stmt.value is not None:
                read = {e.id for e in descend(at.stmt.value) if isinstance(e, E.Name)}
                made = {e.id for t in at.stmt.targets for e in descend(t) if isinstance(e, E.Name)}
                if read & names:
                    names |= made
                elif made & names:
                    names |= read
    return names - {"self", "cls"}


def _refuses(stmt: S.If) -> bool:
    return bool(stmt.body) and isinstance(stmt.body[-1], (S.Return, S.Raise, S.Jump))


def _asks_if_empty(test: E.Expr) -> bool:
    match test:
        case E.Unary(op="not", operand=E.Name() | E.Call(func=E.Attr(attr="strip"))):
            return True
        case E.Compare(ops=("is" | "==" | "is not",), rights=(E.Const(),)) | E.Name():
            return not isinstance(test, E.Name)
        case _:
            return False


def _kind(graph: AgentGraph, test: E.Expr, fn: Fn) -> Kind:
    kinds = list(_kinds(graph, test, fn, 2))
    return next((k for k in ("allow", "block") if k in kinds), "unknown")


def _kinds(graph: AgentGraph, test: E.Expr, fn: Fn, depth: int) -> Iterator[Kind]:
    for expr in descend(test):
        if isinstance(expr, E.Compare):
            yield from _by_compare(expr)
        elif isinstance(expr, E.Unary) and expr.op == "not":
            whole = {last_name(e.func) for e in descend(expr) if isinstance(e, E.Call)}
            if any(w and (w in _WHOLE or any(a in w.lower() for a in _ALLOWED)) for w in whole):
                yield "allow"
        elif isinstance(expr, E.Call):
            yield from _by_helper(graph, expr, fn, depth)
        elif isinstance(expr, E.Name) and depth > 1:
            for origin in graph.tracer.local(expr, fn):
                if origin.kind == "call" and origin.fn is fn and isinstance(origin.expr, E.Call):
                    yield from _by_helper(graph, origin.expr, fn, depth - 1)


def _by_compare(expr: E.Compare) -> Iterator[Kind]:
    for op in expr.ops:
        is_set = isinstance(expr.left, E.Call) and last_name(expr.left.func) == "set"
        if op == "not in" or (is_set and op in ("<=", "<", "-")):
            yield "allow"
        elif op in ("in", "=="):
            yield "block"


def _by_helper(graph: AgentGraph, call: E.Call, fn: Fn, depth: int) -> Iterator[Kind]:
    """What a helper of the target tests for; a search for a pattern is a block list."""
    if last_name(call.func) in ("search", "findall", "any"):
        yield "block"
    site = next((s for s, c in graph.program.calls(fn) if c is call), None)
    for callee in graph.calls.callees(site) if site is not None and depth else ():
        for at in graph.program.statements(callee):
            if isinstance(at.stmt, (S.If, S.Assert)):
                yield from _kinds(graph, at.stmt.test, callee, depth - 1)
