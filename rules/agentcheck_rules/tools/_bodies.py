"""The tools of the target with their bodies, and how control leaves a body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentcheck.rule import (
    AgentGraph,
    E,
    Fn,
    S,
    Tool,
    code_kind,
    descend,
    dotted,
    own_exprs,
    statements_below,
)

_ENDS = frozenset({"sys.exit", "exit", "quit", "os._exit"})


def bodied(graph: AgentGraph) -> Iterator[tuple[Tool, Fn]]:
    """Every tool outside tests with its body, one name for one body."""
    seen: set[Fn] = set()
    for tool in graph.tools:
        if tool.fn is not None and tool.fn not in seen and code_kind(tool.place.file) != "test":
            seen.add(tool.fn)
            yield tool, tool.fn


def is_abstract(fn: Fn) -> bool:
    """Whether a body says nothing: `pass`, `...`, or a bare NotImplementedError."""
    return all(
        isinstance(s, (S.Jump, S.Bring))
        or (isinstance(s, S.Do) and isinstance(s.value, (E.Const, E.Other)))
        or (isinstance(s, S.Raise) and s.exc is not None and _is_missing(s.exc))
        for s in fn.facts.body
    )


def _is_missing(exc: E.Expr) -> bool:
    return "NotImplemented" in (dotted(exc) or "")


def falls_through(body: tuple[S.Stmt, ...]) -> bool:
    """Whether control may run past the end of a block."""
    return all(_goes_on(s) for s in body)


def _goes_on(stmt: S.Stmt) -> bool:
    match stmt:
        case S.Return() | S.Raise() | S.Jump(kind="break" | "continue"):
            return False
        case S.If():
            return not stmt.orelse or falls_through(stmt.body) or falls_through(stmt.orelse)
        case S.Try():
            return _try_goes_on(stmt)
        case S.With():
            return falls_through(stmt.body)
        case S.While(test=E.Const(value=value)) if value:
            return any(isinstance(s, S.Jump) and s.kind == "break" for s in statements_below(stmt))
        case S.Match():
            full = any(isinstance(c.pattern, E.Name) and c.guard is None for c in stmt.cases)
            return not full or any(falls_through(c.body) for c in stmt.cases)
        case S.Do(value=E.Call(func=func)):
            return dotted(func) not in _ENDS
        case _:
            return True


def _try_goes_on(stmt: S.Try) -> bool:
    if stmt.final and not falls_through(stmt.final):
        return False
    normal = falls_through((*stmt.body, *stmt.orelse))
    return normal or any(falls_through(h.body) for h in stmt.handlers)


def texts(exprs: Iterable[E.Expr]) -> str:
    """All literal text in some expressions."""
    found = (e.value for x in exprs for e in descend(x) if isinstance(e, E.Const))
    return " ".join(v for v in found if isinstance(v, str))


def said_in(stmts: Iterable[S.Stmt]) -> str:
    """All literal text in statements and those below them."""
    every = [s for top in stmts for s in (top, *statements_below(top))]
    return " ".join(texts(own_exprs(s)) for s in every)
