"""Tests of a loop that end it because a reply asks for no tool, or for another reason."""

from __future__ import annotations

from agentcheck.rule import E, S, descend, last_name, statements_below, string


def ends_on(stmt: S.Stmt, names: tuple[str, ...]) -> bool:
    """Whether a statement is an `if` that reads one of the names and returns or breaks."""
    return isinstance(stmt, S.If) and _reads(stmt.test, names) and _leaves(stmt)


def _reads(test: E.Expr, names: tuple[str, ...]) -> bool:
    return any(
        last_name(e) in names or (isinstance(e, E.Index) and string(e.index) in names)
        for e in descend(test)
    )


def _leaves(stmt: S.If) -> bool:
    return any(
        isinstance(s, S.Return) or (isinstance(s, S.Jump) and s.kind == "break")
        for s in statements_below(stmt)
    )
