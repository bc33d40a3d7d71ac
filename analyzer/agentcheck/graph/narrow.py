"""Where code makes sure that a value is not None: tests of it, and a number put in its place."""

from __future__ import annotations

from agentcheck.graph.handles import Fn
from agentcheck.graph.program import Program
from agentcheck.graph.scope import Binding
from agentcheck.graph.slots import slot
from agentcheck.model import expr as E
from agentcheck.model import stmt as S

NONE, ZERO = "none", "zero"


def held_by(test: E.Expr, *, truth: bool) -> frozenset[str]:
    """The slots that are certainly not None where a test has come out as `truth`."""
    match test:
        case E.Unary(op="not", operand=operand):
            return held_by(operand, truth=not truth)
        case E.Logic(op="and", values=values) if truth:
            return frozenset().union(*(held_by(v, truth=True) for v in values))
        case E.Logic(op="or", values=values) if not truth:
            return frozenset().union(*(held_by(v, truth=False) for v in values))
        case E.Compare(left=left, ops=(op,), rights=(E.Const(value=None),)):
            name = slot(left) if (op in ("is not", "!=")) is truth else None
            return frozenset({name} if name else ())
        case E.Compare(ops=(op,), left=left, rights=(right,)) if truth and op in _ORDER:
            return frozenset(n for n in (slot(left), slot(right)) if n)
        case _:
            name = slot(test) if truth else None
            return frozenset({name} if name else ())


def rebinds_when_none(stmt: S.Stmt, name: str) -> bool:
    """`if x is None: x = ...`, also `if not x`, and the `else` of `if x is not None`."""
    if not isinstance(stmt, S.If):
        return False
    missing = stmt.orelse if name in held_by(stmt.test, truth=True) else ()
    if name in held_by(stmt.test, truth=False):
        missing = stmt.body
    return any(
        isinstance(s, (S.Return, S.Raise))
        or (isinstance(s, S.Assign) and any(slot(t) == name for t in s.targets))
        for s in missing
    )


def replaced_when_none(program: Program, fn: Fn, binding: Binding, use: E.Name) -> bool:
    """Whether a None that the binding gives is replaced, or refused, before the use."""
    start = (use.span.line, use.span.column)
    for at in program.statements(fn):
        span = at.stmt.span
        if (span.end_line, span.end_column) > start or not rebinds_when_none(at.stmt, use.id):
            continue
        made = binding.at.stmt.span if binding.at else None
        inside = made is not None and span.line <= made.line <= span.end_line
        if not inside and (made is None or made.line < span.line):
            return True
    return False


_ORDER = ("<", "<=", ">", ">=")
